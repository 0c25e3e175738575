//! Delivering one operation to one widget.
//!
//! A [`Delivery`] knows where in a pass its widget stands and when it is over; a [`Route`] knows how a widget of
//! one kind is operated:
//!
//! - [`press`]: a button or link is triggered at its own declaration, by the response that `.tool()` returns.
//!   Nothing else can be hit.
//! - [`request`]: a widget that handles its input itself gets an accessibility request. The request exists only
//!   between the declaration right before the widget (or the begin of its record or region) and the widget's own.
//!   It is only made when that place has the same id as in the last pass: then nothing declared before it moved.
//!   Where `Ui::tool` adds the widget, nothing at all can come between.
//! - [`text`]: the same, and then Enter or the next field, with the keyboard lent to the field.
//! - [`choose`]: the same, and then an item of the list that opened.
//! - [`function`]: a function tool is handed its arguments where it is declared.
//!
//! A widget acknowledges by reporting the click or change in that very pass. What is not acknowledged is
//! taken back and reported, never assumed.

mod aim;
mod choose;
mod function;
mod offer;
mod popup;
mod press;
mod request;
mod route;
mod text;

use egui::{Context, Id, Response, ViewportId};
use pling_core::act::{Code, Operation, Refusal};
use tokio::sync::oneshot;

pub(crate) use self::route::Report;
use self::{
    aim::{Aim, admit},
    route::{Outcome, Route},
};
use super::{FunctionCall, FunctionReply};
use crate::collect::{Key, Registry, Scope, SeenWidget, WidgetRef};

/// Passes in which the widget may fail to turn up as it was, before the delivery is given up.
const ATTEMPTS: u32 = 5;

/// One operation on its way to one widget.
#[derive(Debug)]
pub(crate) struct Delivery {
    aim: Aim,
    route: Box<dyn Route>,
    /// Where the widget was met in the pass under way.
    met: Option<Id>,
    /// The last declaration of the pass under way that stands before the widget; `None` at its begin.
    place: Option<Id>,
    /// The same in the last pass. What a container shows is declared after its header and before the header is.
    learned: Option<Option<Id>>,
    /// Whether another widget of the pass under way has the same id, by mistake or because it moved.
    clash: bool,
    attempts: u32,
    report: Report,
    outcome: Option<Outcome>,
}

/// How a delivery ended.
#[derive(Debug)]
pub(crate) enum Delivered {
    /// The widget reported the click or change.
    Acknowledged(Report),
    /// The application has the call and will answer.
    Called(oneshot::Receiver<FunctionReply>),
    /// Nothing was done, or it was not acknowledged.
    Refused(Refusal),
}

impl Delivery {
    /// Plans an operation on a widget as it was seen last.
    pub(crate) fn plan(key: Key, operation: Operation, registry: &Registry) -> Result<Self, Refusal> {
        let aim = Aim::at(key, operation, registry)?;
        let route = aim.route(registry.shares_id(&aim.seen))?;
        let mut report = Report::default();
        let outcome = aim.already(&mut report).then_some(Ok(()));
        Ok(Self {
            aim,
            route,
            met: None,
            place: None,
            learned: None,
            clash: false,
            attempts: 0,
            report,
            outcome,
        })
    }

    /// The window that the widget is in.
    pub(crate) fn viewport(&self) -> ViewportId {
        self.aim.seen.viewport
    }

    /// Whether the keyboard must not reach the application in the next pass: it would go to the wrong field.
    pub(crate) fn holds_keyboard(&self) -> bool {
        self.outcome.is_none() && self.aim.takes_keyboard()
    }

    /// Whether anything reached the application.
    pub(crate) fn has_acted(&self) -> bool {
        match &self.outcome {
            Some(outcome) => outcome.is_ok(),
            None => self.route.has_acted(),
        }
    }

    /// The end, once there is one.
    pub(crate) fn outcome(mut self: Box<Self>) -> Result<Delivered, Box<Self>> {
        if let Some(called) = self.route.called() {
            return Ok(Delivered::Called(called));
        }
        match self.outcome {
            Some(Ok(())) => Ok(Delivered::Acknowledged(self.report)),
            Some(Err(refusal)) => Ok(Delivered::Refused(refusal)),
            None => Err(self),
        }
    }

    /// Whether its place is in this viewport, and it is not over.
    fn is_here(&self, viewport: ViewportId) -> bool {
        viewport == self.aim.seen.viewport && self.outcome.is_none()
    }

    /// The declaration right before the widget.
    fn before(&self) -> Option<Id> {
        let seen = || self.aim.seen.widget.as_ref().and_then(|widget| widget.before);
        self.learned.unwrap_or_else(seen)
    }

    fn conclude(&mut self, outcome: Option<Outcome>) {
        if outcome.is_some() {
            self.outcome = outcome;
        }
    }

    pub(crate) fn begin_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if !self.is_here(viewport) {
            return;
        }
        self.met = None;
        self.place = None;
        self.clash = false;
        self.route.begin_pass(ctx, &self.aim);
        let before = self.before();
        match &self.aim.seen.widget {
            // The ids of a window's title are made of its own: nothing else can have them.
            Some(_) if let Some(part) = self.aim.seen.facts.part => self.arm(ctx, part.id),
            &Some(WidgetRef { id, own: false, .. }) if before.is_none() => self.arm(ctx, id),
            _ => {}
        }
    }

    /// The place right before the widget. A pass that the application has given up already shows nothing usable.
    fn arm(&mut self, ctx: &Context, id: Id) {
        if !ctx.will_discard() {
            self.route.arm(ctx, &self.aim, id);
        }
    }

    pub(crate) fn at_hook(&mut self, ctx: &Context, viewport: ViewportId, at: Id) {
        if !self.is_here(viewport) || self.met == Some(at) {
            return;
        }
        if self.met.is_some() {
            self.route.after_widget(ctx);
            return;
        }
        if self.aim.seen.facts.part.is_some() {
            return;
        }
        // The widget itself may be declared as a field or message before it is declared as a tool.
        if self.aim.seen.widget.as_ref().is_none_or(|widget| widget.id != at) {
            self.route.disarm(ctx);
        }
        let before = self.before();
        let Some(WidgetRef { id, own: false, .. }) = self.aim.seen.widget else {
            return;
        };
        if !is_drawn(ctx, id) {
            self.place = Some(at);
        }
        if before == Some(at) {
            self.arm(ctx, id);
        }
    }

    /// `Ui::tool` is about to add a widget declared by this key: the one that is aimed at, or another.
    pub(crate) fn at_own_hook(&mut self, ctx: &Context, viewport: ViewportId, key: &Key, at: Id, usable: bool) {
        if !self.is_here(viewport) || self.met.is_some() || *key != self.aim.key || !usable {
            return;
        }
        let Some(WidgetRef {
            id, before, own: true, ..
        }) = self.aim.seen.widget
        else {
            return;
        };
        if before == Some(id) {
            // It takes whatever id is next.
            self.arm(ctx, at);
        } else if before == Some(at) {
            self.arm(ctx, id);
        }
    }

    pub(crate) fn at_widget(&mut self, widget: &SeenWidget, response: &mut Response) {
        if !self.is_here(response.ctx.viewport_id()) {
            return;
        }
        if widget.key != self.aim.key {
            let same_id = |seen: &WidgetRef| seen.id == response.id;
            self.clash |= self.aim.seen.widget.as_ref().is_some_and(same_id);
            return;
        }
        self.met = Some(response.id);
        if let Some(seen) = &mut self.aim.seen.widget {
            seen.id = response.id;
        }
        if self.aim.shows_content() && !self.clash {
            self.learned = Some(self.place);
        }
        let outcome = self.route.meet(&self.aim, widget, response);
        self.conclude(outcome);
    }

    pub(crate) fn at_function(&mut self, widget: &SeenWidget) -> Option<FunctionCall> {
        if self.outcome.is_some() || widget.key != self.aim.key {
            return None;
        }
        match self.route.call(&self.aim, widget)? {
            Ok(call) => Some(call),
            Err(refusal) => {
                self.outcome = Some(Err(refusal));
                None
            }
        }
    }

    pub(crate) fn at_scope_end(&mut self, ctx: &Context, scope: &Scope) {
        // Not one in a window inside.
        if ctx.viewport_id() != self.aim.seen.viewport {
            return;
        }
        let key = &self.aim.key;
        let around = match scope {
            Scope::Region { path, .. } => *path == key.region,
            Scope::Record { id, .. } => key.record.as_ref() == Some(id),
        };
        if around {
            self.leave(ctx);
        }
    }

    /// Nothing of ours stands behind this.
    fn leave(&mut self, ctx: &Context) {
        if self.met.is_none() {
            self.route.disarm(ctx);
        }
        self.route.after_widget(ctx);
        self.route.after_scope(ctx);
    }

    pub(crate) fn end_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if viewport != self.aim.seen.viewport {
            return;
        }
        self.leave(ctx);
        let outcome = self.route.end_pass(ctx, &self.aim, &mut self.report);
        if self.outcome.is_none() {
            self.conclude(outcome);
        }
        if self.route.waits() {
            self.attempts += 1;
        }
        if self.attempts > ATTEMPTS && self.outcome.is_none() {
            self.route.abandon(ctx);
            let message = format!("the widget did not turn up in {ATTEMPTS} passes as it was seen before");
            self.outcome = Some(Err(Refusal::new(Code::NotDelivered, message)));
        }
    }

    /// A kept pass became facts: the widget may have moved, or become unusable.
    pub(crate) fn kept(&mut self, registry: &Registry, viewport: ViewportId) {
        if !self.is_here(viewport) {
            return;
        }
        match admit(&self.aim.key, registry) {
            Ok(seen) => {
                self.aim.seen = seen;
                // The user was there first, or it reacted and nobody saw that.
                if !self.route.has_acted() && self.aim.already(&mut self.report) {
                    self.report.warning = Some("it came to be as asked; whether by this call was not seen".to_owned());
                    self.outcome = Some(Ok(()));
                    return;
                }
                let outcome = self.route.kept(&self.aim, &mut self.report);
                self.conclude(outcome);
            }
            Err(refusal) if !self.route.has_acted() => self.outcome = Some(Err(refusal)),
            // Something was done already; whether the rest can follow shows at the widget.
            Err(_) => {
                let outcome = self.route.gone();
                self.conclude(outcome);
            }
        }
    }
}

/// Whether a widget of this id was drawn in the pass under way.
fn is_drawn(ctx: &Context, id: Id) -> bool {
    ctx.viewport(|viewport| viewport.this_pass.widgets.contains(id))
}
