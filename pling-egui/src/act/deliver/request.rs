//! Widgets that handle their input themselves, asked as a screen reader asks them.

use egui::{Context, Event, Id, Response, output::OutputEvent, response::Flags};
use pling_core::act::{Code, Operation, Refusal};
use serde_json::Value;

use super::{
    Aim, Outcome, Report, Route,
    offer::Offer,
    popup,
    route::{became_unusable, is_usable},
};
use crate::{
    act::input,
    collect::{Part, SeenWidget, is_free, tidy},
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
    /// This pass showed it as it was before its handler ran, or a number as it came in. The next shows what
    /// became of it.
    Handled {
        acknowledged: bool,
    },
    Checking {
        acknowledged: bool,
    },
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
        if matches!(self.stage, Stage::Waiting)
            && is_free(ctx, widget)
            && aim.seen.facts.in_use(ctx, widget.id).is_none()
        {
            self.offer.make(ctx, id, event(&aim.operation, id));
        }
    }

    fn disarm(&mut self, ctx: &Context) {
        self.offer.end(ctx);
    }

    fn meet(&mut self, aim: &Aim, widget: &SeenWidget, response: &mut Response) -> Option<Outcome> {
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
        if response.ctx.will_discard() {
            // Given up after the request was made, the pass shows nothing usable: what was heard counts all the same.
            if !acknowledged {
                return None;
            }
        } else if !is_usable(widget, response) {
            // Since this very pass. A click did nothing then; numbers egui sets all the same.
            return acknowledged.then(|| Err(became_unusable()));
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

    fn end_pass(&mut self, ctx: &Context, aim: &Aim, _report: &mut Report) -> Option<Outcome> {
        if let Err(refusal) = self.offer.close(ctx) {
            return Some(Err(refusal));
        }
        let Stage::Met { acknowledged } = self.stage else {
            return None;
        };
        if matches!(aim.operation, Operation::SetNumber(_)) {
            // A drag value shows the number that came in, whatever the application made of it.
            self.stage = Stage::Handled { acknowledged };
            return None;
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
                self.stage = Stage::Handled { acknowledged };
                None
            }
            _ => Some(Ok(())),
        }
    }

    fn kept(&mut self, aim: &Aim, report: &mut Report) -> Option<Outcome> {
        let acknowledged = match self.stage {
            Stage::Handled { acknowledged } => {
                self.stage = Stage::Checking { acknowledged };
                return None;
            }
            Stage::Checking { acknowledged } => acknowledged,
            Stage::Waiting | Stage::Met { .. } => return None,
        };
        if let Operation::SetNumber(wanted) = aim.operation {
            return Some(number(aim, wanted, acknowledged, report));
        }
        let wanted = wanted(&aim.operation)?;
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

    fn gone(&mut self) -> Option<Outcome> {
        match self.stage {
            Stage::Handled { acknowledged } | Stage::Checking { acknowledged } => Some(match acknowledged {
                true => Ok(()),
                false => Err(not_taken()),
            }),
            Stage::Waiting | Stage::Met { .. } => None,
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
fn number(aim: &Aim, wanted: f64, acknowledged: bool, report: &mut Report) -> Outcome {
    let facts = &aim.seen.facts;
    let Some(took) = facts.value.as_ref().and_then(Value::as_f64) else {
        report.warning = Some("what the widget shows now is no finite number".to_owned());
        return if acknowledged { Ok(()) } else { Err(not_taken()) };
    };
    let off = (took - wanted).abs();
    if off > f64::EPSILON * wanted.abs().max(1.0) {
        report.value = Some(tidy(took));
        report.warning = Some(format!("the widget took {} instead of {}", tidy(took), tidy(wanted)));
    }
    // What a typed number gives as its step is how fast a drag goes; a whole one may be rounded.
    let step = match facts.is_typed {
        true => (took.fract() == 0.0).then_some(1.0),
        false => facts.step,
    };
    if !acknowledged && off >= step.unwrap_or_default() {
        let message = format!("the widget did not take the number and stayed at {}", tidy(took));
        return Err(Refusal::new(Code::NotDelivered, message));
    }
    Ok(())
}

fn not_taken() -> Refusal {
    Refusal::new(Code::NotDelivered, "the widget did not take the number")
}
