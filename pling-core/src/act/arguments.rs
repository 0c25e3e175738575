//! The arguments of a call against the input of its action.
//!
//! Names are fixed: `text`, `value`, `choice`, `checked`, `record`. Every message names the argument that is
//! wrong and says what was expected; none repeats what was passed, which may be a secret.

use serde_json::{Map, Value};

use super::{
    Arguments, Code, Operation, Refusal, schema,
    suggest::near_miss,
    words::{few, word},
};
use crate::model::{Action, Input, RecordId};

/// What stands for a sensitive value wherever somebody could read it.
const WITHHELD: &str = "[withheld]";

/// The operation that arguments ask for, and what the caller should know about how they were read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) operation: Operation,
    pub(super) warning: Option<String>,
}

/// The arguments as an object, if they are one.
pub(super) fn object(arguments: &Arguments) -> Result<&Map<String, Value>, Refusal> {
    match arguments {
        Arguments::Object(map) => Ok(map),
        Arguments::Invalid { why, .. } => Err(invalid(format!("{why}; nothing was run"))),
    }
}

/// The record that the arguments name.
pub(super) fn record(arguments: &Map<String, Value>) -> Result<RecordId, Refusal> {
    match arguments.get("record") {
        Some(Value::String(id)) => Ok(RecordId::from(id.as_str())),
        Some(Value::Null) | None => Err(invalid("`record` is missing: the id of a record is expected")),
        Some(other) => Err(wrong("record", "the id of a record as a string", other)),
    }
}

/// The operation on the action's widget. For a handoff nothing is required: the user does it.
pub(super) fn read(action: &Action, takes_record: bool, arguments: &Map<String, Value>) -> Result<Read, Refusal> {
    let names: &[&str] = match &action.input {
        Input::Click => &[],
        Input::Toggle | Input::Expand => &["checked"],
        Input::Text { .. } => &["text"],
        Input::Number { .. } => &["value"],
        Input::Choice { .. } => &["choice"],
        Input::Schema(schema) => return function(schema, takes_record, arguments),
    };
    let mut taken = names.to_vec();
    if takes_record {
        taken.push("record");
    }
    if let Some(extra) = arguments.keys().find(|name| !taken.contains(&name.as_str())) {
        return Err(invalid(unknown_argument(extra, &taken)));
    }
    if action.handoff.is_some() {
        return Ok(Operation::Click.into());
    }
    match &action.input {
        Input::Click | Input::Schema(_) => Ok(Operation::Click.into()),
        Input::Toggle => Ok(Operation::Toggle(checked(arguments)?).into()),
        Input::Expand => Ok(Operation::Expand(checked(arguments)?).into()),
        Input::Text { .. } => Ok(Operation::Type {
            text: string(arguments, "text")?.to_owned(),
            submit: action.submit,
        }
        .into()),
        Input::Number { .. } => number(arguments),
        Input::Choice { choices } => choice(action, choices, arguments),
    }
}

/// The arguments as others may see them: hooks, the approval card.
pub(super) fn masked(action: &Action, arguments: &Map<String, Value>) -> Map<String, Value> {
    let mut arguments = arguments.clone();
    if action.sensitive {
        for (name, value) in &mut arguments {
            if name != "record" {
                *value = WITHHELD.into();
            }
        }
    }
    arguments
}

/// The words on an argument that nothing takes.
pub(super) fn unknown_argument(name: &str, taken: &[&str]) -> String {
    let name = word(name);
    match taken {
        [] => format!("`{name}` is not an argument; it takes none"),
        _ => format!("`{name}` is not an argument; it takes: {}", few(taken.iter().copied())),
    }
}

/// `INVALID_ARGUMENTS` in these words.
pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(Code::InvalidArguments, message)
}

impl From<Operation> for Read {
    fn from(operation: Operation) -> Self {
        Self {
            operation,
            warning: None,
        }
    }
}

fn function(schema: &Value, takes_record: bool, arguments: &Map<String, Value>) -> Result<Read, Refusal> {
    let mut arguments = arguments.clone();
    if takes_record {
        arguments.remove("record");
    }
    schema::check(schema, &arguments).map_err(invalid)?;
    Ok(Operation::Function(arguments).into())
}

fn checked(arguments: &Map<String, Value>) -> Result<Option<bool>, Refusal> {
    match arguments.get("checked") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(checked)) => Ok(Some(*checked)),
        Some(other) => Err(wrong("checked", "true or false", other)),
    }
}

fn string<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, Refusal> {
    match arguments.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Null) | None => Err(invalid(format!("`{name}` is missing: a string is expected"))),
        Some(other) => Err(wrong(name, "a string", other)),
    }
}

fn number(arguments: &Map<String, Value>) -> Result<Read, Refusal> {
    let (number, warning) = match arguments.get("value") {
        Some(Value::Number(number)) => (number.as_f64(), None),
        // A slip of small models that can mean only one thing.
        Some(Value::String(text)) => (
            text.trim().parse::<f64>().ok(),
            Some("`value` came as a string and was taken as a number".to_owned()),
        ),
        Some(Value::Null) | None => return Err(invalid("`value` is missing: a number is expected")),
        Some(other) => return Err(wrong("value", "a number", other)),
    };
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok(Read {
            operation: Operation::SetNumber(number),
            warning,
        }),
        None => Err(invalid("`value` must be a finite number")),
    }
}

fn choice(action: &Action, choices: &[String], arguments: &Map<String, Value>) -> Result<Read, Refusal> {
    let choice = string(arguments, "choice")?;
    if choices.iter().any(|known| known == choice) {
        return Ok(Operation::Choose(choice.to_owned()).into());
    }
    if action.sensitive {
        return Err(invalid("`choice` must be exactly one of the choices"));
    }
    let words = || choices.iter().map(String::as_str);
    let mut message = format!("`choice` must be exactly one of: {}", few(words()));
    if let Some(near) = near_miss(choice, words()) {
        message.push_str(&format!(". Did you mean `{}`?", word(near)));
    }
    Err(invalid(message))
}

fn wrong(name: &str, expected: &str, found: &Value) -> Refusal {
    invalid(format!("`{name}` must be {expected}, not {}", schema::kind(found)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "a table of literals reads better")]
    fn check(input: Input, arguments: Value, expect: Result<Operation, &str>) {
        let mut action = Action::new("act", "Act");
        action.input = input;
        let found = read(&action, true, arguments.as_object().unwrap());
        let found = found.map(|read| read.operation).map_err(|refusal| refusal.message);
        assert_eq!(found, expect.map_err(str::to_owned), "{arguments}");
    }

    #[test]
    fn each_input_takes_its_argument_and_no_other() {
        let text = || Input::Text { multiline: false };
        let number = || Input::Number { min: None, max: None };
        let choices = || Input::Choice {
            choices: vec!["Newest".into(), "Oldest".into()],
        };
        check(Input::Click, json!({ "record": "t1" }), Ok(Operation::Click));
        check(
            Input::Click,
            json!({ "x": 1 }),
            Err("`x` is not an argument; it takes: record"),
        );
        check(Input::Toggle, json!({}), Ok(Operation::Toggle(None)));
        check(
            Input::Toggle,
            json!({ "checked": true }),
            Ok(Operation::Toggle(Some(true))),
        );
        check(
            Input::Toggle,
            json!({ "checked": "yes" }),
            Err("`checked` must be true or false, not a string"),
        );
        check(text(), json!({}), Err("`text` is missing: a string is expected"));
        check(
            text(),
            json!({ "text": 4 }),
            Err("`text` must be a string, not a number"),
        );
        check(number(), json!({ "value": 7 }), Ok(Operation::SetNumber(7.0)));
        check(number(), json!({ "value": "7" }), Ok(Operation::SetNumber(7.0)));
        check(
            number(),
            json!({ "value": "NaN" }),
            Err("`value` must be a finite number"),
        );
        check(
            number(),
            json!({ "value": "seven" }),
            Err("`value` must be a finite number"),
        );
        check(
            choices(),
            json!({ "choice": "Oldest" }),
            Ok(Operation::Choose("Oldest".into())),
        );
        check(
            choices(),
            json!({ "choice": "oldest" }),
            Err("`choice` must be exactly one of: Newest, Oldest. Did you mean `Oldest`?"),
        );
    }

    #[test]
    fn a_long_list_of_choices_is_cut_and_counted() {
        let choices = (0..20).map(|index| format!("choice number {index}")).collect();
        let mut action = Action::new("act", "Act");
        action.input = Input::Choice { choices };
        let refusal = read(&action, false, json!({ "choice": "?" }).as_object().unwrap()).unwrap_err();
        assert!(
            refusal.message.ends_with("choice number 7 and 12 more"),
            "{}",
            refusal.message
        );
    }

    #[test]
    fn sensitive_arguments_are_masked_and_never_repeated() {
        let mut action = Action::new("pin", "Enter the PIN");
        action.sensitive = true;
        let arguments = json!({ "record": "t1", "text": "1234" });
        let masked = masked(&action, arguments.as_object().unwrap());
        assert_eq!(Value::from(masked), json!({ "record": "t1", "text": "[withheld]" }));
    }
}
