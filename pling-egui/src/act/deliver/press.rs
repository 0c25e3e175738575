//! Buttons and links, triggered at their own declaration.

use egui::{Context, Event, InputState, PointerState, Popup, RawInput, Response, response::Flags};
use pling_core::act::{Code, Refusal};

use super::{Aim, Outcome, Report, Route, popup};
use crate::collect::{Kind, SeenWidget, is_free};

/// The response that `.tool()` returns says that it was clicked, once.
#[derive(Debug, Default)]
pub(super) struct Press {
    pressed: bool,
    /// The user's pointer, while a context menu asks for the place of the click.
    pointer: Option<Box<PointerState>>,
}

impl Route for Press {
    fn waits(&self) -> bool {
        !self.pressed
    }

    fn has_acted(&self) -> bool {
        self.pressed
    }

    fn meet(&mut self, aim: &Aim, seen: &SeenWidget, response: &mut Response) -> Option<Outcome> {
        let widget = seen.widget.as_ref()?;
        // Everything after that is hidden in a pass that the application gives up: the next one is shown.
        if self.pressed || response.ctx.will_discard() {
            return None;
        }
        let refused = if !widget.visible {
            Some(("hidden", "it is hidden"))
        } else if !is_free(&response.ctx, widget) {
            // Scrolled away or covered since the last pass: wait for facts of the next.
            return None;
        } else if seen.requires.is_some() {
            Some(("requires", seen.requires.as_deref().unwrap_or_default()))
        } else if !widget.enabled {
            Some(("disabled", "it is disabled"))
        } else {
            None
        };
        if let Some((reason, words)) = refused {
            return Some(Err(Refusal::new(Code::Unavailable, words).because(reason)));
        }
        self.pressed = true;
        if aim.seen.facts.kind == Kind::Secondary {
            // A long touch is a secondary click, and asks no pointer but for its place.
            response.flags |= Flags::LONG_TOUCHED;
            let there = pointer_at(response);
            let pointer = response
                .ctx
                .input_mut(|input| std::mem::replace(&mut input.pointer, there));
            self.pointer = Some(Box::new(pointer));
        } else {
            response.flags |= Flags::FAKE_PRIMARY_CLICKED;
        }
        None
    }

    fn after_widget(&mut self, ctx: &Context) {
        if let Some(pointer) = self.pointer.take() {
            ctx.input_mut(|input| input.pointer = *pointer);
        }
    }

    fn end_pass(&mut self, ctx: &Context, aim: &Aim, report: &mut Report) -> Option<Outcome> {
        let widget = aim.seen.widget.as_ref().filter(|_| self.pressed)?;
        let opened = aim.seen.facts.kind == Kind::Secondary && Popup::is_id_open(ctx, widget.id.with("popup"));
        report.from_outside = !opened;
        if !opened {
            popup::close_around(ctx, widget);
        }
        Some(Ok(()))
    }
}

/// A pointer that rests on the widget.
fn pointer_at(response: &Response) -> PointerState {
    let to_global = response.ctx.layer_transform_to_global(response.layer_id);
    let place = to_global.unwrap_or_default() * response.interact_rect.center();
    let input = RawInput {
        events: vec![Event::PointerMoved(place)],
        ..RawInput::default()
    };
    let options = response.ctx.options(|options| options.input_options);
    InputState::default().begin_pass(input, false, 1.0, options).pointer
}
