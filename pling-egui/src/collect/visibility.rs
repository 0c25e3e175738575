//! What can be seen and reached, from rectangles alone.

use egui::{Context, LayerId, Pos2, Rect, Vec2};

use super::{Pass, WidgetRef};

/// The share of `rect` inside `clip`, 0 to 1, in steps of 1/32 so that rounding is not change.
/// An empty rectangle counts as inside when its corner is.
pub(crate) fn share_inside(rect: Rect, clip: Rect) -> f32 {
    if !(rect.width() > 0.0 && rect.height() > 0.0) {
        return if clip.contains(rect.min) { 1.0 } else { 0.0 };
    }
    let inside = rect.intersect(clip);
    if !inside.is_positive() {
        return 0.0;
    }
    (inside.area() / rect.area() * 32.0).round() / 32.0
}

/// What lies over a widget.
pub(crate) enum Cover {
    /// Nothing, or not everywhere.
    Free,
    /// A layer that takes all input, or that leaves no sampled point free.
    By(LayerId),
}

/// Samples nine points of the widget's clipped rectangle; covered means that none is free. Out of view,
/// only what takes all input counts: whatever else lies there is not over the widget once it is scrolled to.
pub(crate) fn cover(ctx: &Context, layer: LayerId, rect: Rect) -> Cover {
    let modal = ctx.memory(|memory| memory.top_modal_layer().filter(|_| !memory.is_above_modal_layer(layer)));
    if let Some(modal) = modal {
        return Cover::By(modal);
    }
    if !rect.is_positive() {
        return Cover::Free;
    }
    let to_global = ctx.layer_transform_to_global(layer).unwrap_or_default();
    let rect = to_global * rect;
    let inner = rect.shrink2(Vec2::min(rect.size() * 0.1, Vec2::splat(2.0)));
    let mut coverer = None;
    for row in [0.0, 0.5, 1.0] {
        for column in [0.5, 0.0, 1.0] {
            let point = Pos2::new(egui::lerp(inner.x_range(), column), egui::lerp(inner.y_range(), row));
            match ctx.layer_id_at(point) {
                Some(top) if top != layer && !holds(ctx, top, layer) => coverer = Some(top),
                _ => return Cover::Free,
            }
        }
    }
    coverer.map_or(Cover::Free, Cover::By)
}

/// Whether a layer is drawn inside another, such as that of a scene: only the other has an area of its own.
fn holds(ctx: &Context, outer: LayerId, inner: LayerId) -> bool {
    ctx.memory(|memory| memory.areas().parent_layer(inner)) == Some(outer)
}

/// Whether a click by the user could reach the widget now.
pub(crate) fn is_free(ctx: &Context, widget: &WidgetRef) -> bool {
    widget.interact_rect.is_positive() && matches!(cover(ctx, widget.layer, widget.interact_rect), Cover::Free)
}

/// What a user would call a layer: the region declared in it, or the name of its window.
pub(crate) fn name_of(ctx: &Context, pass: &Pass, layer: LayerId) -> String {
    let region = pass.regions.iter().find(|region| region.layer == Some(layer));
    if let Some(region) = region {
        return region.region.label.clone();
    }
    let label = ctx.viewport(|viewport| {
        let state = viewport.this_pass.accesskit_state.as_ref()?;
        state.nodes.get(&layer.id)?.label().map(ToOwned::to_owned)
    });
    label.unwrap_or_else(|| "another window".to_owned())
}

#[cfg(test)]
mod tests {
    use egui::{Rect, pos2};

    use super::share_inside;

    #[test]
    fn shares_of_a_rectangle() {
        let clip = Rect::from_min_max(pos2(0.0, 0.0), pos2(100.0, 100.0));
        for (rect, share) in [
            (Rect::from_min_max(pos2(10.0, 10.0), pos2(20.0, 20.0)), 1.0),
            (Rect::from_min_max(pos2(10.0, 90.0), pos2(20.0, 110.0)), 0.5),
            (Rect::from_min_max(pos2(10.0, 101.0), pos2(20.0, 110.0)), 0.0),
            (Rect::from_min_max(pos2(10.0, 10.0), pos2(10.0, 20.0)), 1.0),
            (Rect::from_min_max(pos2(110.0, 10.0), pos2(110.0, 20.0)), 0.0),
        ] {
            assert_eq!(share_inside(rect, clip), share, "{rect:?}");
        }
    }
}
