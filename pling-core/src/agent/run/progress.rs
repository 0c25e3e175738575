//! Whether a run goes in circles: the same call on a page that does not change.

use std::sync::Arc;

use crate::{
    act::{Arguments, Call},
    observe::{Observation, ToolTarget},
    snapshot::Snapshot,
};

/// The time of asking at which a call is refused.
const FUTILE: u32 = 3;
/// The time of asking at which the run ends.
const HOPELESS: u32 = 5;

/// What was asked for since the page last changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    page: Option<Arc<Snapshot>>,
    asked: Vec<Asked>,
}

#[derive(Clone, Debug)]
struct Asked {
    tool: String,
    arguments: Arguments,
    times: u32,
    turn: u32,
}

/// How often a call was asked for on an unchanged page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repetition {
    /// Not too often.
    Fine,
    /// So often that it is refused.
    Futile,
    /// So often that the run ends.
    Hopeless,
}

impl Progress {
    /// Takes note of the page. A different one is a new beginning.
    pub(super) fn look(&mut self, observation: &Observation) {
        let page = &observation.snapshot;
        if !self.page.as_ref().is_some_and(|earlier| earlier.same_content(page)) {
            self.clear();
        }
        self.page = Some(Arc::clone(page));
    }

    /// A call was seen to change something: a new beginning.
    pub(super) fn clear(&mut self) {
        self.asked.clear();
    }

    /// Counts a call of a turn.
    pub(super) fn repeat(&mut self, turn: u32, call: &Call) -> Repetition {
        let found = self
            .asked
            .iter_mut()
            .find(|asked| asked.tool == call.tool && asked.arguments == call.arguments);
        let times = match found {
            Some(asked) => {
                // Scrolling three pages in one reply is three calls and one idea: whether it shows something new
                // is known only after the next look.
                if asked.turn != turn || !is_discovery(call) {
                    asked.times = asked.times.saturating_add(1);
                }
                asked.turn = turn;
                asked.times
            }
            None => {
                self.asked.push(Asked {
                    tool: call.tool.clone(),
                    arguments: call.arguments.clone(),
                    times: 1,
                    turn,
                });
                1
            }
        };
        match times {
            HOPELESS.. => Repetition::Hopeless,
            FUTILE.. => Repetition::Futile,
            _ => Repetition::Fine,
        }
    }
}

fn is_discovery(call: &Call) -> bool {
    let tool = call.seen.tool(&call.tool);
    tool.is_some_and(|tool| matches!(tool.target, ToolTarget::Discovery(_)))
}
