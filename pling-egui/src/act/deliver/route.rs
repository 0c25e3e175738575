//! How a widget of one kind is operated.

use std::fmt;

use egui::{Context, Id, Response};
use pling_core::act::{Code, Refusal};
use serde_json::Value;
use tokio::sync::oneshot;

use super::Aim;
use crate::{
    act::{FunctionCall, FunctionReply},
    collect::SeenWidget,
};

pub(super) type Outcome = Result<(), Refusal>;

/// How a widget of one kind is operated: what happens where in a pass. `Some` ends the delivery.
pub(super) trait Route: fmt::Debug + Send {
    /// Whether it still waits for its widget.
    fn waits(&self) -> bool;

    /// Whether anything reached the application.
    fn has_acted(&self) -> bool;

    /// The pass of the widget's viewport begins.
    fn begin_pass(&mut self, _ctx: &Context, _aim: &Aim) {}

    /// The place right before the widget, which will have the id `id` if nothing comes between.
    fn arm(&mut self, _ctx: &Context, _aim: &Aim, _id: Id) {}

    /// The place ended, and the widget was not met.
    fn disarm(&mut self, _ctx: &Context) {}

    /// The widget itself.
    fn meet(&mut self, aim: &Aim, widget: &SeenWidget, response: &mut Response) -> Option<Outcome>;

    /// The next declaration after the widget, or the end of the pass.
    fn after_widget(&mut self, _ctx: &Context) {}

    /// The end of the record or region around the widget, or of the pass.
    fn after_scope(&mut self, _ctx: &Context) {}

    /// The pass ends; nothing of ours stands in its input any more.
    fn end_pass(&mut self, ctx: &Context, aim: &Aim, report: &mut Report) -> Option<Outcome>;

    /// The pass was kept and `aim` shows its facts.
    fn kept(&mut self, _aim: &Aim, _report: &mut Report) -> Option<Outcome> {
        None
    }

    /// Something reached the application, and a kept pass shows that the widget cannot be operated any more.
    fn gone(&mut self) -> Option<Outcome> {
        None
    }

    /// It is given up.
    fn abandon(&mut self, _ctx: &Context) {}

    /// A function tool is declared.
    fn call(&mut self, _aim: &Aim, _widget: &SeenWidget) -> Option<Result<FunctionCall, Refusal>> {
        None
    }

    /// Where the application will answer, once it has the call.
    fn called(&mut self) -> Option<oneshot::Receiver<FunctionReply>> {
        None
    }
}

/// Whether a user could operate a widget as it is drawn in the pass under way.
pub(super) fn is_usable(widget: &SeenWidget, response: &Response) -> bool {
    response.visible() && response.enabled() && widget.requires.is_none()
}

/// A widget that reacted, and could not be operated by a user any more.
pub(super) fn became_unusable() -> Refusal {
    Refusal::new(Code::NotDelivered, "it became unusable in that very pass")
}

/// What the caller should know of an operation that reached its widget.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) value: Option<Value>,
    pub(crate) warning: Option<String>,
    /// Whether only the code after the declaration could react: a widget that handles the click itself did not.
    pub(crate) from_outside: bool,
}
