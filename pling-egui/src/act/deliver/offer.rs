//! A request that stands before a widget.

use egui::{Context, Event, Id, Response};
use pling_core::act::{Code, Refusal};

use super::is_drawn;
use crate::act::input::Standing;

/// A request that stands before the widget of one id, until the next declaration. That may be one inside the
/// widget, such as an item of the menu that it opens; so who had it shows only at the widget's own declaration.
#[derive(Debug, Default)]
pub(super) struct Offer {
    standing: Standing,
    id: Option<Id>,
}

impl Offer {
    /// Makes the request, unless something of this id is there already.
    pub(super) fn make(&mut self, ctx: &Context, id: Id, event: Event) {
        if !self.is_open() && !is_drawn(ctx, id) {
            self.standing.put(ctx, event);
            self.id = Some(id);
        }
    }

    /// Whether it was made and is not answered yet.
    pub(super) fn is_open(&self) -> bool {
        self.id.is_some()
    }

    /// The place ended. Nobody had it when nothing of its id was drawn.
    pub(super) fn end(&mut self, ctx: &Context) {
        self.standing.take_back(ctx);
        self.id = self.id.filter(|id| is_drawn(ctx, *id));
    }

    /// The widget itself. Whether it was the one that had the request.
    pub(super) fn meet(&mut self, response: &Response) -> Result<bool, Refusal> {
        if self.id == Some(response.id) {
            self.answered(&response.ctx);
            return Ok(true);
        }
        self.close(&response.ctx).map(|()| false)
    }

    /// It is answered.
    pub(super) fn answered(&mut self, ctx: &Context) {
        self.standing.take_back(ctx);
        self.id = None;
    }

    /// The pass ends. An undeclared widget came between where something took the request and the widget was not
    /// that.
    pub(super) fn close(&mut self, ctx: &Context) -> Result<(), Refusal> {
        self.end(ctx);
        match self.id.take() {
            None => Ok(()),
            Some(_) => {
                let message =
                    "the widgets moved: another one stood in its place in that very pass and may have reacted";
                Err(Refusal::new(Code::NotDelivered, message))
            }
        }
    }
}
