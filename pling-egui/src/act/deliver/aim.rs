//! What is done to which widget, and the way to do it.

use egui::Context;
use pling_core::{
    act::{Code, Operation, Refusal},
    snapshot::Availability,
};
use serde_json::Value;

use super::{
    choose::Choose,
    function::Function,
    press::Press,
    request::Request,
    route::{Report, Route},
    text::Typing,
};
use crate::collect::{Key, Kind, LastSeen, Registry, read_widget, tidy};

/// What is done to which widget, as it was seen in the last kept pass.
#[derive(Debug)]
pub(super) struct Aim {
    pub(super) key: Key,
    pub(super) operation: Operation,
    pub(super) seen: LastSeen,
}

impl Aim {
    /// Aims at a widget as it was seen last, if exactly one answers and a user could operate it.
    pub(super) fn at(key: Key, operation: Operation, registry: &Registry) -> Result<Self, Refusal> {
        let seen = admit(&key, registry)?;
        Ok(Self { key, operation, seen })
    }

    /// The way to do this to such a widget; `shares_id`: another one may hear what is meant for it.
    pub(super) fn route(&self, shares_id: bool) -> Result<Box<dyn Route>, Refusal> {
        let unsupported = |words: &str| Err(Refusal::new(Code::Unsupported, words));
        let Some(widget) = &self.seen.widget else {
            return match &self.operation {
                Operation::Function(_) => Ok(Box::<Function>::default()),
                _ => unsupported("its widget is not drawn now"),
            };
        };
        let kind = self.seen.facts.kind;
        let by_request = |route: Box<dyn Route>| {
            if self.seen.inline && !widget.own {
                return unsupported("its record is declared inline, where only buttons and links can be operated");
            }
            if shares_id {
                let message = "another widget has the same egui id and would react too: each needs its own";
                return Err(Refusal::new(Code::AmbiguousTarget, message));
            }
            Ok(route)
        };
        match (&self.operation, kind) {
            (_, Kind::Inert(instead)) => unsupported(&format!("this widget cannot be operated: {instead}")),
            (Operation::Click, Kind::Secondary) => Ok(Box::<Press>::default()),
            // A link to a page opens it itself, and cannot be told from one that the application handles.
            (Operation::Click, Kind::Press)
                if !widget.own && (self.seen.inline || !(widget.manner.opens || self.seen.facts.link)) =>
            {
                Ok(Box::<Press>::default())
            }
            (Operation::Click, Kind::Press | Kind::Pick | Kind::Toggle | Kind::Disclosure | Kind::Combo)
            | (Operation::Toggle(_), Kind::Toggle | Kind::Pick)
            | (Operation::Expand(_), Kind::Disclosure)
            | (Operation::SetNumber(_), Kind::Number) => by_request(Box::<Request>::default()),
            (Operation::Type { submit: true, .. }, Kind::Text { multiline: true }) => unsupported(
                "Enter is a line break in a field of several lines: declare it with `.commit()`, and a button to send",
            ),
            (Operation::Type { .. }, Kind::Text { .. }) => by_request(Box::<Typing>::default()),
            (Operation::Choose(_), Kind::Combo) => by_request(Box::<Choose>::default()),
            (operation, _) => unsupported(&format!("this widget offers no way to {} it", verb(operation))),
        }
    }

    /// Whether declarations may stand inside it, before its own.
    pub(super) fn shows_content(&self) -> bool {
        matches!(
            self.seen.facts.kind,
            Kind::Press | Kind::Pick | Kind::Combo | Kind::Disclosure
        )
    }

    /// Whether typing goes on with keys after the text is in.
    pub(super) fn takes_keyboard(&self) -> bool {
        let commits = || self.seen.widget.as_ref().is_some_and(|widget| widget.manner.commits);
        matches!(self.operation, Operation::Type { submit, .. } if submit || commits())
    }

    /// Whether the widget already is as asked; says so in the report.
    pub(super) fn already(&self, report: &mut Report) -> bool {
        let value = self.seen.facts.value.as_ref();
        match &self.operation {
            Operation::Toggle(Some(wanted)) | Operation::Expand(Some(wanted)) => {
                if value.and_then(Value::as_bool) != Some(*wanted) {
                    return false;
                }
                report.warning = Some("it already was as asked; nothing was done".to_owned());
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
                report.warning = Some(if within == *wanted {
                    "it already was as asked; nothing was done".to_owned()
                } else {
                    report.value = Some(tidy(within));
                    format!("out of range; it already is at its limit {}", tidy(within))
                });
                true
            }
            _ => false,
        }
    }

    /// The value that the widget shows at the end of this pass.
    pub(super) fn value_now(&self, ctx: &Context) -> Option<Value> {
        let is_secret = self.seen.facts.password;
        read_widget(ctx, self.seen.widget.as_ref()?)
            .value
            .filter(|_| !is_secret)
    }
}

/// The widget as it was seen last, if exactly one answers and a user could operate it.
pub(super) fn admit(key: &Key, registry: &Registry) -> Result<LastSeen, Refusal> {
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
