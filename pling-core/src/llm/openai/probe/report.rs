//! What a test of an endpoint found.

use std::fmt;

use super::advice;
use crate::llm::LlmError;

/// What a test of an endpoint found. [`fmt::Display`] gives one line for each finding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probe {
    /// Whether the endpoint answers at all; if not, why.
    pub answers: Finding,
    /// The model that answered, by the server's name for it.
    pub model: Option<String>,
    /// Whether words come in as they are written.
    pub streams: Finding,
    /// Whether the model's calls come as calls.
    pub calls_tools: Finding,
    /// Whether the arguments of a call come in as they are written. Nothing depends on it.
    pub streams_calls: Finding,
    /// Whether the result of a call may be sent back.
    pub takes_results: Finding,
    /// Whether [`Request::stream`](crate::llm::Request::stream) has to be off for this endpoint.
    pub needs_stream_off: bool,
}

/// One thing that was found out, or not.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// What was found.
    pub verdict: Verdict,
    /// The same for people, with the provider's words where it gave any, and never a key.
    pub words: String,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It works.
    Yes,
    /// It does not.
    No,
    /// It could not be told.
    Unknown,
}

impl Finding {
    pub(super) fn new(verdict: Verdict, words: impl Into<String>) -> Self {
        Self {
            verdict,
            words: words.into(),
        }
    }

    pub(super) fn untested() -> Self {
        Self::new(Verdict::Unknown, "not tested")
    }

    /// Whether it works.
    #[must_use]
    pub fn is_yes(&self) -> bool {
        self.verdict == Verdict::Yes
    }
}

impl Probe {
    /// Whether an agent can work with this endpoint.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        self.answers.is_yes() && self.calls_tools.is_yes() && self.takes_results.is_yes()
    }

    pub(super) fn silent(error: &LlmError) -> Self {
        Self {
            answers: Finding::new(Verdict::No, advice(error)),
            model: None,
            streams: Finding::untested(),
            calls_tools: Finding::untested(),
            streams_calls: Finding::untested(),
            takes_results: Finding::untested(),
            needs_stream_off: false,
        }
    }
}

impl fmt::Display for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            answers,
            model,
            streams,
            calls_tools,
            streams_calls,
            takes_results,
            needs_stream_off: _,
        } = self;
        write!(f, "Answers: {}", answers.words)?;
        if let Some(model) = model {
            write!(f, "\nModel: {model}")?;
        }
        for (what, finding) in [
            ("Streams", streams),
            ("Calls tools", calls_tools),
            ("Streams calls", streams_calls),
            ("Takes results", takes_results),
        ] {
            write!(f, "\n{what}: {}", finding.words)?;
        }
        Ok(())
    }
}
