//! Widgets that handle their input themselves, asked as a screen reader asks them.

use egui::{Context, Event, Id, Response, output::OutputEvent, response::Flags};
use pling_core::act::{Code, Operation, Refusal};
use serde_json::Value;

use super::{Aim, Outcome, Report, Route, offer::Offer, popup};
use crate::{
    act::input,
    collect::{Kind, Part, SeenWidget, is_free, tidy},
};

/// One request: a click, or a number.
#[derive(Debug, Default)]
pub(super) struct Request {
    stage: Stage,
    offer: Offer,
    /// A check box that was neither may take a second click to be what is wanted.
    second: Second,
}

#[derive(Debug, Default, PartialEq)]
enum Second {
    #[default]
    Never,
    /// If the first does not do.
    Maybe,
    Made,
}

#[derive(Debug, Default)]
enum Stage {
    /// For the pass in which the widget turns up as it was.
    #[default]
    Waiting,
    /// The widget had it, and reported the click or change, or did not.
    Met {
        acknowledged: bool,
    },
    /// This pass showed it as it was before its handler ran. The next shows whether it is as wanted.
    Clicked,
    Checking,
}

impl Route for Request {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting)
    }

    fn has_acted(&self) -> bool {
        self.second == Second::Made || !matches!(self.stage, Stage::Waiting)
    }

    fn arm(&mut self, ctx: &Context, aim: &Aim, id: Id) {
        let Some(widget) = &aim.seen.widget else { return };
        // What the user types into a number field is lost when another number comes in.
        let in_use = aim.seen.facts.is_typed && ctx.memory(|memory| memory.has_focus(widget.id));
        if matches!(self.stage, Stage::Waiting) && is_free(ctx, widget) && !in_use {
            self.offer.make(ctx, id, event(&aim.operation, id));
        }
    }

    fn disarm(&mut self, ctx: &Context) {
        self.offer.end(ctx);
    }

    fn meet(&mut self, aim: &Aim, _widget: &SeenWidget, response: &mut Response) -> Option<Outcome> {
        if !self.offer.is_open() {
            return None;
        }
        let acknowledged = if let Some(part) = aim.seen.facts.part {
            self.offer.answered(&response.ctx);
            reported(&response.ctx, part)
        } else {
            match self.offer.meet(response) {
                Ok(true) => response.clicked() || response.changed(),
                Ok(false) => return None,
                Err(refusal) => return Some(Err(refusal)),
            }
        };
        if !response.visible() || !response.enabled() {
            // Since this very pass. A click did nothing then; numbers egui sets all the same.
            return acknowledged.then(|| Err(Refusal::new(Code::NotDelivered, "it became unusable in that very pass")));
        }
        if acknowledged && matches!(aim.operation, Operation::SetNumber(_)) {
            // For a handler that waits for the end of a drag. There is no drag: the number is in at once.
            response.flags |= Flags::DRAG_STOPPED;
        }
        if aim.seen.facts.value == Some("mixed".into()) && self.second == Second::Never {
            self.second = Second::Maybe;
        }
        self.stage = Stage::Met { acknowledged };
        None
    }

    fn end_pass(&mut self, ctx: &Context, aim: &Aim, report: &mut Report) -> Option<Outcome> {
        if let Err(refusal) = self.offer.close(ctx) {
            return Some(Err(refusal));
        }
        let Stage::Met { acknowledged } = self.stage else {
            return None;
        };
        if let Operation::SetNumber(wanted) = aim.operation {
            return Some(number(aim, wanted, acknowledged, aim.value_now(ctx).as_ref(), report));
        }
        if !acknowledged {
            let message = "the widget was asked to act as clicked and did not report a click";
            return Some(Err(Refusal::new(Code::NotDelivered, message)));
        }
        if let Some(widget) = &aim.seen.widget {
            popup::close_around(ctx, widget);
        }
        match (wanted(&aim.operation), aim.value_now(ctx)) {
            (Some(wanted), Some(value)) if value != Value::Bool(wanted) => {
                self.stage = Stage::Clicked;
                None
            }
            _ => Some(Ok(())),
        }
    }

    fn kept(&mut self, aim: &Aim, report: &mut Report) -> Option<Outcome> {
        let wanted = wanted(&aim.operation)?;
        match self.stage {
            Stage::Clicked => {
                self.stage = Stage::Checking;
                return None;
            }
            Stage::Checking => {}
            Stage::Waiting | Stage::Met { .. } => return None,
        }
        match &aim.seen.facts.value {
            Some(Value::Bool(value)) if *value != wanted && self.second == Second::Maybe => {
                self.second = Second::Made;
                self.stage = Stage::Waiting;
                None
            }
            Some(value) if *value != Value::Bool(wanted) => {
                report.warning = Some(format!("it was clicked and shows {value} instead of {wanted}"));
                report.value = Some(value.clone());
                Some(Ok(()))
            }
            _ => Some(Ok(())),
        }
    }
}

fn event(operation: &Operation, id: Id) -> Event {
    match operation {
        Operation::SetNumber(number) => input::set_number(id, *number),
        _ => input::click(id),
    }
}

fn wanted(operation: &Operation) -> Option<bool> {
    match operation {
        Operation::Toggle(wanted) | Operation::Expand(wanted) => *wanted,
        _ => None,
    }
}

/// Whether a button without a response for us reported its click to the screen reader.
fn reported(ctx: &Context, part: Part) -> bool {
    ctx.output(|output| {
        output.events.iter().any(|event| match event {
            OutputEvent::Clicked(info) => info.label.as_deref() == Some(part.label),
            _ => false,
        })
    })
}

/// What a number field made of the number: it clamps and rounds, and stays as it is when that leads nowhere.
fn number(aim: &Aim, wanted: f64, acknowledged: bool, took: Option<&Value>, report: &mut Report) -> Outcome {
    debug_assert_eq!(aim.seen.facts.kind, Kind::Number, "only numbers are set");
    let Some(took) = took.and_then(Value::as_f64) else {
        return match acknowledged {
            true => Ok(()),
            false => Err(Refusal::new(Code::NotDelivered, "the widget did not take the number")),
        };
    };
    let off = (took - wanted).abs();
    if off > f64::EPSILON * wanted.abs().max(1.0) {
        report.value = Some(tidy(took));
        report.warning = Some(format!("the widget took {} instead of {}", tidy(took), tidy(wanted)));
    }
    if !acknowledged && off >= aim.seen.facts.step.unwrap_or_default().max(1.0) {
        let message = format!("the widget did not take the number and stayed at {}", tidy(took));
        return Err(Refusal::new(Code::NotDelivered, message));
    }
    Ok(())
}
