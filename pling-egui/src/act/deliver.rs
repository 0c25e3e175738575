//! Delivering one operation to one widget.
//!
//! Three ways, by what the widget is:
//!
//! - A button or link is triggered at its own declaration: the response that `.tool()` returns says it was
//!   clicked. Nothing else can be hit.
//! - A widget that handles its input itself gets an accessibility request. The request exists only between
//!   the declaration right before the widget (or the begin of its record or region) and the widget's own.
//!   It is only made when that place has the same id as in the last pass: then nothing before it moved, and
//!   the id of the widget is still its own. Otherwise the next pass is waited for.
//! - A function tool is handed its arguments where it is declared.
//!
//! A widget acknowledges by reporting the click or change in that very pass. What is not acknowledged is
//! taken back and reported, never assumed.

use egui::{Context, Event, Id, Popup, Response, ViewportId, output::OutputEvent, response::Flags};
use pling_core::{
    act::{Code, Operation, Refusal},
    snapshot::Availability,
};
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::{FunctionCall, FunctionReply, input};
use crate::collect::{Key, Kind, LastSeen, Registry, Scope, SeenWidget, is_free, read_widget, tidy};

/// Passes in which the widget may fail to turn up as it was, before the delivery is given up.
const ATTEMPTS: u32 = 5;
/// Passes that a popup may take to show its items.
const POPUP_PASSES: u32 = 10;

/// One operation on its way to one widget.
#[derive(Debug)]
pub(crate) struct Delivery {
    key: Key,
    operation: Operation,
    /// How the widget was seen in the last kept pass.
    seen: LastSeen,
    stage: Stage,
    /// Requests that stand in the input of the pass under way.
    standing: Vec<Event>,
    /// Who had the keyboard before; `None` while it was not taken.
    focus_before: Option<Option<Id>>,
    attempts: u32,
    report: Report,
}

/// What the caller should know of an operation that reached its widget.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub(crate) value: Option<Value>,
    pub(crate) warning: Option<String>,
}

#[derive(Debug)]
enum Stage {
    /// For the pass in which the widget turns up as it was.
    Waiting,
    /// A request stands before the widget.
    Armed,
    /// The text is in, Enter follows when this many passes have ended.
    Typed { rest: u32 },
    /// Enter stands before the widget.
    Entering,
    /// The popup is open, its items are awaited.
    Opened { passes: u32 },
    /// The item is known and gets its click in the next pass.
    Found { item: Id, choice: String },
    /// The item's click stands.
    Picking { choice: String },
    /// The application has the call.
    Called(oneshot::Receiver<FunctionReply>),
    /// It is over.
    Done(Result<(), Refusal>),
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
        let seen = admit(&key, registry)?;
        let mut delivery = Self {
            key,
            operation,
            seen,
            stage: Stage::Waiting,
            standing: Vec::new(),
            focus_before: None,
            attempts: 0,
            report: Report::default(),
        };
        delivery.check_route()?;
        Ok(delivery)
    }

    /// The window that the widget is in.
    pub(crate) fn viewport(&self) -> ViewportId {
        self.seen.viewport
    }

    /// Whether the keyboard must not reach the application in the next pass: it would go to the wrong field.
    pub(crate) fn holds_keyboard(&self) -> bool {
        matches!(self.operation, Operation::Type { submit: true, .. }) && !matches!(self.stage, Stage::Done(_))
    }

    /// Whether anything reached the application.
    pub(crate) fn has_acted(&self) -> bool {
        !matches!(self.stage, Stage::Waiting | Stage::Armed | Stage::Done(Err(_)))
    }

    /// The end, once there is one.
    pub(crate) fn outcome(self: Box<Self>) -> Result<Delivered, Box<Self>> {
        match self.stage {
            Stage::Done(Ok(())) => Ok(Delivered::Acknowledged(self.report)),
            Stage::Done(Err(refusal)) => Ok(Delivered::Refused(refusal)),
            Stage::Called(reply) => Ok(Delivered::Called(reply)),
            _ => Err(self),
        }
    }

    /// Whether there is a way to do this to such a widget; and whether there is anything to do.
    fn check_route(&mut self) -> Result<(), Refusal> {
        let fits = match (&self.operation, self.seen.facts.kind) {
            (Operation::Function(_), _) => self.seen.widget.is_none(),
            (_, _) if self.seen.widget.is_none() => false,
            (Operation::Click, Kind::Press | Kind::Pick | Kind::Toggle | Kind::Disclosure) => true,
            (Operation::Toggle(_), Kind::Toggle | Kind::Pick) | (Operation::Expand(_), Kind::Disclosure) => true,
            (Operation::Type { .. }, Kind::Text { .. }) => true,
            (Operation::SetNumber(_), Kind::Number) | (Operation::Choose(_), Kind::Combo) => true,
            _ => false,
        };
        if !fits {
            let message = format!("this widget offers no way to {} it", verb(&self.operation));
            return Err(Refusal::new(Code::Unsupported, message));
        }
        if self.seen.inline && self.by_request() {
            let message = "its record is declared inline, where only buttons and links can be operated";
            return Err(Refusal::new(Code::Unsupported, message));
        }
        if self.already() {
            self.stage = Stage::Done(Ok(()));
        }
        Ok(())
    }

    /// Whether the widget handles its input itself.
    fn by_request(&self) -> bool {
        !matches!(self.operation, Operation::Function(_)) && self.seen.facts.kind != Kind::Press
    }

    /// Whether the widget already is as asked; says so in the report.
    fn already(&mut self) -> bool {
        let value = self.seen.facts.value.as_ref();
        match &self.operation {
            Operation::Toggle(Some(wanted)) | Operation::Expand(Some(wanted)) => {
                if value.and_then(Value::as_bool) != Some(*wanted) {
                    return false;
                }
                self.report.warning = Some("it already was as asked; nothing was done".to_owned());
                true
            }
            Operation::SetNumber(wanted) => {
                let (min, max) = self.seen.facts.range;
                let within = wanted
                    .max(min.unwrap_or(f64::NEG_INFINITY))
                    .min(max.unwrap_or(f64::INFINITY));
                if value.and_then(Value::as_f64) != Some(within) {
                    return false;
                }
                self.report.warning = Some(if within == *wanted {
                    "it already was as asked; nothing was done".to_owned()
                } else {
                    self.report.value = Some(tidy(within));
                    format!("out of range; it already is at its limit {}", tidy(within))
                });
                true
            }
            _ => false,
        }
    }

    /// The request for the widget's own id.
    fn request(&self, id: Id) -> Vec<Event> {
        match &self.operation {
            Operation::Type { text, .. } => vec![input::set_text(id, text)],
            Operation::SetNumber(number) => vec![input::set_number(id, *number)],
            _ => vec![input::click(id)],
        }
    }

    pub(crate) fn begin_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if viewport != self.seen.viewport {
            return;
        }
        if let Stage::Found { item, choice } = &self.stage {
            self.standing = vec![input::click(*item)];
            input::push(ctx, &self.standing);
            self.stage = Stage::Picking { choice: choice.clone() };
        } else if self.seen.widget.as_ref().is_some_and(|widget| widget.before.is_none()) {
            self.arm(ctx);
        }
    }

    pub(crate) fn at_hook(&mut self, ctx: &Context, viewport: ViewportId, at: Id) {
        // The widget itself may be declared as a field or message before it is declared as a tool.
        let is_own = self.seen.widget.as_ref().is_some_and(|widget| widget.id == at);
        if matches!(self.stage, Stage::Armed) && !is_own {
            self.take_back(ctx);
            self.stage = Stage::Waiting;
        }
        let before = self.seen.widget.as_ref().and_then(|widget| widget.before);
        if viewport == self.seen.viewport && before == Some(at) {
            self.arm(ctx);
        }
    }

    /// Puts the request before the widget, if a user could operate the widget now.
    fn arm(&mut self, ctx: &Context) {
        let Some(widget) = self.seen.widget.clone() else { return };
        match self.stage {
            Stage::Waiting if self.by_request() => {
                if !is_free(ctx, &widget) {
                    return;
                }
                if matches!(self.operation, Operation::Choose(_)) && Popup::is_id_open(ctx, widget.id.with("popup")) {
                    self.stage = Stage::Opened { passes: 0 };
                    return;
                }
                if matches!(self.operation, Operation::Type { submit: true, .. }) {
                    self.focus_before
                        .get_or_insert_with(|| ctx.memory(|memory| memory.focused()));
                    ctx.memory_mut(|memory| memory.request_focus(widget.id));
                }
                self.standing = self.request(widget.id);
                input::push(ctx, &self.standing);
                self.stage = Stage::Armed;
            }
            Stage::Typed { rest: 0 } if ctx.memory(|memory| memory.has_focus(widget.id)) => {
                self.standing = vec![input::enter()];
                input::push(ctx, &self.standing);
                self.stage = Stage::Entering;
            }
            Stage::Typed { rest: 0 } => {
                ctx.memory_mut(|memory| memory.request_focus(widget.id));
            }
            _ => {}
        }
    }

    pub(crate) fn at_widget(&mut self, widget: &SeenWidget, response: &mut Response) {
        if widget.key != self.key {
            if matches!(self.stage, Stage::Armed)
                && self.seen.widget.as_ref().is_some_and(|seen| seen.id == response.id)
                && (response.clicked() || response.changed())
            {
                self.take_back(&response.ctx);
                let other = &widget.key.action;
                let message = format!("the widgets moved and \"{other}\" reported the change instead");
                self.stage = Stage::Done(Err(Refusal::new(Code::NotDelivered, message)));
            }
            return;
        }
        match self.stage {
            Stage::Waiting if !self.by_request() => self.press(widget, response),
            Stage::Armed => {
                self.take_back(&response.ctx);
                let acknowledged = response.clicked() || response.changed();
                self.stage = match &self.operation {
                    _ if !acknowledged => Stage::Waiting,
                    Operation::Choose(_) => Stage::Opened { passes: 0 },
                    Operation::Type { submit: true, .. } => Stage::Typed {
                        // Whoever lost the keyboard still says so in the next pass; Enter must not meet that.
                        rest: 1 + u32::from(
                            self.focus_before
                                .is_some_and(|focus| focus.is_some_and(|id| id != response.id)),
                        ),
                    },
                    _ => Stage::Done(Ok(())),
                };
            }
            Stage::Entering => {
                self.stage = Stage::Done(if response.lost_focus() {
                    Ok(())
                } else {
                    Err(Refusal::new(
                        Code::NotDelivered,
                        "the text was set, and the field did not take Enter",
                    ))
                });
            }
            _ => {}
        }
    }

    /// Triggers a button or link at its own declaration.
    fn press(&mut self, seen: &SeenWidget, response: &mut Response) {
        let Some(widget) = &seen.widget else { return };
        let refused = if !widget.visible {
            Some(("hidden", "it is hidden"))
        } else if !is_free(&response.ctx, widget) {
            // Scrolled away or covered since the last pass: wait for facts of the next.
            return;
        } else if seen.requires.is_some() {
            Some(("requires", seen.requires.as_deref().unwrap_or_default()))
        } else if !widget.enabled {
            Some(("disabled", "it is disabled"))
        } else {
            None
        };
        self.stage = Stage::Done(match refused {
            Some((reason, words)) => Err(Refusal::new(Code::Unavailable, words).because(reason)),
            None => {
                response.flags |= Flags::FAKE_PRIMARY_CLICKED;
                Ok(())
            }
        });
    }

    pub(crate) fn at_function(&mut self, widget: &SeenWidget) -> Option<FunctionCall> {
        let Operation::Function(arguments) = &self.operation else {
            return None;
        };
        if widget.key != self.key || !matches!(self.stage, Stage::Waiting) {
            return None;
        }
        if let Some(reason) = &widget.requires {
            self.stage = Stage::Done(Err(Refusal::new(Code::Unavailable, reason).because("requires")));
            return None;
        }
        let arguments: Map<String, Value> = arguments.clone();
        let (reply, receiver) = oneshot::channel();
        self.stage = Stage::Called(receiver);
        Some(FunctionCall { arguments, reply })
    }

    /// Enter may be asked for by the application until the end of the scope around the field.
    pub(crate) fn at_scope_end(&mut self, ctx: &Context, scope: &Scope) {
        let around = match scope {
            Scope::Region { path, .. } => *path == self.key.region,
            Scope::Record { id, .. } => self.key.record.as_ref() == Some(id),
        };
        if around {
            self.take_back(ctx);
            if matches!(self.stage, Stage::Armed) {
                self.stage = Stage::Waiting;
            }
        }
    }

    pub(crate) fn end_pass(&mut self, ctx: &Context, viewport: ViewportId) {
        if viewport != self.seen.viewport {
            return;
        }
        if let Stage::Picking { choice } = &self.stage {
            let picked = ctx.output(|output| {
                output.events.iter().any(|event| match event {
                    OutputEvent::Clicked(info) => info.label.as_deref() == Some(choice),
                    _ => false,
                })
            });
            self.close_popup(ctx);
            self.stage = Stage::Done(if picked {
                Ok(())
            } else {
                Err(Refusal::new(
                    Code::NotDelivered,
                    format!("the item \"{choice}\" did not report a click"),
                ))
            });
        }
        self.take_back(ctx);
        match &mut self.stage {
            Stage::Armed => self.stage = Stage::Waiting,
            Stage::Entering => self.stage = Stage::Typed { rest: 0 },
            Stage::Opened { .. } => self.find_item(ctx),
            Stage::Typed { rest } => *rest = rest.saturating_sub(1),
            _ => {}
        }
        if matches!(self.stage, Stage::Waiting | Stage::Typed { rest: 0 }) {
            self.attempts += 1;
        }
        if self.attempts > ATTEMPTS {
            let message = format!("the widget did not turn up in {ATTEMPTS} passes as it was seen before");
            self.stage = Stage::Done(Err(Refusal::new(Code::NotDelivered, message)));
        }
        self.read_back(ctx);
        if matches!(self.stage, Stage::Done(_)) {
            self.give_back_focus(ctx);
        }
    }

    /// Looks for the item of the open popup whose text is the choice.
    fn find_item(&mut self, ctx: &Context) {
        let (Some(widget), Operation::Choose(choice)) = (&self.seen.widget, &self.operation) else {
            return;
        };
        let popup = widget.id.with("popup");
        let found = ctx.viewport(|viewport| {
            let state = viewport.this_pass.accesskit_state.as_ref()?;
            let inside = |id: &Id| {
                std::iter::successors(Some(*id), |id| state.parent_map.get(id).copied())
                    .take(24)
                    .any(|id| id == popup)
            };
            let is_item = |node: &egui::accesskit::Node| {
                node.label() == Some(choice.as_str())
                    && !node.is_disabled()
                    && node.supports_action(egui::accesskit::Action::Click)
            };
            let mut items = state.nodes.iter().filter(|(id, node)| is_item(node) && inside(id));
            Some((*items.next()?.0, items.next().is_some()))
        });
        match (found, &mut self.stage) {
            (Some((_, true)), _) => {
                self.close_popup(ctx);
                let message = format!("more than one item reads \"{choice}\"", choice = self.choice());
                self.stage = Stage::Done(Err(Refusal::new(Code::AmbiguousTarget, message)));
            }
            (Some((item, false)), _) => {
                let choice = self.choice();
                self.stage = Stage::Found { item, choice };
            }
            (None, Stage::Opened { passes }) if *passes < POPUP_PASSES => *passes += 1,
            (None, _) => {
                self.close_popup(ctx);
                let message = format!("the opened list has no item \"{}\"", self.choice());
                self.stage = Stage::Done(Err(Refusal::new(Code::NotDelivered, message)));
            }
        }
    }

    fn choice(&self) -> String {
        match &self.operation {
            Operation::Choose(choice) => choice.clone(),
            _ => String::new(),
        }
    }

    fn close_popup(&self, ctx: &Context) {
        if let Some(widget) = &self.seen.widget {
            Popup::close_id(ctx, widget.id.with("popup"));
        }
    }

    /// What the widget took, when that is not what was asked: numbers are clamped and rounded, texts cut.
    fn read_back(&mut self, ctx: &Context) {
        let Some(widget) = &self.seen.widget else { return };
        let submits = matches!(self.operation, Operation::Type { submit: true, .. });
        let there = match self.stage {
            // After Enter the application may do with the field what it likes.
            Stage::Typed { .. } => submits,
            Stage::Done(Ok(())) => !submits,
            _ => false,
        };
        if self.report.warning.is_some() || !there {
            return;
        }
        let took = || read_widget(ctx, widget.id, widget.sense).value;
        match &self.operation {
            Operation::SetNumber(wanted) => {
                let Some(took) = took().and_then(|value| value.as_f64()) else {
                    return;
                };
                if (took - wanted).abs() > f64::EPSILON * wanted.abs().max(1.0) {
                    self.report.value = Some(tidy(took));
                    self.report.warning = Some(format!("the widget took {} instead of {}", tidy(took), tidy(*wanted)));
                }
            }
            Operation::Type { text, .. } if matches!(self.seen.facts.kind, Kind::Text { .. }) => {
                let Some(Value::String(took)) = took() else { return };
                if took != *text {
                    self.report.value = Some(took.clone().into());
                    self.report.warning = Some(if took.chars().count() < text.chars().count() {
                        "the field cut the text".to_owned()
                    } else {
                        "the field took the text differently: a line break in a single line becomes a space".to_owned()
                    });
                }
            }
            _ => {}
        }
    }

    fn give_back_focus(&mut self, ctx: &Context) {
        if let Some(Some(before)) = self.focus_before.take() {
            ctx.memory_mut(|memory| memory.request_focus(before));
        }
    }

    fn take_back(&mut self, ctx: &Context) {
        if !self.standing.is_empty() {
            input::take_back(ctx, &self.standing);
            self.standing.clear();
        }
    }

    /// A kept pass became facts: the widget may have moved, or become unusable.
    pub(crate) fn kept(&mut self, registry: &Registry, viewport: ViewportId) {
        if viewport != self.seen.viewport || matches!(self.stage, Stage::Done(_) | Stage::Called(_)) {
            return;
        }
        match admit(&self.key, registry) {
            Ok(seen) => self.seen = seen,
            Err(refusal) if matches!(self.stage, Stage::Waiting) => self.stage = Stage::Done(Err(refusal)),
            // Something was done already; whether the rest can follow shows at the widget.
            Err(_) => {}
        }
    }
}

/// The widget as it was seen last, if exactly one answers and a user could operate it.
fn admit(key: &Key, registry: &Registry) -> Result<LastSeen, Refusal> {
    match registry.last_seen(key).as_slice() {
        [] if key.record.is_some() => Err(Refusal::new(
            Code::RecordGone,
            "the record, or its widget, is not drawn any more",
        )),
        [] => Err(Refusal::new(Code::ActionGone, "its widget is not drawn any more")),
        [seen] => match &seen.availability {
            Availability::Available => Ok((*seen).clone()),
            other => Err(Refusal::new(Code::Unavailable, other.to_string()).because(other.kind())),
        },
        _ => Err(Refusal::new(
            Code::AmbiguousTarget,
            "more than one widget answers to this action and record",
        )),
    }
}

fn verb(operation: &Operation) -> &'static str {
    match operation {
        Operation::Click => "click",
        Operation::Toggle(_) => "toggle",
        Operation::Type { .. } => "type into",
        Operation::SetNumber(_) => "set a number on",
        Operation::Choose(_) => "choose from",
        Operation::Expand(_) => "expand",
        Operation::Function(_) => "call",
    }
}
