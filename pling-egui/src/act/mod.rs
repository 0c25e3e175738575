//! Carrying out what the executor asks for, inside passes.
//!
//! The [`Queue`] holds the jobs of the host, one at a time at its front. A job that has to touch the page lends
//! an [`Errand`] to the passes: declarations meet it on their way ([`crate::collect`]), it does its part exactly
//! there, and comes back when the pass ends. egui gates almost nothing that arrives as an accessibility
//! request, so every errand checks for itself, in the pass that delivers, that a user could do the same.

mod deliver;
mod find;
mod input;
mod queue;
mod reveal;
mod settle;

use egui::{Context, Id, Response, Ui, ViewportId};
use pling_core::model::RecordId;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

pub(crate) use deliver::Delivery;
pub(crate) use find::Find;
pub(crate) use input::is_keyboard;
pub(crate) use queue::{Answer, Job, Queue, Stage, Wanted};
pub(crate) use reveal::{Reveal, Scroll};

use crate::{
    collect::{Key, Pass, Registry, Scope, SeenSource, SeenWidget},
    declare::Record,
};

/// What has to be done to the page in the passes to come.
#[derive(Debug)]
pub(crate) enum Errand {
    /// Operates one widget.
    Deliver(Box<Delivery>),
    /// Brings something into view.
    Reveal(Reveal),
    /// Scrolls a region.
    Scroll(Scroll),
    /// Looks through sources.
    Find(Find),
}

impl Errand {
    /// The outermost pass begins.
    pub(crate) fn begin_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if let Self::Deliver(delivery) = self {
            delivery.begin_pass(ctx, viewport);
        }
    }

    /// A declared widget was just added.
    pub(crate) fn at_widget(&mut self, _pass: &Pass, widget: &SeenWidget, response: &mut Response) {
        match self {
            Self::Deliver(delivery) => delivery.at_widget(widget, response),
            Self::Reveal(reveal) => reveal.at_widget(widget, response),
            Self::Scroll(_) | Self::Find(_) => {}
        }
    }

    /// A function tool is declared. Returns the call that it shall carry out.
    pub(crate) fn at_function(&mut self, widget: &SeenWidget) -> Option<FunctionCall> {
        match self {
            Self::Deliver(delivery) => delivery.at_function(widget),
            Self::Reveal(_) | Self::Scroll(_) | Self::Find(_) => None,
        }
    }

    /// A declaration stands at `at`: whatever was put before it ends, what comes after it begins.
    pub(crate) fn at_hook(&mut self, ctx: &Context, viewport: ViewportId, at: Id) {
        if let Self::Deliver(delivery) = self {
            delivery.at_hook(ctx, viewport, at);
        }
    }

    /// A widget is about to be added here by its own declaration; `at` is the id it gets unless it has one of its own.
    pub(crate) fn at_own_hook(&mut self, ctx: &Context, viewport: ViewportId, key: &Key, at: Id, usable: bool) {
        if let Self::Deliver(delivery) = self {
            delivery.at_own_hook(ctx, viewport, key, at, usable);
        }
    }

    /// The record's own `Ui` is there.
    pub(crate) fn within_record(&mut self, pass: &Pass, ui: &Ui) {
        if let Self::Scroll(scroll) = self {
            scroll.within(&pass.nesting.path(), ui);
        }
    }

    /// A record or region ends.
    pub(crate) fn at_scope_end(&mut self, pass: &Pass, scope: &Scope, parent: &Ui, response: &Response) {
        match self {
            Self::Deliver(delivery) => delivery.at_scope_end(parent.ctx(), scope),
            Self::Reveal(reveal) => reveal.at_scope_end(&pass.nesting.path(), scope, response),
            Self::Scroll(scroll) => scroll.at_scope_end(scope, parent),
            Self::Find(_) => {}
        }
    }

    /// A table row ends.
    #[cfg(feature = "table")]
    pub(crate) fn at_row_end(&mut self, pass: &Pass, scope: &Scope, response: &Response) {
        match self {
            Self::Deliver(delivery) => delivery.at_scope_end(&response.ctx, scope),
            Self::Reveal(reveal) => reveal.at_scope_end(&pass.nesting.path(), scope, response),
            Self::Scroll(_) | Self::Find(_) => {}
        }
    }

    /// A source is declared: the errand may look through a slice of it.
    pub(crate) fn at_source(&mut self, source: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        match self {
            Self::Reveal(reveal) => reveal.at_source(source, record),
            Self::Find(find) => find.at_source(source, record),
            Self::Deliver(_) | Self::Scroll(_) => {}
        }
    }

    /// The application can find a row at once.
    pub(crate) fn index_of(&mut self, source: &str, find: impl FnOnce(&RecordId) -> Option<usize>) {
        if let Self::Reveal(reveal) = self {
            reveal.index_of(source, find);
        }
    }

    /// The row that the source shall scroll to.
    pub(crate) fn row_to_show(&self, source: &str) -> Option<usize> {
        match self {
            Self::Reveal(reveal) => reveal.row_to_show(source),
            _ => None,
        }
    }

    /// The outermost pass ends, kept or not.
    pub(crate) fn end_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if let Self::Deliver(delivery) = self {
            delivery.end_pass(ctx, viewport);
        }
    }

    /// A kept pass became facts.
    pub(crate) fn kept(&mut self, registry: &Registry, viewport: ViewportId) {
        match self {
            Self::Deliver(delivery) => delivery.kept(registry, viewport),
            Self::Reveal(reveal) => reveal.kept(registry),
            Self::Scroll(scroll) => scroll.kept(),
            Self::Find(find) => find.kept(),
        }
    }
}

/// A call of a function tool, on its way to the application.
#[derive(Debug)]
pub(crate) struct FunctionCall {
    pub(crate) arguments: Map<String, Value>,
    pub(crate) reply: oneshot::Sender<FunctionReply>,
}

/// What the application made of it. Dropped unanswered, the handler failed.
#[derive(Debug)]
pub(crate) enum FunctionReply {
    Finished(Value),
    Failed(String),
    /// The arguments do not fit the type.
    Invalid(String),
}
