//! The calls of one reply: in order, each with exactly one result.

use std::sync::Arc;

use super::{CANCELLED, Phase, Run, progress::Repetition};
use crate::{
    act::{Arguments, Call, Code, Receipt},
    agent::event::{Event, code},
    snapshot::Changes,
};

const SKIPPED: &str = "not executed: an earlier call of the same reply stopped the rest";

impl Run {
    /// Feeds back the receipt of the call of [`super::Step::Execute`]. Any other receipt is ignored.
    pub fn executed(&mut self, receipt: Receipt) {
        let Phase::Executing(calls) = &mut self.phase else {
            return;
        };
        if calls.front().is_none_or(|call| call.id != receipt.call_id) {
            return;
        }
        calls.pop_front();
        if receipt.changed.as_ref().is_some_and(Changes::observed) {
            self.progress.clear();
        }
        let stopped = match receipt.code() {
            Some(Code::Cancelled) => Some((Code::Cancelled, CANCELLED)),
            _ if receipt.stops_batch() => Some((Code::Skipped, SKIPPED)),
            _ => None,
        };
        self.settle(receipt);
        if let Some((code, words)) = stopped {
            self.settle_rest(code, words);
        }
        self.run_batch();
    }

    /// Goes on with the batch until something has to be executed, or to the next turn.
    pub(super) fn run_batch(&mut self) {
        loop {
            let out_of_time = self.is_out_of_time();
            let Phase::Executing(calls) = &mut self.phase else {
                return;
            };
            let Some(call) = calls.front() else {
                return self.next_turn();
            };
            if out_of_time {
                return self.out_of_time();
            }
            let repetition = self.progress.repeat(self.spent.turns, call);
            let Some(refusal) = refused_unseen(call, repetition) else {
                return;
            };
            calls.pop_front();
            self.settle(refusal);
            if repetition == Repetition::Hopeless {
                self.skip_rest("not executed: the run was stopped");
                return self.stop(
                    code::no_progress(),
                    "the same call was repeated on a page that does not change",
                );
            }
        }
    }

    /// Gives every call without a result the same one.
    pub(super) fn settle_rest(&mut self, code: Code, words: &str) {
        if let Phase::Executing(calls) = &mut self.phase {
            for call in std::mem::take(calls) {
                self.settle(Receipt::refused(call.id, code, words));
            }
        }
    }

    /// The one place where a call gets its result.
    pub(super) fn settle(&mut self, receipt: Receipt) {
        if self.history.push_result(&receipt, self.limits.max_tool_result_tokens) {
            self.events.push(Event::Receipt {
                id: receipt.call_id.clone(),
                receipt: Arc::new(receipt.clone()),
            });
            self.receipts.push(receipt);
        }
    }

    /// Gives every call without a result `SKIPPED`.
    pub(super) fn skip_rest(&mut self, words: &str) {
        self.settle_rest(Code::Skipped, words);
    }
}

/// The receipt of a call that no executor has to see.
fn refused_unseen(call: &Call, repetition: Repetition) -> Option<Receipt> {
    let (code, words) = match (repetition, &call.arguments) {
        (Repetition::Futile | Repetition::Hopeless, _) => (
            Code::NoProgress,
            "not executed: the same call again, on a page that does not change; do something else".to_owned(),
        ),
        (Repetition::Fine, Arguments::Invalid { why, .. }) => (Code::InvalidArguments, format!("not executed: {why}")),
        (Repetition::Fine, Arguments::Object(_)) => return None,
    };
    Some(Receipt::refused(call.id.clone(), code, words))
}
