//! What a reply leads to: calls to execute, an answer, another try, or the end.

use std::sync::Arc;

use super::{
    Phase, Run,
    shown::{action_of, kept_arguments, shown_arguments},
};
use crate::{
    act::{Arguments, Call, Code, Receipt},
    agent::event::{End, Event, code},
    llm::{ErrorKind, Finish, Reply},
    observe::Observation,
};

/// Replies in a row that may be cut before a run is stopped.
const MAX_CUT_REPLIES: u32 = 3;

impl Run {
    /// Takes a reply in, and goes on to its calls, to the next turn or to the end.
    pub(super) fn take_reply(&mut self, reply: &Reply, observation: &Arc<Observation>) {
        let text = reply.text.trim();
        let cut = matches!(reply.finish, Finish::Length | Finish::ContentFilter);
        let secrets = &self.secrets;
        let calls = self
            .history
            .push_reply_masked(reply, |call| kept_arguments(observation, secrets, call));
        if !text.is_empty() {
            self.events.push(Event::Text {
                text: reply.text.clone(),
            });
        }
        if calls.is_empty() {
            return self.take_words(text, &reply.finish);
        }
        self.empty_replies = 0;
        for call in &calls {
            self.events.push(Event::Call {
                id: call.id.clone(),
                action: action_of(observation, call),
                tool: call.name.clone(),
                arguments: shown_arguments(observation, &self.secrets, call),
            });
        }
        if cut {
            for call in calls {
                self.settle(Receipt::refused(
                    call.id,
                    Code::InvalidArguments,
                    cut_words(&reply.finish),
                ));
            }
            return self.after_cut();
        }
        self.cut_replies = 0;
        let calls = calls.into_iter().map(|call| {
            let arguments = Arguments::parse(&call.arguments);
            Call::new(call.id, call.name, arguments, Arc::clone(observation))
        });
        self.phase = Phase::Executing(calls.collect());
        self.run_batch();
    }

    /// A reply without calls.
    fn take_words(&mut self, text: &str, finish: &Finish) {
        match (finish, text) {
            (Finish::ContentFilter, _) => {
                self.fail(ErrorKind::ContentFilter.as_str(), "the provider's filter cut the reply")
            }
            (Finish::Length, "") => self.after_cut(),
            (_, "") => self.after_empty(),
            (finish, text) => {
                if *finish == Finish::Length {
                    self.notice(
                        code::BUDGET_EXCEEDED,
                        "the answer was cut by the output limit (maxTokens)",
                    );
                }
                self.finish(Some(text.to_owned()), End::Answered, "");
            }
        }
    }

    fn after_cut(&mut self) {
        self.cut_replies += 1;
        if self.cut_replies >= MAX_CUT_REPLIES {
            self.stop(
                code::BUDGET_EXCEEDED,
                format!("{MAX_CUT_REPLIES} replies in a row were cut by the output limit (maxTokens)"),
            );
        } else {
            self.next_turn();
        }
    }

    fn after_empty(&mut self) {
        self.empty_replies += 1;
        if self.empty_replies > 1 {
            self.stop(code::protocol(), "the model replied twice with neither words nor calls");
        } else {
            self.next_turn();
        }
    }
}

fn cut_words(finish: &Finish) -> &'static str {
    match finish {
        Finish::ContentFilter => "not executed: the reply was cut by the provider's filter",
        _ => "not executed: the reply was cut off by the output limit; send fewer or shorter calls",
    }
}
