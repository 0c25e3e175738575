//! Where the assistant is at work: an outline and a label on the widget that is about to be operated, or that waits
//! for the user's own step.
//!
//! The outline follows the widget while it is drawn, in whatever window that is, takes no input, and covers nothing
//! for the agent.

use egui::{Context, Event, Rect};
use pling_core::{
    act::{ActionRef, Origin},
    platform::Duration,
};

use super::{desk::Desk, outline::Outline, strings::Strings, visible::visible_line};
use crate::Pling;

/// Seconds for which the outline stays when the call is over, so that it can be seen at all.
const LINGER: f64 = 0.7;

/// What was outlined last.
#[derive(Debug, Default)]
pub(super) struct Presence {
    action: Option<ActionRef>,
    label: String,
    /// When it was last under way, in egui's seconds.
    seen: f64,
}

/// Draws the outline.
pub(super) fn presence_ui(ctx: &Context, pling: &Pling, desk: &mut Desk) {
    let now = ctx.input(|input| input.time);
    let presence = &mut desk.presence;
    let card = pling.session().waiting_for().into_iter().next();
    let is_yours = card.as_ref().is_some_and(|card| card.handoff.is_some());
    let waiting = card.map(|card| (card.action, card.origin));
    if let Some((action, origin)) = waiting.or_else(|| pling.transcript().at_work()) {
        presence.label = label(pling.say(), &action, &origin, is_yours);
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
    let places = pling.shared().places(&action.id, action.record.as_ref());
    let place = places.into_iter().next();
    if presence.seen < now {
        let wait = Duration::from_secs_f64(if is_animated { 0.0 } else { left });
        ctx.request_repaint_after(wait);
    }
    // While a card is open nobody else looks at the page, and the widget may move.
    if presence.seen == now {
        pling.shared().watch();
    }
    let opacity = if is_animated { (left / LINGER) as f32 } else { 1.0 };
    if let Some((viewport, widget)) = place {
        let outline = Outline::of(viewport, &widget).labeled(&presence.label).fading(opacity);
        pling.shared().outline(ctx, outline);
    }
}

/// Who is at it, and what it is.
fn label(say: &Strings, action: &ActionRef, origin: &Origin, is_yours: bool) -> String {
    let words = visible_line(&action.description, 60);
    match origin {
        _ if is_yours => say.at_work_turn(&words),
        Origin::Assistant => say.at_work_assistant(&words),
        Origin::User => say.at_work_you(&words),
        _ => say.at_work_other(&words),
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
    pling.shared().give_way(ctx.viewport_id(), ours || palette_is_open);
}
