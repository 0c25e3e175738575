//! Text fields: the text replaced, then Enter or the next field where the handler waits for that.
//!
//! `lost_focus()` compares the focus with that at the begin of this pass and of the last. So the field is given the
//! focus between passes, and the user's own field gets it back before anything is drawn: the first one loses it,
//! and the other never sees that it was gone. Enter needs the field to have it while it is drawn; by then nothing
//! remembers that it was elsewhere.

use egui::{Context, Id, Response, text::CCursorRange, text_edit::TextEditState};
use pling_core::act::{Code, Operation, Refusal};
use serde_json::Value;

use super::{
    Aim, Outcome, Report, Route,
    offer::Offer,
    route::{became_unusable, is_usable},
};
use crate::{
    act::input::{self, Standing},
    collect::{SeenWidget, is_free},
};

/// One text, put in and perhaps sent off.
#[derive(Debug, Default)]
pub(super) struct Typing {
    stage: Stage,
    offer: Offer,
    enter: Standing,
    keyboard: Keyboard,
    /// Whether the field was the user's when the text came.
    was_in_use: bool,
}

#[derive(Debug, Default)]
enum Stage {
    /// For the pass in which the field turns up as it was.
    #[default]
    Waiting,
    /// The field took the text. At the end of the pass it is given the focus, where more follows.
    Set,
    /// It had the focus at the begin of this pass.
    Focused,
    /// In this pass it shall lose it: to Enter, or because it is elsewhere.
    Leaving,
    /// It did, or did not.
    Left(bool),
}

/// The keyboard focus, lent to a field.
#[derive(Debug, Default)]
struct Keyboard {
    /// Who has it.
    of_user: Option<Id>,
    /// The caret there.
    caret: Option<CCursorRange>,
}

impl Route for Typing {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting | Stage::Leaving)
    }

    fn has_acted(&self) -> bool {
        !matches!(self.stage, Stage::Waiting)
    }

    fn begin_pass(&mut self, ctx: &Context, aim: &Aim) {
        self.stage = match (&self.stage, self.keyboard.of_user) {
            (Stage::Set, Some(_)) => {
                self.keyboard.give_back(ctx);
                if aim.submits() { Stage::Focused } else { Stage::Leaving }
            }
            // Nobody misses it: the field has it for a whole pass, and loses it once.
            (Stage::Set, None) if aim.submits() => Stage::Leaving,
            (Stage::Set, None) => Stage::Focused,
            _ => return,
        };
    }

    fn arm(&mut self, ctx: &Context, aim: &Aim, id: Id) {
        let Some(widget) = &aim.seen.widget else { return };
        match (&self.stage, &aim.operation) {
            (Stage::Waiting, Operation::Type { text, .. }) if is_free(ctx, widget) => {
                self.was_in_use = ctx.memory(|memory| memory.has_focus(id));
                self.offer.make(ctx, id, input::set_text(id, text));
            }
            (Stage::Leaving, _) if aim.submits() => {
                ctx.memory_mut(|memory| memory.request_focus(widget.id));
                self.enter.put(ctx, input::enter());
            }
            _ => {}
        }
    }

    fn disarm(&mut self, ctx: &Context) {
        self.offer.end(ctx);
        self.enter.take_back(ctx);
    }

    fn meet(&mut self, _aim: &Aim, widget: &SeenWidget, response: &mut Response) -> Option<Outcome> {
        if matches!(self.stage, Stage::Leaving) {
            self.stage = Stage::Left(response.lost_focus());
        }
        if !self.offer.is_open() {
            return None;
        }
        match self.offer.meet(response) {
            // A field takes a text all the same.
            Ok(true) if response.changed() && !is_usable(widget, response) => return Some(Err(became_unusable())),
            Ok(true) if response.changed() => self.stage = Stage::Set,
            Ok(true) => {
                let message = "the field did not take the text";
                return Some(Err(Refusal::new(Code::NotDelivered, message)));
            }
            Ok(false) => {}
            Err(refusal) => return Some(Err(refusal)),
        }
        None
    }

    fn after_scope(&mut self, ctx: &Context) {
        // Enter may be asked for by the application until the end of the scope around the field.
        self.enter.take_back(ctx);
    }

    fn abandon(&mut self, ctx: &Context) {
        self.keyboard.give_back_for_good(ctx);
    }

    fn end_pass(&mut self, ctx: &Context, aim: &Aim, report: &mut Report) -> Option<Outcome> {
        if let Err(refusal) = self.offer.close(ctx) {
            return Some(Err(refusal));
        }
        let widget = aim.seen.widget.as_ref()?;
        match self.stage {
            Stage::Set => {
                self.read_back(ctx, aim, report);
                if !aim.takes_keyboard() {
                    return Some(Ok(()));
                }
                self.keyboard.take(ctx, widget.id);
                None
            }
            Stage::Focused => {
                self.stage = Stage::Leaving;
                self.keyboard.changed_hands(ctx, widget.id);
                match aim.submits() {
                    true => ctx.memory_mut(|memory| memory.request_focus(widget.id)),
                    false => self.keyboard.give_back(ctx),
                }
                None
            }
            Stage::Left(lost) => {
                self.keyboard.give_back_for_good(ctx);
                Some(match lost {
                    true => Ok(()),
                    false => Err(Refusal::new(
                        Code::NotDelivered,
                        "the text was set, and the field did not give up the keyboard as after Enter or Tab",
                    )),
                })
            }
            Stage::Waiting | Stage::Leaving => None,
        }
    }
}

impl Aim {
    fn submits(&self) -> bool {
        matches!(self.operation, Operation::Type { submit: true, .. })
    }
}

impl Typing {
    /// What the field took, when that is not what was asked: texts are cut.
    fn read_back(&self, ctx: &Context, aim: &Aim, report: &mut Report) {
        let Operation::Type { text, .. } = &aim.operation else {
            return;
        };
        let mut words = Vec::new();
        if self.was_in_use {
            words.push("the user had the caret in the field; what they had typed was replaced");
        }
        if let Some(Value::String(took)) = aim.value_now(ctx)
            && took != *text
        {
            words.push(if took.chars().count() < text.chars().count() {
                "the field cut the text"
            } else {
                "the field took the text differently: a line break in a single line becomes a space"
            });
            report.value = Some(took.into());
        }
        report.warning = (!words.is_empty()).then(|| words.join("; "));
    }
}

impl Keyboard {
    /// From here to the begin of the next pass `field` has it.
    fn take(&mut self, ctx: &Context, field: Id) {
        self.of_user = ctx.memory(|memory| memory.focused()).filter(|id| *id != field);
        let state = self.of_user.and_then(|id| TextEditState::load(ctx, id));
        self.caret = state.and_then(|state| state.cursor.char_range());
        ctx.memory_mut(|memory| memory.request_focus(field));
    }

    /// Nothing of this pass was drawn yet, or all of it.
    fn give_back(&self, ctx: &Context) {
        ctx.memory_mut(|memory| match (self.of_user, memory.focused()) {
            (Some(id), _) => memory.request_focus(id),
            (None, Some(field)) => memory.surrender_focus(field),
            (None, None) => {}
        });
    }

    /// The user, or the application, put the focus elsewhere meanwhile.
    fn changed_hands(&mut self, ctx: &Context, field: Id) {
        let now = ctx.memory(|memory| memory.focused()).filter(|id| *id != field);
        if now.is_some() && now != self.of_user {
            self.of_user = now;
            self.caret = None;
        }
    }

    /// The end: caret and selection as they were.
    fn give_back_for_good(&mut self, ctx: &Context) {
        let Some(id) = self.of_user.take() else { return };
        ctx.memory_mut(|memory| memory.request_focus(id));
        if let (Some(caret), Some(mut state)) = (self.caret.take(), TextEditState::load(ctx, id)) {
            state.cursor.set_char_range(Some(caret));
            state.store(ctx, id);
        }
    }
}
