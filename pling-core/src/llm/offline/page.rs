//! The page as an observation's reader sees it: what can be done, and which records can be named.

use serde_json::Value;

use super::words::{Word, is_concept, term, words};
use crate::{
    model::{Action, Effect, Input, RecordId, RegionPath},
    observe::{Discovery, Observation, ToolTarget},
    snapshot::Snapshot,
};

/// One thing that can be done, with its words.
#[derive(Debug)]
pub(super) struct Tool<'a> {
    /// The name to call it by.
    pub(super) name: &'a str,
    pub(super) description: &'a str,
    pub(super) effect: Effect,
    pub(super) takes_record: bool,
    pub(super) region: RegionPath,
    /// What a widget takes; `None` for a tool that is described by its schema alone.
    pub(super) input: Option<&'a Input>,
    pub(super) schema: Option<&'a Value>,
    pub(super) discovery: Option<Discovery>,
    /// Why it cannot be used now.
    pub(super) unavailable: Option<String>,
    pub(super) name_terms: Vec<String>,
    pub(super) description_terms: Vec<String>,
    /// Verbs that go with its kind of widget.
    pub(super) input_terms: Vec<&'static str>,
    action: Option<&'a Action>,
}

impl<'a> Tool<'a> {
    fn new(name: &'a str, id: &str, description: &'a str, action: Option<&'a Action>) -> Self {
        let name_terms: Vec<_> = id
            .split(['_', '-', ' ', '.'])
            .filter(|part| !part.is_empty())
            .map(term)
            .collect();
        let description_terms: Vec<_> = words(description).into_iter().map(|word| word.term).collect();
        let input_terms = match action.map(|action| &action.input) {
            Some(Input::Toggle) => {
                let completes = |terms: &[String]| terms.iter().any(|term| term == "#complete");
                if completes(&name_terms) || completes(&description_terms) || name_terms == ["#check"] {
                    vec!["#check", "#enable", "#complete"]
                } else {
                    vec!["#check", "#enable"]
                }
            }
            Some(Input::Number { .. }) => vec!["#set"],
            Some(Input::Choice { .. }) => vec!["#set", "#select", "#show"],
            Some(Input::Text { .. }) => vec!["#type"],
            Some(Input::Expand) => vec!["#expand", "#open"],
            Some(Input::Click) => vec!["#press"],
            Some(Input::Schema(_)) | None => Vec::new(),
        };
        Self {
            name,
            description,
            effect: action.map_or(Effect::Read, |action| action.effect),
            takes_record: false,
            region: RegionPath::root(),
            input: action
                .map(|action| &action.input)
                .filter(|input| !matches!(input, Input::Schema(_))),
            schema: match action.map(|action| &action.input) {
                Some(Input::Schema(schema)) => Some(schema),
                _ => None,
            },
            discovery: None,
            unavailable: None,
            name_terms,
            description_terms,
            input_terms,
            action,
        }
    }

    /// Whether a word belongs to the description of the tool rather than to what it is to be used on.
    pub(super) fn explains(&self, word: &Word) -> bool {
        !word.quoted
            && (self.name_terms.contains(&word.term)
                || self.description_terms.contains(&word.term)
                || self.input_terms.contains(&word.term.as_str()))
    }

    /// Whether a word names what the tool does: any of its verbs, or the first word of its name or description.
    pub(super) fn is_verb(&self, word: &Word) -> bool {
        let first = |terms: &[String]| terms.first() == Some(&word.term);
        (is_concept(&word.term) && self.explains(word)) || first(&self.name_terms) || first(&self.description_terms)
    }

    /// Whether typing into it shows other records.
    pub(super) fn is_search(&self) -> bool {
        let searches = |terms: &[String]| terms.iter().any(|term| term == "#search");
        let looks = self.effect == Effect::Read || searches(&self.name_terms) || searches(&self.description_terms);
        matches!(self.input, Some(Input::Text { .. })) && !self.takes_record && looks && self.effect < Effect::Danger
    }

    /// The texts that can be chosen.
    pub(super) fn choices(&self) -> &'a [String] {
        match self.input {
            Some(Input::Choice { choices }) => choices,
            _ => &[],
        }
    }

    /// Whether something it takes may be said in free words.
    pub(super) fn takes_words(&self) -> bool {
        match self.input {
            _ if self.takes_record => true,
            Some(Input::Text { .. }) => true,
            None => self.schema.is_some_and(has_properties),
            _ => false,
        }
    }
}

fn has_properties(schema: &Value) -> bool {
    schema["properties"]
        .as_object()
        .is_some_and(|properties| !properties.is_empty())
}

/// Everything that can be done on a page, in the observation's order, and after it what cannot be done now.
pub(super) fn tools(observation: &Observation) -> Vec<Tool<'_>> {
    let snapshot = &*observation.snapshot;
    let mut tools: Vec<Tool<'_>> = Vec::new();
    for schema in &observation.tools {
        let tool = match &schema.target {
            ToolTarget::Action {
                id,
                region,
                takes_record,
            } => {
                let facts = snapshot
                    .actions
                    .iter()
                    .find(|facts| facts.action.id == *id && facts.region == *region);
                let action = facts.map(|facts| &*facts.action);
                let description = action.map_or(schema.description.as_str(), |action| &action.description);
                Tool {
                    takes_record: *takes_record,
                    region: region.clone(),
                    schema: Some(&schema.parameters),
                    ..Tool::new(&schema.name, id.as_str(), description, action)
                }
            }
            ToolTarget::Discovery(discovery) => Tool {
                discovery: Some(*discovery),
                schema: Some(&schema.parameters),
                ..Tool::new(&schema.name, &schema.name, &schema.description, None)
            },
        };
        tools.push(tool);
    }
    for facts in snapshot.actions.iter().filter(|facts| !facts.availability.is_usable()) {
        let action = &*facts.action;
        let is_known = tools
            .iter()
            .any(|tool| tool.region == facts.region && tool.action.is_some_and(|other| other.id == action.id));
        if !is_known {
            tools.push(Tool {
                takes_record: facts.record.is_some(),
                region: facts.region.clone(),
                unavailable: Some(facts.availability.to_string()),
                ..Tool::new(
                    action.id.as_str(),
                    action.id.as_str(),
                    &action.description,
                    Some(action),
                )
            });
        }
    }
    tools
}

/// A record that can be named.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) id: RecordId,
    /// Absent where only the id is shown.
    pub(super) label: Option<String>,
    /// Terms of the label.
    pub(super) label_terms: Vec<String>,
    /// Terms that may also be used of it: its kind, its fields.
    pub(super) other_terms: Vec<String>,
}

impl Candidate {
    pub(super) fn labeled(id: RecordId, label: &str) -> Self {
        Self {
            id,
            label: Some(label.to_owned()),
            label_terms: words(label).into_iter().flat_map(|word| words_of(&word)).collect(),
            other_terms: Vec::new(),
        }
    }
}

/// A quoted phrase inside a label is still words.
fn words_of(word: &Word) -> Vec<String> {
    if word.quoted {
        word.text.split_whitespace().map(term).collect()
    } else {
        vec![word.term.clone()]
    }
}

/// The records a tool can be used on, in the order of the page. Labels only of those an observation shows in full: at least
/// half inside the viewport.
pub(super) fn candidates(snapshot: &Snapshot, region: &RegionPath) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut add = |candidate: Candidate| match candidates.iter_mut().find(|other| other.id == candidate.id) {
        Some(known) if known.label.is_none() => *known = candidate,
        Some(_) => {}
        None => candidates.push(candidate),
    };
    let by_id = |id: &RecordId| Candidate {
        id: id.clone(),
        label: None,
        label_terms: Vec::new(),
        other_terms: Vec::new(),
    };
    for source in snapshot.sources.iter().filter(|source| source.region.is_within(region)) {
        source.first_ids.iter().for_each(|id| add(by_id(id)));
    }
    for facts in snapshot.records.iter().filter(|facts| facts.region.is_within(region)) {
        let record = &facts.record;
        if facts.visible < 0.5 {
            add(by_id(&record.id));
            continue;
        }
        let fields = record.fields.iter().filter_map(|(_, value)| value.as_ref()?.as_str());
        add(Candidate {
            other_terms: fields
                .chain([record.kind.as_str()])
                .flat_map(words)
                .map(|word| word.term)
                .collect(),
            ..Candidate::labeled(record.id.clone(), &record.label)
        });
    }
    candidates
}

/// What an observation's reader may call a record.
pub(super) fn name_of(snapshot: &Snapshot, id: &str) -> String {
    let shown = snapshot
        .records
        .iter()
        .find(|facts| facts.record.id.as_str() == id && facts.visible >= 0.5);
    shown.map_or(id, |facts| &facts.record.label).to_owned()
}
