//! A call as one line, and what became of it, in words made from its receipt.

use std::fmt::Write as _;

use pling_core::{
    act::{ActionRef, Arguments, Receipt},
    platform::{Instant, now},
};
use serde_json::Value;

use super::{
    names::Names,
    strings::Strings,
    visible::{visible, visible_line, visible_value},
    words::{MAX_ARGUMENTS_CHARS, MAX_VALUE_CHARS, in_words, short},
};

/// Characters of exact arguments or of an exact result.
const MAX_DETAIL_CHARS: usize = 4000;
/// Seconds from which on a call's time is worth a word.
const LONG_SECONDS: u64 = 3;

/// A call and what became of it. All texts are ready to draw.
#[derive(Clone, Debug)]
pub(super) struct Activity {
    call_id: String,
    /// What it is about, where that is known.
    about: Option<ActionRef>,
    /// The tool of a call from before a restart, until a page says what that is.
    tool: Option<String>,
    /// The action, in its author's words.
    pub(super) title: String,
    /// The record, as the user knows it where that was seen, else its id.
    pub(super) record: Option<String>,
    /// Where on the page it is, where that was seen.
    pub(super) place: Option<String>,
    /// The other arguments, short.
    pub(super) arguments: String,
    /// How far it came.
    pub(super) state: State,
    /// Exactly what was asked for, and exactly what came back.
    pub(super) details: String,
    began: Instant,
    /// How long it took.
    pub(super) took: Option<String>,
    /// Whether that is worth a word beside the others.
    pub(super) is_long: bool,
}

/// How far a call came.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// It is being carried out.
    Running,
    /// The user is asked.
    Waiting,
    /// The widget reported the click or change.
    Done {
        /// What differed afterwards.
        changed: String,
        /// What the user should know.
        warning: Option<String>,
    },
    /// It was refused or failed.
    Failed {
        /// The stable code.
        code: String,
        /// Why.
        message: String,
        /// What differed all the same.
        changed: Option<String>,
    },
}

impl Activity {
    /// A call that was asked for.
    pub(super) fn asked(
        say: &Strings,
        call_id: &str,
        action: Option<&ActionRef>,
        tool: &str,
        arguments: &Arguments,
    ) -> Self {
        let title = action.map_or(tool, |action| &action.description);
        let record = action.and_then(|action| action.record.as_ref());
        Self {
            call_id: call_id.to_owned(),
            about: action.cloned(),
            tool: None,
            title: visible_line(title, 120),
            record: record.map(|record| visible_line(record.as_str(), MAX_VALUE_CHARS)),
            place: None,
            arguments: match arguments {
                Arguments::Object(arguments) => short(say, arguments),
                Arguments::Invalid { raw, .. } => visible_line(raw, MAX_ARGUMENTS_CHARS),
            },
            state: State::Running,
            details: exactly(say, action.map_or(tool, |action| action.id.as_str()), arguments),
            began: now(),
            took: None,
            is_long: false,
        }
    }

    /// A call from before a restart. Its record goes by its id: what has that id now may be another one.
    pub(super) fn recalled(say: &Strings, call_id: &str, tool: &str, arguments: &Arguments) -> Self {
        let record = match arguments {
            Arguments::Object(arguments) => arguments.get("record").and_then(Value::as_str),
            Arguments::Invalid { .. } => None,
        };
        Self {
            tool: Some(tool.to_owned()),
            record: record.map(|record| visible_line(record, MAX_VALUE_CHARS)),
            ..Self::asked(say, call_id, None, tool, arguments)
        }
    }

    /// Whether nobody has said yet what its tool is.
    pub(super) fn is_unnamed(&self) -> bool {
        self.tool.is_some()
    }

    /// Whether it is about this call.
    pub(super) fn is_of(&self, call_id: &str) -> bool {
        self.call_id == call_id
    }

    /// Takes in what the page calls its record and place.
    pub(super) fn name(&mut self, names: &Names) {
        if let Some(title) = self.tool.as_ref().and_then(|tool| names.tool(tool)) {
            self.title = title;
            self.tool = None;
        }
        let Some(about) = &self.about else { return };
        if let Some(label) = about.record.as_ref().and_then(|id| names.label(id)) {
            self.record = Some(label);
        }
        self.place = names.place(about).or(self.place.take());
    }

    /// It was answered before the conversation was taken up again; only the result's own words are left.
    pub(super) fn recall(&mut self, say: &Strings, result: &Value) {
        let error = &result["error"];
        self.state = match error["code"].as_str() {
            Some(code) => State::Failed {
                code: code.to_owned(),
                message: visible(&say.refusal(code, error["message"].as_str().unwrap_or_default())),
                changed: None,
            },
            None => State::Done {
                changed: say.done_before(),
                warning: None,
            },
        };
        let _ = write!(self.details, "\n{}", pretty(result));
    }

    /// Whether its end is open.
    pub(super) fn is_under_way(&self) -> bool {
        matches!(self.state, State::Running | State::Waiting)
    }

    /// The user is asked; `label`: what they call the record.
    pub(super) fn ask(&mut self, label: Option<&str>) {
        if let Some(label) = label {
            self.record = Some(visible_line(label, MAX_VALUE_CHARS));
        }
        if self.is_under_way() {
            self.state = State::Waiting;
        }
    }

    /// The user answered, or the question is gone.
    pub(super) fn decided(&mut self) {
        if self.is_under_way() {
            self.state = State::Running;
            // The time that the user took is not the call's.
            self.began = now();
        }
    }

    /// It is over.
    pub(super) fn answer(&mut self, say: &Strings, names: &Names, receipt: &Receipt) {
        let seconds = self.began.elapsed().as_secs();
        self.is_long = seconds >= LONG_SECONDS;
        self.took = Some(match usize::try_from(seconds) {
            Ok(0) => say.call_took_no_time(),
            Ok(seconds) => say.call_took(seconds),
            Err(_) => say.call_took(usize::MAX),
        });
        let _ = write!(self.details, "\n{}", pretty(&receipt.to_json()));
        let changed = receipt.changed.as_ref().filter(|changes| changes.observed());
        let changed = changed.map(|changes| in_words(say, names, changes));
        self.state = match &receipt.error {
            None => State::Done {
                changed: match changed {
                    Some(changed) => changed,
                    None if receipt.handoff => say.done_by_you(),
                    None => say.no_change_seen(),
                },
                warning: receipt.warning.as_deref().map(|words| visible(&say.warning(words))),
            },
            Some((code, message)) => State::Failed {
                code: code.as_str().to_owned(),
                message: visible(&say.refusal(code.as_str(), message)),
                changed,
            },
        };
    }
}

/// A call as it came.
fn exactly(say: &Strings, id: &str, arguments: &Arguments) -> String {
    let arguments = match arguments {
        Arguments::Object(arguments) => pretty(&Value::Object(arguments.clone())),
        Arguments::Invalid { raw, why } => visible_value(say, &format!("{raw}\n{why}")),
    };
    format!("{} {arguments}", visible_line(id, MAX_VALUE_CHARS))
}

/// JSON on several lines; a very long one is cut, and says so.
fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    if let Some((at, _)) = text.char_indices().nth(MAX_DETAIL_CHARS) {
        text.truncate(at);
        text.push_str("\n…");
    }
    visible(&text)
}

#[cfg(test)]
mod tests {
    use pling_core::act::Code;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_keeps_its_code() {
        let say = Strings::default();
        let mut activity = Activity::asked(&say, "c1", None, "delete", &Arguments::from(json!({})));
        activity.answer(
            &say,
            &Names::default(),
            &Receipt::refused("c1", Code::UnknownRecord, "no such record"),
        );
        let State::Failed { code, message, .. } = activity.state else {
            panic!("{:?}", activity.state);
        };
        assert_eq!((&*code, &*message), ("UNKNOWN_RECORD", "no such record"));
    }
}
