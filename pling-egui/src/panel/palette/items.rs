//! What can be picked, and what a pick still has to be told.

use pling_core::{
    model::{ActionId, RecordId},
    observe::{Observation, ToolSchema, ToolTarget},
    snapshot::ActionFacts,
};
use serde_json::{Map, Value};

use crate::panel::{inspector::why, strings::Strings, visible::visible_line};

/// Lines that are made of a page.
const MAX_ITEMS: usize = 5000;

/// One line of the palette: an action, perhaps of a record.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) tool: String,
    pub(super) action: ActionId,
    pub(super) description: String,
    pub(super) record: Option<(RecordId, String)>,
    /// What is searched and shown.
    pub(super) line: String,
    /// Why it cannot be used.
    pub(super) reason: Option<String>,
    pub(super) sensitive: bool,
    parameters: Value,
}

/// Every declared action, once for each record that it is drawn for.
pub(super) fn all(say: &Strings, seen: &Observation) -> Vec<Item> {
    let facts = seen.snapshot.actions.iter().take(MAX_ITEMS);
    let mut items: Vec<_> = facts.filter_map(|facts| item(say, seen, facts)).collect();
    // A source has more records than are drawn: one line asks which.
    for tool in seen.tools.iter().chain(&seen.unavailable) {
        let ToolTarget::Action {
            id,
            region,
            takes_record: true,
        } = &tool.target
        else {
            continue;
        };
        let has_more = seen
            .snapshot
            .sources
            .iter()
            .any(|source| region.is_within(&source.region));
        let declared = seen.snapshot.actions.iter();
        let mut declared = declared.filter(|facts| facts.action.id == *id && facts.region == *region);
        if let Some(facts) = declared.next().filter(|_| has_more) {
            let line = say.item_which(&visible_line(&facts.action.description, 120));
            items.push(of(tool, facts, None, line, None));
        }
    }
    items
}

fn item(say: &Strings, seen: &Observation, facts: &ActionFacts) -> Option<Item> {
    let is_it = |tool: &&ToolSchema| match &tool.target {
        ToolTarget::Action {
            id,
            region,
            takes_record,
        } => *id == facts.action.id && *region == facts.region && *takes_record == facts.record.is_some(),
        ToolTarget::Discovery(_) => false,
    };
    let tool = seen.tools.iter().chain(&seen.unavailable).find(is_it)?;
    let action = visible_line(&facts.action.description, 120);
    let record = facts.record.as_ref().map(|id| {
        let known = seen.snapshot.records.iter().find(|known| known.record.id == *id);
        let label = known.map_or_else(|| id.to_string(), |known| known.record.label.to_string());
        (id.clone(), visible_line(&label, 80))
    });
    let line = match &record {
        Some((_, label)) => say.item_record(&action, label),
        None => action,
    };
    let usable = facts.availability.is_usable();
    let reason = (!usable).then(|| why(say, &facts.availability));
    Some(of(tool, facts, record, line, reason))
}

fn of(
    tool: &ToolSchema,
    facts: &ActionFacts,
    record: Option<(RecordId, String)>,
    line: String,
    reason: Option<String>,
) -> Item {
    Item {
        tool: tool.name.clone(),
        action: facts.action.id.clone(),
        description: facts.action.description.to_string(),
        record,
        line,
        reason,
        sensitive: facts.action.sensitive,
        parameters: tool.parameters.clone(),
    }
}

/// The arguments of one item, as its schema describes them.
#[derive(Debug)]
pub(super) struct Form {
    pub(super) item: Item,
    pub(super) fields: Vec<Field>,
    pub(super) fresh: bool,
}

/// One argument being written.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) required: bool,
    pub(super) kind: FieldKind,
    pub(super) text: String,
    /// What a flag says.
    pub(super) said: Option<bool>,
}

/// How an argument is written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Secret,
    Number,
    Flag,
    /// One that may be left out.
    OptionalFlag,
    Choice(Vec<String>),
    /// Anything else, as JSON.
    Json,
}

impl Form {
    pub(super) fn new(item: Item) -> Self {
        let required: Vec<_> = item.parameters["required"].as_array().into_iter().flatten().collect();
        let properties = item.parameters["properties"].as_object().into_iter().flatten();
        let open = properties.filter(|(name, _)| !(*name == "record" && item.record.is_some()));
        let fields = open.map(|(name, schema)| {
            let required = required.iter().any(|required| *required == name);
            let kind = match kind(schema, item.sensitive) {
                FieldKind::Flag if !required => FieldKind::OptionalFlag,
                kind => kind,
            };
            Field {
                name: name.clone(),
                description: visible_line(schema["description"].as_str().unwrap_or_default(), 160),
                required,
                said: (kind == FieldKind::Flag).then_some(true),
                kind,
                text: String::new(),
            }
        });
        let fields = fields.collect();
        Self {
            item,
            fields,
            fresh: true,
        }
    }

    /// Whether it has to be told something before it can run.
    pub(super) fn is_needed(&self) -> bool {
        self.fields.iter().any(|field| field.required)
    }

    /// The arguments that were settled by the pick.
    pub(super) fn fixed(&self) -> Map<String, Value> {
        let record = self.item.record.as_ref();
        record
            .map(|(id, _)| ("record".to_owned(), id.as_str().into()))
            .into_iter()
            .collect()
    }

    /// All arguments; `Err`: what is missing or wrong.
    pub(super) fn arguments(&self, say: &Strings) -> Result<Map<String, Value>, String> {
        let mut arguments = self.fixed();
        for field in &self.fields {
            if let Some(value) = field.value(say)? {
                arguments.insert(field.name.clone(), value);
            }
        }
        Ok(arguments)
    }
}

impl Field {
    /// Whether it is a field to write in.
    pub(super) fn is_written(&self) -> bool {
        !matches!(
            self.kind,
            FieldKind::Flag | FieldKind::OptionalFlag | FieldKind::Choice(_)
        )
    }

    fn value(&self, say: &Strings) -> Result<Option<Value>, String> {
        let Self { name, text, .. } = self;
        if matches!(self.kind, FieldKind::Flag | FieldKind::OptionalFlag) {
            return Ok(self.said.map(Value::from));
        }
        if text.is_empty() {
            // An empty text is a text; every other kind says nothing with it.
            return match self.kind {
                FieldKind::Text | FieldKind::Secret if self.required => Ok(Some("".into())),
                _ if self.required => Err(say.is_missing(name)),
                _ => Ok(None),
            };
        }
        Ok(Some(match self.kind {
            FieldKind::Text | FieldKind::Secret | FieldKind::Choice(_) => text.as_str().into(),
            FieldKind::Flag | FieldKind::OptionalFlag | FieldKind::Number | FieldKind::Json => {
                serde_json::from_str(text.trim()).map_err(|error| say.is_wrong(name, &error.to_string()))?
            }
        }))
    }
}

fn kind(schema: &Value, sensitive: bool) -> FieldKind {
    if let Some(choices) = schema["enum"].as_array() {
        let words = choices.iter().filter_map(Value::as_str).map(ToOwned::to_owned);
        return FieldKind::Choice(words.collect());
    }
    match schema["type"].as_str() {
        Some("string") if sensitive => FieldKind::Secret,
        Some("string") => FieldKind::Text,
        Some("number" | "integer") => FieldKind::Number,
        Some("boolean") => FieldKind::Flag,
        _ => FieldKind::Json,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_flag_that_may_be_left_out_says_nothing_until_it_is_chosen() {
        let flag = json!({ "type": "boolean" });
        let item = Item {
            tool: "mark".to_owned(),
            action: ActionId::new("mark"),
            description: String::new(),
            record: None,
            line: String::new(),
            reason: None,
            sensitive: false,
            parameters: json!({ "properties": { "a": flag, "b": flag }, "required": ["b"] }),
        };
        let say = Strings::default();
        let mut form = Form::new(item);
        assert_eq!(Value::from(form.arguments(&say).unwrap()), json!({ "b": true }));
        form.fields[0].said = Some(false);
        assert_eq!(
            Value::from(form.arguments(&say).unwrap()),
            json!({ "a": false, "b": true })
        );
    }
}
