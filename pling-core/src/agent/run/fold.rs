//! Where a run shortens its conversation: before a request that would not fit, and once after one that did not.

use std::sync::Arc;

use serde_json::Value;

use super::{Phase, Run};
use crate::{
    agent::{
        event::{Event, code},
        history::Cut,
        tokens,
    },
    llm::{ErrorKind, Finish, LlmError, Reply},
    observe::Observation,
};

/// What the user is told when a request is refused as too long and there is nothing (more) to condense.
const TOO_LONG: &str = "nothing more can be condensed: the page, its tools and the open request do not fit the model. \
    Lower limits.maxActions, limits.maxRecords or limits.maxRecordChars, or use a model with more room";

/// A request for a summary of older messages: its own system message and one of the user, no tools.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Summarize {
    /// The messages of the request.
    pub messages: Vec<Value>,
    /// The page as it was seen last. It is not sent.
    pub seen: Arc<Observation>,
}

/// A fold under way.
#[derive(Clone, Debug)]
pub(super) struct Folding {
    pub(super) request: Arc<Summarize>,
    cut: Cut,
    /// The refusal that made it necessary: it ends the run when the fold fails.
    refused: Option<LlmError>,
}

impl Run {
    /// Goes on to ask the model, by way of a fold where the request would not fit.
    pub(super) fn ask(&mut self, seen: Arc<Observation>) {
        let room = self.limits.room;
        let estimated = self.limits.fixed_tokens + tokens::of_observation(&seen) + self.history.tokens();
        let needed = (estimated as f64 * self.factor).ceil() as usize;
        if needed <= room.compact_at || self.fold_failed {
            self.phase = Phase::Asking(seen);
            return;
        }
        if !self.limits.summarize {
            if let Some(cut) = self.history.cut_before_request() {
                let before = self.history.tokens();
                self.history.drop_older(cut);
                self.folded(cut, before);
            }
            self.phase = Phase::Asking(seen);
            return;
        }
        match self
            .history
            .cut(room.keep_recent)
            .filter(|cut| room.is_worth(cut.tokens))
        {
            Some(cut) => self.begin_fold(seen, cut, None),
            None => self.phase = Phase::Asking(seen),
        }
    }

    /// The model refused a request as too long: folds all it can, once, and asks again.
    pub(super) fn too_long(&mut self, seen: Arc<Observation>, error: LlmError) {
        let cut = match self.limits.summarize && !self.forced {
            true => self.history.cut(1),
            false => None,
        };
        self.forced = true;
        match cut {
            Some(cut) => self.begin_fold(seen, cut, Some(error)),
            None => {
                self.notice(code::COMPACTION_FAILED, TOO_LONG);
                self.fail(error.kind.as_str(), error.message);
            }
        }
    }

    /// Feeds back the summary, or why there is none. Ignored unless the step was [`super::Step::Summarize`].
    pub fn summarized(&mut self, reply: Result<Reply, LlmError>) {
        let Phase::Folding(folding) = &self.phase else {
            return;
        };
        let Folding { request, cut, refused } = folding.clone();
        if let Ok(reply) = &reply {
            self.spend(reply.usage);
        }
        let summary = reply.and_then(|reply| match (&reply.finish, reply.text.trim()) {
            (Finish::ContentFilter, _) => Err(LlmError::new(ErrorKind::ContentFilter, "the provider's filter cut it")),
            (_, "") => Err(LlmError::new(ErrorKind::Protocol, "the summary is empty")),
            (_, text) => Ok(text.to_owned()),
        });
        match (summary, refused) {
            (Ok(summary), _) => {
                let before = self.history.tokens();
                self.history.fold(cut, &self.limits.room.bounded(&summary));
                self.folded(cut, before);
                match self.exhausted() {
                    Some((_, words)) => self.over_budget(words),
                    None => self.phase = Phase::Asking(Arc::clone(&request.seen)),
                }
            }
            (Err(error), None) => {
                self.fold_failed = true;
                self.notice(
                    code::COMPACTION_FAILED,
                    format!("older messages could not be condensed and are kept whole: {error}"),
                );
                self.phase = Phase::Asking(Arc::clone(&request.seen));
            }
            (Err(error), Some(refused)) => {
                self.notice(
                    code::COMPACTION_FAILED,
                    format!("the conversation is too long and could not be condensed; it is kept whole: {error}"),
                );
                self.fail(refused.kind.as_str(), refused.message);
            }
        }
    }

    fn begin_fold(&mut self, seen: Arc<Observation>, cut: Cut, refused: Option<LlmError>) {
        let (earlier, older) = self.history.older(cut);
        let messages = self.limits.room.request(earlier, &older);
        let request = Arc::new(Summarize { messages, seen });
        self.phase = Phase::Folding(Folding { request, cut, refused });
    }

    fn folded(&mut self, cut: Cut, tokens_before: usize) {
        self.events.push(Event::Compacted {
            messages: cut.messages,
            tokens_before,
            tokens_after: self.history.tokens(),
        });
    }
}
