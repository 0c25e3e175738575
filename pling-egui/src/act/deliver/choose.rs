//! Combo boxes: opened, an item clicked, closed.

use egui::{Context, Id, LayerId, Popup, Response, accesskit::Action, output::OutputEvent};
use pling_core::act::{Code, Operation, Refusal};

use super::{
    Aim, Outcome, Report, Route,
    offer::Offer,
    popup,
    route::{became_unusable, is_usable},
};
use crate::{
    act::input::{self, Standing},
    collect::{SeenWidget, is_free},
};

/// Passes that the list may take to show its items.
const PASSES: u32 = 10;

/// The list is opened as by a click, the item in it that reads like the choice gets one, and the list is closed.
#[derive(Debug, Default)]
pub(super) struct Choose {
    stage: Stage,
    offer: Offer,
    /// The click on the item.
    pick: Standing,
    /// The popup that the user had open: there can only be one.
    of_user: Option<Id>,
}

#[derive(Debug, Default)]
enum Stage {
    /// For the pass in which the combo box turns up as it was.
    #[default]
    Waiting,
    /// It is open, its items are awaited.
    Open { passes: u32 },
    /// The item is known and gets its click in the next pass.
    Found(Id),
    /// The item's click stands.
    Picking,
    /// It was made, or not; the list is closed and gone from what lay under it after so many passes.
    Closing { passes: u32, outcome: Outcome },
}

/// Passes in which a list that was closed still covers what lies under it: its last, and the next.
const CLOSING: u32 = 2;

impl Route for Choose {
    fn waits(&self) -> bool {
        matches!(self.stage, Stage::Waiting)
    }

    fn has_acted(&self) -> bool {
        !matches!(self.stage, Stage::Waiting)
    }

    fn begin_pass(&mut self, ctx: &Context, aim: &Aim) {
        if let (Stage::Found(item), Some(widget)) = (&self.stage, &aim.seen.widget)
            && !is_under_modal(ctx, widget.layer)
        {
            let item = *item;
            self.pick.put(ctx, input::click(item));
            self.stage = Stage::Picking;
        }
    }

    fn arm(&mut self, ctx: &Context, aim: &Aim, id: Id) {
        let Some(widget) = &aim.seen.widget else { return };
        if !matches!(self.stage, Stage::Waiting) || !is_free(ctx, widget) {
            return;
        }
        if Popup::is_id_open(ctx, list_of(id)) {
            self.stage = Stage::Open { passes: 0 };
        } else {
            self.of_user = popup::open(ctx);
            self.offer.make(ctx, id, input::click(id));
        }
    }

    fn disarm(&mut self, ctx: &Context) {
        self.offer.end(ctx);
    }

    fn meet(&mut self, _aim: &Aim, widget: &SeenWidget, response: &mut Response) -> Option<Outcome> {
        if !self.offer.is_open() {
            return None;
        }
        match self.offer.meet(response) {
            Ok(true) if response.clicked() && !is_usable(widget, response) => return Some(Err(became_unusable())),
            Ok(true) if response.clicked() => self.stage = Stage::Open { passes: 0 },
            Ok(_) => {}
            Err(refusal) => return Some(Err(refusal)),
        }
        None
    }

    fn end_pass(&mut self, ctx: &Context, aim: &Aim, _report: &mut Report) -> Option<Outcome> {
        let (Operation::Choose(choice), Some(widget)) = (&aim.operation, &aim.seen.widget) else {
            return None;
        };
        if let Err(refusal) = self.offer.close(ctx) {
            return Some(Err(refusal));
        }
        let list = list_of(widget.id);
        let outcome = match &mut self.stage {
            Stage::Open { .. } | Stage::Found(_) if is_under_modal(ctx, widget.layer) => {
                let message = "a dialog came up over the list; nothing was chosen";
                Err(Refusal::new(Code::Unavailable, message).because("covered_by"))
            }
            Stage::Open { passes } => match find(ctx, list, choice) {
                Found::One(item) => {
                    self.stage = Stage::Found(item);
                    return None;
                }
                Found::More => {
                    let message = format!("more than one item reads \"{choice}\"");
                    Err(Refusal::new(Code::AmbiguousTarget, message))
                }
                Found::None if *passes < PASSES => {
                    *passes += 1;
                    return None;
                }
                Found::None => {
                    let message = format!("the opened list has no item \"{choice}\"");
                    Err(Refusal::new(Code::NotDelivered, message))
                }
            },
            Stage::Picking => {
                self.pick.take_back(ctx);
                was_clicked(ctx, choice)
            }
            Stage::Closing { passes: 0, outcome } => return Some(std::mem::replace(outcome, Ok(()))),
            Stage::Closing { passes, .. } => {
                *passes -= 1;
                return None;
            }
            Stage::Waiting | Stage::Found(_) => return None,
        };
        Popup::close_id(ctx, list);
        if let Some(popup) = self.of_user.take() {
            Popup::open_id(ctx, popup);
        }
        self.stage = Stage::Closing {
            passes: CLOSING - 1,
            outcome,
        };
        None
    }
}

/// The popup of a combo box.
fn list_of(combo: Id) -> Id {
    combo.with("popup")
}

/// Whether a dialog came up over the combo box, and so over its list.
fn is_under_modal(ctx: &Context, layer: LayerId) -> bool {
    ctx.memory(|memory| memory.top_modal_layer().is_some() && !memory.is_above_modal_layer(layer))
}

enum Found {
    None,
    One(Id),
    More,
}

/// The item of the open list whose text is the choice.
fn find(ctx: &Context, list: Id, choice: &str) -> Found {
    ctx.viewport(|viewport| {
        let Some(state) = viewport.this_pass.accesskit_state.as_ref() else {
            return Found::None;
        };
        let inside = |id: &Id| {
            std::iter::successors(Some(*id), |id| state.parent_map.get(id).copied())
                .take(24)
                .any(|id| id == list)
        };
        let mut items = state.nodes.iter().filter(|(id, node)| {
            node.label() == Some(choice) && !node.is_disabled() && node.supports_action(Action::Click) && inside(id)
        });
        match (items.next(), items.next()) {
            (None, _) => Found::None,
            (Some((item, _)), None) => Found::One(*item),
            (Some(_), Some(_)) => Found::More,
        }
    })
}

/// Whether it was the item of this text that reported a click.
fn was_clicked(ctx: &Context, choice: &str) -> Outcome {
    let clicked = ctx.output(|output| {
        let labels = output.events.iter().filter_map(|event| match event {
            OutputEvent::Clicked(info) => Some(info.label.clone().unwrap_or_default()),
            _ => None,
        });
        labels.collect::<Vec<_>>()
    });
    if clicked.iter().any(|label| label == choice) {
        return Ok(());
    }
    let message = match clicked.first() {
        Some(other) => {
            format!("the items moved: \"{other}\" stood in the place of \"{choice}\" in that very pass and was clicked")
        }
        None => format!("the item \"{choice}\" did not report a click"),
    };
    Err(Refusal::new(Code::NotDelivered, message))
}
