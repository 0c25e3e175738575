//! A bounded view of a snapshot for a reader who is not looking at the screen: text, and the tools that go with it.
//!
//! A snapshot is folded and indexed once (`view`). The sections and the tool schemas are written from that, so they
//! cannot disagree. What a limit cuts is counted where it is cut and in [`Omitted`]. Authored words stand as they
//! are; page data stands only between `<page_data>` and `</page_data>`, as JSON that cannot end the fence.

mod budget;
mod discovery;
mod fold;
mod record_index;
mod regions;
mod schema;
mod sections;
mod text;
mod tool_name;
mod view;

use std::{ops::Range, sync::Arc};

use serde_json::{Value, json};

pub use budget::{Budget, Omitted};
pub use schema::{Discovery, ToolSchema, ToolTarget};
pub use sections::SectionKind;

use crate::{model::RegionPath, snapshot::Snapshot};
use sections::SECTIONS;
use view::View;

/// A bounded view of one snapshot. The same snapshot and budget give the same bytes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Observation {
    /// The snapshot it was made of.
    pub snapshot: Arc<Snapshot>,
    /// The page section of the system message.
    pub text: String,
    /// The callable interface, from the same fold as the text: actions that can be used, then discovery.
    pub tools: Vec<ToolSchema>,
    /// Actions that are listed but cannot be used now. Not offered; kept so that a call of one is understood.
    pub unavailable: Vec<ToolSchema>,
    /// What the budget cut.
    pub omitted: Omitted,
    /// Where each section is in the text, in order.
    pub sections: Vec<(SectionKind, Range<usize>)>,
}

/// Words of an author as they stand in descriptions: one line, bounded, without what hides.
#[cfg(all(feature = "mcp", not(target_arch = "wasm32")))] // the only reader outside of this module
pub(crate) fn sentence(words: &str) -> std::borrow::Cow<'_, str> {
    text::authored(words, text::SENTENCE_CHARS)
}

impl Observation {
    /// Folds a snapshot and writes it down within a budget.
    #[must_use]
    pub fn new(snapshot: &Arc<Snapshot>, budget: &Budget) -> Self {
        let mut view = View::new(snapshot, budget);
        let mut text = String::with_capacity(8 * 1024);
        let mut sections = Vec::with_capacity(SECTIONS.len());
        for (kind, write) in SECTIONS {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            let start = text.len();
            write(&mut view, &mut text);
            sections.push((kind, start..text.len()));
        }
        text.push('\n');
        let schemas = |usable| view.listed(usable).map(|index| schema::action_tool(&view, index));
        Self {
            snapshot: Arc::clone(snapshot),
            tools: schemas(true).chain(discovery::tools(&view)).collect(),
            unavailable: schemas(false).collect(),
            omitted: view.omitted,
            text,
            sections,
        }
    }

    /// The tool a model called by exact name, among those that can be used and those listed as unavailable.
    /// `None`: this observation lists no such action.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ToolSchema> {
        self.tools
            .iter()
            .chain(&self.unavailable)
            .find(|tool| tool.name == name)
    }

    /// The text of one section, its heading first.
    #[must_use]
    pub fn section(&self, kind: SectionKind) -> &str {
        let range = self.sections.iter().find(|(known, _)| *known == kind);
        range.map_or("", |(_, range)| &self.text[range.clone()])
    }

    /// The path of a region by the name it has here, by its whole path (`main > todos`), or by its own id where that
    /// is unique. `page` is the page itself.
    #[must_use]
    pub fn region(&self, name: &str) -> Option<RegionPath> {
        self.view(&Budget::default(), |view| view.regions.find(name))
    }

    /// Every action whose name, id, description or region holds all words of the query, listed or not, with its
    /// schema: at most `limit`, and how many more there are. Those whose name or id is the query come first.
    #[must_use]
    pub fn search_actions(&self, query: &str, limit: usize) -> (Vec<ToolSchema>, usize) {
        self.view(&everything(), |view| {
            let found = discovery::search(view, query);
            let tools = found.iter().take(limit).map(|index| schema::action_tool(view, *index));
            (tools.collect(), found.len().saturating_sub(limit))
        })
    }

    /// The actions that a name means, listed or not: the one tool of that name, else all of that action id,
    /// in one region if it is given (as in [`Self::region`]). More than one: the name is ambiguous.
    #[must_use]
    pub fn lookup(&self, name: &str, region: Option<&str>) -> Vec<ToolSchema> {
        self.view(&everything(), |view| {
            let found = discovery::lookup(view, name, region);
            found
                .into_iter()
                .map(|index| schema::action_tool(view, index))
                .collect()
        })
    }

    /// The serialized form for readers outside: `{"text":…,"tools":[…]}`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let tools: Vec<_> = self.tools.iter().map(ToolSchema::to_json).collect();
        json!({ "text": self.text, "tools": tools })
    }

    fn view<T>(&self, budget: &Budget, read: impl FnOnce(&View<'_>) -> T) -> T {
        read(&View::new(&self.snapshot, budget))
    }
}

/// A budget under which every action is listed. Names do not depend on the budget.
fn everything() -> Budget {
    Budget {
        max_actions: usize::MAX,
        ..Budget::default()
    }
}
