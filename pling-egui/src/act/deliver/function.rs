//! Function tools, which are handed their arguments.

use egui::{Context, Response};
use pling_core::act::{Code, Operation, Refusal};
use tokio::sync::oneshot;

use super::{Aim, Outcome, Report, Route};
use crate::{
    act::{FunctionCall, FunctionReply},
    collect::SeenWidget,
};

/// The application takes the call where it declares the tool, and answers when it likes.
#[derive(Debug, Default)]
pub(super) struct Function {
    called: Option<oneshot::Receiver<FunctionReply>>,
}

impl Route for Function {
    fn waits(&self) -> bool {
        self.called.is_none()
    }

    fn has_acted(&self) -> bool {
        self.called.is_some()
    }

    fn meet(&mut self, _aim: &Aim, _widget: &SeenWidget, _response: &mut Response) -> Option<Outcome> {
        None
    }

    fn end_pass(&mut self, _ctx: &Context, _aim: &Aim, _report: &mut Report) -> Option<Outcome> {
        None
    }

    fn call(&mut self, aim: &Aim, widget: &SeenWidget) -> Option<Result<FunctionCall, Refusal>> {
        let Operation::Function(arguments) = &aim.operation else {
            return None;
        };
        if self.called.is_some() || widget.widget.is_some() {
            return None;
        }
        if let Some(reason) = &widget.requires {
            return Some(Err(Refusal::new(Code::Unavailable, reason).because("requires")));
        }
        let (reply, called) = oneshot::channel();
        self.called = Some(called);
        Some(Ok(FunctionCall {
            arguments: arguments.clone(),
            reply,
        }))
    }

    fn called(&mut self) -> Option<oneshot::Receiver<FunctionReply>> {
        self.called.take()
    }
}
