//! Events as JSON for another program. Where an event means the same as one of the AG-UI protocol, it bears that name
//! and its fields; everything else is a `CUSTOM` event with a name of ours.

use serde_json::{Value, json};

use super::{End, Event, Outcome};
use crate::act::{ActionRef, Approval, Arguments};

impl Event {
    /// The AG-UI name, or `CUSTOM`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted => "RUN_STARTED",
            Self::TextDelta { .. } => "TEXT_MESSAGE_CONTENT",
            Self::Text { .. } => "TEXT_MESSAGE_END",
            Self::Call { .. } => "TOOL_CALL_CHUNK",
            Self::Receipt { .. } => "TOOL_CALL_RESULT",
            Self::Error { .. } => "RUN_ERROR",
            Self::Restored { .. } => "MESSAGES_SNAPSHOT",
            Self::RunFinished(_) => "RUN_FINISHED",
            Self::UserMessage { .. }
            | Self::ApprovalAsked(_)
            | Self::ApprovalDecided { .. }
            | Self::Notice { .. }
            | Self::Retry { .. }
            | Self::Compacted { .. }
            | Self::Reset => "CUSTOM",
        }
    }

    /// The JSON form: `type` is [`Self::kind`]; a `CUSTOM` event has a `name` and a `value`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut json = self.fields();
        json["type"] = self.kind().into();
        json
    }

    fn fields(&self) -> Value {
        match self {
            Self::RunStarted => json!({}),
            Self::TextDelta { text } => json!({ "delta": text }),
            Self::Text { text } => json!({ "content": text }),
            Self::Call {
                id,
                action,
                tool,
                arguments,
            } => json!({
                "toolCallId": id,
                "toolCallName": tool,
                "delta": arguments_text(arguments),
                "action": action.as_ref().map(ActionRef::to_json),
            }),
            Self::Receipt { id, receipt } => json!({
                "toolCallId": id,
                "role": "tool",
                "content": receipt.to_json().to_string(),
            }),
            Self::Error { code, message } => json!({ "code": code, "message": message }),
            Self::Restored { messages } => json!({ "messages": messages.as_ref() }),
            Self::RunFinished(outcome) => json!({ "result": outcome_json(outcome) }),
            Self::UserMessage { text } => custom("user_message", &json!({ "content": text })),
            Self::ApprovalAsked(approval) => custom("approval_asked", &approval_json(approval)),
            Self::ApprovalDecided { id, action, decision } => custom(
                "approval_decided",
                &json!({ "toolCallId": id, "action": action.to_json(), "decision": decision.as_str() }),
            ),
            Self::Notice { code, message } => custom("notice", &json!({ "code": code, "message": message })),
            Self::Retry {
                attempt,
                wait_millis,
                why,
            } => custom(
                "retry",
                &json!({ "attempt": attempt, "waitMs": wait_millis, "why": why }),
            ),
            Self::Compacted {
                messages,
                tokens_before,
                tokens_after,
            } => custom(
                "compacted",
                &json!({ "messages": messages, "tokensBefore": tokens_before, "tokensAfter": tokens_after }),
            ),
            Self::Reset => custom("reset", &Value::Null),
        }
    }
}

fn custom(name: &str, value: &Value) -> Value {
    json!({ "name": name, "value": value })
}

fn arguments_text(arguments: &Arguments) -> String {
    match arguments {
        Arguments::Object(map) => json!(map).to_string(),
        Arguments::Invalid { raw, .. } => raw.clone(),
    }
}

fn approval_json(approval: &Approval) -> Value {
    json!({
        "toolCallId": approval.call_id,
        "action": approval.action.to_json(),
        "recordLabel": approval.record_label,
        "effect": approval.effect,
        "irreversible": approval.irreversible,
        "arguments": approval.arguments,
        "preview": approval.preview,
        "handoff": approval.handoff,
    })
}

fn outcome_json(outcome: &Outcome) -> Value {
    let (end, code) = match &outcome.end {
        End::Answered => ("answered", None),
        End::TurnLimit => ("turn_limit", None),
        End::Cancelled => ("cancelled", None),
        End::Failed { code, .. } => ("failed", Some(*code)),
        End::Stopped { code } => ("stopped", Some(*code)),
        End::Ignored => ("ignored", None),
    };
    json!({ "end": end, "code": code, "answer": outcome.answer, "spent": outcome.spent })
}
