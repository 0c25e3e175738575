//! Where the assistant is at work: an outline and a label on the widget that is about to be operated, or that waits
//! for the user's own step.
//!
//! The outline follows the widget while it is drawn, takes no input, and covers nothing for the agent.

use egui::{Align2, Context, Event, FontId, Id, LayerId, Order, Rect, Shape, Stroke, StrokeKind, ViewportId, vec2};
use pling_core::{act::ActionRef, platform::Duration};

use super::{desk::Desk, visible::visible_line};
use crate::{Pling, collect::WidgetRef};

/// Seconds for which the outline stays when the call is over, so that it can be seen at all.
const LINGER: f64 = 0.7;

/// What was outlined last.
#[derive(Debug, Default)]
pub(super) struct Presence {
    action: Option<ActionRef>,
    /// When it was last under way, in egui's seconds.
    seen: f64,
}

/// Draws the outline.
pub(super) fn presence_ui(ctx: &Context, pling: &Pling, desk: &mut Desk, id: Id) {
    let now = ctx.input(|input| input.time);
    let presence = &mut desk.presence;
    let session = pling.session();
    let waiting = session.waiting_for().into_iter().next();
    let at_work = pling.transcript().at_work();
    let is_yours = waiting.as_ref().is_some_and(|card| card.handoff.is_some());
    if let Some(action) = waiting.map(|card| card.action).or(at_work) {
        presence.action = Some(action);
        presence.seen = now;
    }
    let Some(action) = &presence.action else { return };
    let left = presence.seen + LINGER - now;
    if left <= 0.0 {
        presence.action = None;
        return;
    }
    let is_animated = ctx.global_style().animation_time > 0.0;
    if presence.seen < now {
        let wait = if is_animated { 0.0 } else { left };
        ctx.request_repaint_after(Duration::from_secs_f64(wait));
    }
    // While a card is open nobody else looks at the page, and the widget may move.
    if presence.seen == now {
        pling.shared().watch();
    }
    let fade = if is_animated { (left / LINGER) as f32 } else { 1.0 };
    let label = if is_yours { "Your turn" } else { "Assistant" };
    let label = format!("{label}: {}", visible_line(&action.description, 60));
    for (viewport, widget) in pling
        .shared()
        .places(&action.id, action.record.as_ref())
        .into_iter()
        .take(1)
    {
        outline(ctx, id.with("presence"), viewport, &widget, Some(&label), fade);
    }
}

/// Lets the user's input in the app come first; what they do in the panel, which is at `rect`, is none.
pub(super) fn give_way(ctx: &Context, pling: &Pling, rect: Rect, palette_is_open: bool) {
    let focused = ctx.memory(|memory| memory.focused());
    let at =
        focused.and_then(|id| ctx.viewport(|viewport| viewport.prev_pass.widgets.get(id).map(|widget| widget.rect)));
    let ours = ctx.input(|input| {
        let by_pointer = |event: &Event| matches!(event, Event::PointerButton { .. } | Event::MouseWheel { .. });
        match input.events.iter().any(by_pointer) {
            true => input.pointer.latest_pos().is_some_and(|pos| rect.contains(pos)),
            false => at.is_some_and(|at| rect.intersects(at)),
        }
    });
    pling.shared().give_way(ours || palette_is_open);
}

/// Draws a line around a widget, where it is now, with words above it.
pub(super) fn outline(
    ctx: &Context,
    id: Id,
    viewport: ViewportId,
    widget: &WidgetRef,
    label: Option<&str>,
    opacity: f32,
) {
    if viewport == ctx.viewport_id() {
        outline_at(ctx, id, widget.id, widget.layer, widget.interact_rect, label, opacity);
    }
}

/// [`outline`] of any widget.
pub(super) fn outline_at(
    ctx: &Context,
    id: Id,
    widget: Id,
    layer: LayerId,
    seen: Rect,
    label: Option<&str>,
    opacity: f32,
) {
    let now = ctx.viewport(|viewport| {
        viewport
            .prev_pass
            .widgets
            .get(widget)
            .map(|widget| widget.interact_rect)
    });
    let rect = now.unwrap_or(seen);
    if !rect.is_positive() {
        return;
    }
    let rect = match ctx.layer_transform_to_global(layer) {
        Some(transform) => transform * rect,
        None => rect,
    };
    let visuals = ctx.global_style().visuals.clone();
    let color = visuals.selection.stroke.color.gamma_multiply(opacity);
    let painter = ctx.layer_painter(LayerId::new(Order::Tooltip, id));
    let rect = rect.expand(3.0);
    painter.rect_stroke(rect, 4.0, Stroke::new(2.0, color), StrokeKind::Outside);
    let Some(label) = label else { return };
    let screen = ctx.content_rect();
    let galley = painter.layout_no_wrap(label.to_owned(), FontId::proportional(11.0), visuals.window_fill);
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
