//! Evidence of one executed or refused call.

use serde_json::{Map, Value, json};

use super::Code;
use crate::{
    model::{ActionId, Feedback, RecordId},
    snapshot::Changes,
};

/// Evidence of one executed or refused call. It never claims more than was observed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Receipt {
    /// The call it answers.
    pub call_id: String,
    /// The action, where the call could be resolved to one.
    pub action: Option<ActionRef>,
    /// Why it did not run, or failed; `None`: the widget reported the click or change.
    pub error: Option<(Code, String)>,
    /// The machine-readable reason of an error, such as `covered_by`.
    pub reason: Option<String>,
    /// What can be called instead, by tool name; errors only.
    pub available: Vec<String>,
    /// What differed afterwards. `None`: nothing ran.
    pub changed: Option<Changes>,
    /// Feedback on the page when an error was reported.
    pub feedback: Vec<Feedback>,
    /// A function tool's result, or what the widget took instead of what was asked.
    pub value: Option<Value>,
    /// What the caller should know.
    pub warning: Option<String>,
    /// A result that a post-hook put in place of the one above, for the model only.
    pub replaced: Option<Value>,
    /// Whether the user did it: a step that only a human may do.
    pub handoff: bool,
}

/// The action of a receipt, in the words of its author.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ActionRef {
    /// Its id.
    pub id: ActionId,
    /// Its description.
    pub description: String,
    /// The record it was aimed at.
    pub record: Option<RecordId>,
}

impl ActionRef {
    /// An action, perhaps of a record.
    #[must_use]
    pub fn new(id: ActionId, description: impl Into<String>, record: Option<RecordId>) -> Self {
        Self {
            id,
            description: description.into(),
            record,
        }
    }

    /// `{"id","description","record"?}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut about = json!({ "id": self.id, "description": self.description });
        if let Some(record) = &self.record {
            about["record"] = json!(record);
        }
        about
    }
}

impl Receipt {
    /// A call whose widget reported the click or change.
    #[must_use]
    pub fn done(call_id: impl Into<String>, action: ActionRef, changed: Changes) -> Self {
        Self {
            action: Some(action),
            changed: Some(changed),
            ..Self::blank(call_id)
        }
    }

    /// A call that did not run, or failed.
    #[must_use]
    pub fn refused(call_id: impl Into<String>, code: Code, message: impl Into<String>) -> Self {
        Self {
            error: Some((code, message.into())),
            ..Self::blank(call_id)
        }
    }

    fn blank(call_id: impl Into<String>) -> Self {
        Self {
            call_id: call_id.into(),
            action: None,
            error: None,
            reason: None,
            available: Vec::new(),
            changed: None,
            feedback: Vec::new(),
            value: None,
            warning: None,
            replaced: None,
            handoff: false,
        }
    }

    /// Whether the widget reported the click or change.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.error.is_none()
    }

    /// The code of an error.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        self.error.as_ref().map(|(code, _)| *code)
    }

    /// Whether its operation may have reached the widget.
    pub(crate) fn may_have_run(&self) -> bool {
        let is_unseen = matches!(
            self.code(),
            Some(Code::NotDelivered | Code::Timeout | Code::HandlerFailed)
        );
        self.is_ok() || self.changed.is_some() || is_unseen
    }

    /// Adds what the caller should know. An error says it in its message.
    pub(crate) fn note(&mut self, note: &str) {
        let words = match &mut self.error {
            Some((_, message)) => message,
            None => self.warning.get_or_insert_default(),
        };
        if !words.is_empty() {
            words.push_str("; ");
        }
        words.push_str(note);
    }

    /// Whether the calls after this one in the same reply are skipped: after a failed execution, a handoff (done
    /// or not), a denial, a cancel, and where every other call would wait in vain. What was refused before
    /// anything ran (unknown, invalid, unavailable, blocked …) stops nothing.
    #[must_use]
    pub fn stops_batch(&self) -> bool {
        let Some(code) = self.code() else {
            return self.handoff;
        };
        let ran = self.changed.is_some();
        match code {
            Code::HookBlocked | Code::Unsupported | Code::NoProgress => ran,
            code => ran || !code.is_mistaken_call(),
        }
    }

    /// The form the model sees: `{"result":{"ok":true,"action":{…},"changed":{"observed":…},"value"?,"warning"?}}`
    /// or `{"error":{"code","message","reason"?,"available":[…],"feedback"?,"changed"?}}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        if let Some(replaced) = &self.replaced {
            return replaced.clone();
        }
        let changed = self.changed.as_ref().map(changes_json);
        match &self.error {
            None => {
                let mut result = Map::new();
                result.insert("ok".into(), true.into());
                if let Some(action) = &self.action {
                    result.insert("action".into(), action.to_json());
                }
                result.extend(changed.map(|changed| ("changed".into(), changed)));
                result.extend(self.value.clone().map(|value| ("value".into(), value)));
                result.extend(self.warning.clone().map(|text| ("warning".into(), text.into())));
                json!({ "result": result })
            }
            Some((code, message)) => {
                let mut error = Map::new();
                error.insert("code".into(), json!(code));
                error.insert("message".into(), message.clone().into());
                error.extend(self.reason.clone().map(|text| ("reason".into(), text.into())));
                error.insert("available".into(), json!(self.available));
                if !self.feedback.is_empty() {
                    error.insert("feedback".into(), json!(self.feedback));
                }
                error.extend(changed.map(|changed| ("changed".into(), changed)));
                json!({ "error": error })
            }
        }
    }
}

fn changes_json(changes: &Changes) -> Value {
    let mut json = json!(changes);
    json["observed"] = changes.observed().into();
    json
}
