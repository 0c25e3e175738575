//! Carrying out what the executor asks for, inside passes.
//!
//! The [`Queue`] holds the jobs of the host, one at a time at its front. A job that has to touch the page lends
//! an [`Errand`] to the passes: declarations meet it on their way ([`crate::collect`]), it does its part exactly
//! there, and comes back when the pass ends. egui gates almost nothing that arrives as an accessibility
//! request, so every errand checks for itself, in the pass that delivers, that a user could do the same.

mod deliver;
mod find;
mod input;
mod lookup;
mod operate;
mod queue;
mod reveal;
mod scroll;
mod settle;
mod user;

use egui::{Context, Id, Rect, Response, Ui, ViewportId};
use pling_core::model::RecordId;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

pub(crate) use deliver::Delivery;
pub(crate) use find::{Find, FindAll};
pub(crate) use input::is_keyboard;
pub(crate) use lookup::Lookup;
pub(crate) use operate::{Answer, Operate};
pub(crate) use queue::{Job, Look, Page, Queue, Reply, Wanted, Windows};
pub(crate) use reveal::{Reveal, Show};
pub(crate) use scroll::{Scroll, ScrollTo};
pub(crate) use settle::Rest;
pub(crate) use user::UserAtWork;

use crate::{
    collect::{Key, Pass, Scope, SeenSource, SeenWidget},
    declare::Record,
};

/// What has to be done to the page in the passes to come.
#[derive(Debug)]
pub(crate) enum Errand {
    /// Operates one widget, in a row that stays where it is meanwhile.
    Deliver(Box<Delivery>, Option<Lookup>),
    /// Brings something into view.
    Reveal(Reveal),
    /// Scrolls a region.
    Scroll(Scroll),
    /// Looks through sources.
    Find(Find),
}

impl Errand {
    /// A pass begins.
    pub(crate) fn begin_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        match self {
            Self::Deliver(delivery, _) => delivery.begin_pass(ctx, viewport),
            Self::Reveal(reveal) => reveal.begin_pass(),
            Self::Find(find) => find.begin_pass(),
            Self::Scroll(_) => {}
        }
    }

    /// A declared widget was just added.
    pub(crate) fn at_widget(&mut self, _pass: &Pass, widget: &SeenWidget, response: &mut Response) {
        match self {
            Self::Deliver(delivery, _) => delivery.at_widget(widget, response),
            Self::Reveal(reveal) => reveal.at_widget(widget, response),
            Self::Scroll(_) | Self::Find(_) => {}
        }
    }

    /// A function tool is declared. Returns the call that it shall carry out.
    pub(crate) fn at_function(&mut self, widget: &SeenWidget) -> Option<FunctionCall> {
        match self {
            Self::Deliver(delivery, _) => delivery.at_function(widget),
            Self::Reveal(_) | Self::Scroll(_) | Self::Find(_) => None,
        }
    }

    /// A declaration stands at `at`: whatever was put before it ends, what comes after it begins.
    pub(crate) fn at_hook(&mut self, ctx: &Context, viewport: ViewportId, at: Id) {
        if let Self::Deliver(delivery, _) = self {
            delivery.at_hook(ctx, viewport, at);
        }
    }

    /// A widget is about to be added here by its own declaration; `at` is the id it gets unless it has one of its own.
    pub(crate) fn at_own_hook(&mut self, ctx: &Context, viewport: ViewportId, key: &Key, at: Id, usable: bool) {
        if let Self::Deliver(delivery, _) = self {
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
            Self::Deliver(delivery, _) => delivery.at_scope_end(parent.ctx(), scope),
            Self::Reveal(reveal) => {
                reveal.at_scope(&pass.nesting.path(), scope, response);
                reveal.at_scope_end(scope, parent, response);
            }
            Self::Scroll(scroll) => scroll.at_scope_end(scope, parent),
            Self::Find(_) => {}
        }
    }

    /// A table row ends.
    #[cfg(feature = "table")]
    pub(crate) fn at_row_end(&mut self, pass: &Pass, scope: &Scope, response: &Response) {
        match self {
            Self::Deliver(delivery, _) => delivery.at_scope_end(&response.ctx, scope),
            Self::Reveal(reveal) => reveal.at_scope(&pass.nesting.path(), scope, response),
            Self::Scroll(_) | Self::Find(_) => {}
        }
    }

    /// A scroll area of Pling's own ends.
    pub(crate) fn at_rows_end(&mut self, source: &SeenSource, parent: &Ui, area: Rect) {
        if let Self::Reveal(reveal) = self
            && reveal.lookup().is_none_or(|lookup| lookup.row_in(source).is_some())
        {
            reveal.around(parent, area);
        }
    }

    /// A source is declared: the errand may look through a slice of it.
    pub(crate) fn at_source(&mut self, source: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        if let Self::Find(find) = self {
            find.at_source(source, record);
        } else if let Some(lookup) = self.lookup_mut() {
            lookup.at_source(source, record);
        }
    }

    /// The application can find a row at once.
    pub(crate) fn index_of(&mut self, source: &SeenSource, find: impl FnOnce(&RecordId) -> Option<usize>) {
        if let Some(lookup) = self.lookup_mut() {
            lookup.index_of(source, find);
        }
    }

    /// The row that the source shall scroll to.
    pub(crate) fn row_to_show(&self, source: &SeenSource) -> Option<usize> {
        let lookup = match self {
            Self::Deliver(_, lookup) => lookup.as_ref(),
            Self::Reveal(reveal) => reveal.lookup(),
            Self::Scroll(_) | Self::Find(_) => None,
        };
        lookup?.row_in(source)
    }

    fn lookup_mut(&mut self) -> Option<&mut Lookup> {
        match self {
            Self::Deliver(_, lookup) => lookup.as_mut(),
            Self::Reveal(reveal) => reveal.lookup_mut(),
            Self::Scroll(_) | Self::Find(_) => None,
        }
    }

    /// A pass ends, kept or not.
    pub(crate) fn end_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if let Self::Deliver(delivery, _) = self {
            delivery.end_pass(ctx, viewport);
        }
    }

    /// A kept pass became facts.
    pub(crate) fn kept(&mut self, page: &Page<'_>) {
        match self {
            Self::Deliver(delivery, _) => delivery.kept(page.registry, page.viewport),
            Self::Reveal(reveal) => reveal.kept(page),
            Self::Scroll(scroll) => scroll.kept(page),
            Self::Find(find) => find.kept(page),
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
