//! Lines around widgets of the app, drawn by the plugin at the end of the pass of whatever window they are in.
//!
//! The panel says in each of its passes what is outlined. In its own window that is drawn in the same pass, in another
//! one in the next; what it does not say again is gone.

use std::mem;

use egui::{Align2, Context, FontId, Id, LayerId, Order, Shape, Stroke, StrokeKind, ViewportId, vec2};

use crate::collect::WidgetRef;

/// A line around a widget, where it is now.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outline {
    viewport: ViewportId,
    widget: Id,
    layer: LayerId,
    /// Words above it.
    label: Option<String>,
    opacity: f32,
}

impl Outline {
    /// Around a declared widget.
    pub(super) fn of(viewport: ViewportId, widget: &WidgetRef) -> Self {
        Self::around(viewport, widget.id, widget.layer)
    }

    /// Around any widget.
    pub(super) fn around(viewport: ViewportId, widget: Id, layer: LayerId) -> Self {
        Self {
            viewport,
            widget,
            layer,
            label: None,
            opacity: 1.0,
        }
    }

    /// With words above it.
    pub(super) fn labeled(mut self, label: &str) -> Self {
        self.label = Some(label.to_owned());
        self
    }

    /// Of this opacity, 0 to 1.
    pub(super) fn fading(mut self, opacity: f32) -> Self {
        self.opacity = opacity;
        self
    }
}

/// What is outlined.
#[derive(Debug, Default)]
pub(crate) struct Outlines {
    /// What the pass under way of the panel's window said so far, with that window.
    said: Vec<(ViewportId, Outline)>,
    shown: Vec<(ViewportId, Outline)>,
}

impl Outlines {
    /// The panel, in this window, wants this shown.
    pub(crate) fn say(&mut self, window: ViewportId, outline: Outline) {
        self.said.push((window, outline));
    }

    /// A pass of this window ends: what is to be drawn in it, and the other windows that have to be drawn again.
    pub(crate) fn end_pass(&mut self, window: ViewportId) -> (Vec<Outline>, Vec<ViewportId>) {
        let (said, rest) = mem::take(&mut self.said)
            .into_iter()
            .partition(|(of, _): &(ViewportId, Outline)| *of == window);
        self.said = rest;
        let (before, others): (Vec<_>, Vec<_>) = mem::take(&mut self.shown)
            .into_iter()
            .partition(|(of, _)| *of == window);
        let mut stale = Vec::new();
        if before != said {
            let touched = before.iter().chain(&said).map(|(_, outline)| outline.viewport);
            stale.extend(touched.filter(|of| *of != window));
            stale.dedup();
        }
        self.shown = said;
        self.shown.extend(others);
        let here = self.shown.iter().filter(|(_, outline)| outline.viewport == window);
        (here.map(|(_, outline)| outline.clone()).collect(), stale)
    }
}

/// Draws some at the end of a pass of their window.
pub(crate) fn draw(ctx: &Context, outlines: &[Outline]) {
    for (index, outline) in outlines.iter().enumerate() {
        draw_one(ctx, Id::unique(("pling.outline", index)), outline);
    }
}

fn draw_one(ctx: &Context, id: Id, outline: &Outline) {
    let now = ctx.viewport(|viewport| {
        let here = viewport.this_pass.widgets.get(outline.widget);
        here.map(|widget| widget.interact_rect)
    });
    // What was drawn before in the place of one that is gone is something else.
    let Some(rect) = now.filter(|rect| rect.is_positive()) else {
        return;
    };
    let rect = match ctx.layer_transform_to_global(outline.layer) {
        Some(transform) => transform * rect,
        None => rect,
    };
    let visuals = ctx.global_style().visuals.clone();
    let color = visuals.selection.stroke.color.gamma_multiply(outline.opacity);
    let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, id));
    let rect = rect.expand(3.0);
    painter.rect_stroke(rect, 4.0, Stroke::new(2.0, color), StrokeKind::Outside);
    let Some(label) = &outline.label else { return };
    let screen = ctx.content_rect();
    let galley = painter.layout_no_wrap(label.clone(), FontId::proportional(11.0), visuals.window_fill);
    let size = galley.size() + vec2(10.0, 4.0);
    // Above the widget, or below it at the top of the screen.
    let above = rect.top() - size.y - 3.0 >= screen.top();
    let anchor = if above {
        rect.left_top() - vec2(1.0, 3.0)
    } else {
        rect.left_bottom() + vec2(-1.0, 3.0)
    };
    let align = if above { Align2::LEFT_BOTTOM } else { Align2::LEFT_TOP };
    let mut place = align.anchor_size(anchor, size);
    place = place.translate(vec2((screen.right() - place.right()).min(0.0), 0.0));
    painter.add(Shape::rect_filled(place, 3.0, color));
    painter.galley(place.min + vec2(5.0, 2.0), galley, visuals.window_fill);
}
