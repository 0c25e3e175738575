//! The open popup, which closes when its content is clicked, and of which there is one for each viewport.

use egui::{Context, Id, LayerId, Popup};

use crate::collect::WidgetRef;

/// How deep submenus may nest.
const DEPTH: usize = 8;

/// Closes the popup around a widget that was clicked in it, as a click by the user would. One that is known to
/// stay open stays, and so does a menu whose submenu was opened by the click.
pub(super) fn close_around(ctx: &Context, widget: &WidgetRef) {
    if widget.lasting || !popups_on(ctx, |layer| layer == widget.layer).is_empty() {
        return;
    }
    let mut popup = widget.layer.id;
    for _ in 0..DEPTH {
        if Popup::is_id_open(ctx, popup) {
            return Popup::close_id(ctx, popup);
        }
        let Some(parent) = parent_of(ctx, popup) else { return };
        popup = parent;
    }
}

/// The popup that is open in this viewport.
pub(super) fn open(ctx: &Context) -> Option<Id> {
    if !Popup::is_any_open(ctx) {
        return None;
    }
    let all = popups_on(ctx, |_| true);
    all.into_iter().find(|id| Popup::is_id_open(ctx, *id))
}

/// The popup from which another was opened.
fn parent_of(ctx: &Context, popup: Id) -> Option<Id> {
    ctx.viewport(|viewport| {
        let mut layers = viewport.this_pass.layers.iter();
        let (layer, _) = layers.find(|(_, state)| state.open_popups.contains(&popup))?;
        Some(layer.id)
    })
}

/// The popups shown in this pass or the last on certain layers.
fn popups_on(ctx: &Context, on: impl Fn(LayerId) -> bool) -> Vec<Id> {
    ctx.viewport(|viewport| {
        let layers = viewport.this_pass.layers.iter().chain(&viewport.prev_pass.layers);
        let there = layers.filter(|(layer, _)| on(**layer));
        there.flat_map(|(_, state)| state.open_popups.iter().copied()).collect()
    })
}
