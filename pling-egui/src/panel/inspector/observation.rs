//! The observation: its parts against the budget, its actions, and its text.

use egui::{Grid, Ui};
use pling_core::{
    llm::estimate_tokens,
    model::{ActionId, RegionPath},
    observe::{Budget, Observation, SectionKind, ToolSchema, ToolTarget},
    snapshot::Availability,
};

use super::{code, line_ui};
use crate::{
    Pling,
    panel::{
        look::{aside, detail},
        outline::Outline,
        strings::Strings,
        visible::{visible, visible_line},
    },
};

/// Characters of a reason.
const MAX_REASON_CHARS: usize = 120;

/// How much there is, and what was left out.
pub(super) fn summary_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    let say = pling.say();
    let budget = pling.executor().policy().budget;
    let all = estimate_tokens(&observation.text);
    let tools = tool_tokens(&observation.tools);
    let window = pling.config().limits.context_tokens;
    let words = say.tokens(
        &(all + tools).to_string(),
        &window.to_string(),
        &all.to_string(),
        &tools.to_string(),
    );
    ui.label(detail(ui, words));
    Grid::new("sections")
        .num_columns(3)
        .striped(true)
        .spacing([10.0, 2.0])
        .show(ui, |ui| {
            for (kind, range) in &observation.sections {
                let (name, limit) = part(say, *kind, &budget);
                ui.label(detail(ui, name));
                ui.label(detail(
                    ui,
                    estimate_tokens(&observation.text[range.clone()]).to_string(),
                ));
                ui.label(aside(ui, limit));
                ui.end_row();
            }
        });
    let omitted = observation.omitted;
    let left_out = [
        (omitted.actions, say.left_actions(omitted.actions)),
        (omitted.records, say.left_fields(omitted.records)),
        (omitted.citation_ids, say.left_ids(omitted.citation_ids)),
        (omitted.regions, say.left_regions(omitted.regions)),
        (omitted.feedback, say.left_feedback(omitted.feedback)),
        (omitted.state, say.left_state(omitted.state)),
    ];
    let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
    match left_out
        .map(|(_, words)| words)
        .reduce(|first, second| say.list(&first, &second))
    {
        None => ui.label(aside(ui, say.nothing_left_out())),
        Some(words) => ui.label(detail(ui, say.left_out(&words)).color(ui.visuals().warn_fg_color)),
    };
    for fault in &observation.snapshot.faults {
        ui.label(detail(ui, visible(&say.fault(fault))).color(ui.visuals().error_fg_color));
    }
}

fn tool_tokens(tools: &[ToolSchema]) -> usize {
    tools
        .iter()
        .map(|tool| estimate_tokens(&tool.to_json().to_string()))
        .sum()
}

fn part(say: &Strings, kind: SectionKind, budget: &Budget) -> (String, String) {
    let of = |entries: usize, characters: usize| say.at_most_of(&entries.to_string(), &characters.to_string());
    match kind {
        SectionKind::Page => (say.part_page(), say.at_most_characters(budget.max_page_chars)),
        SectionKind::Structure => (say.part_structure(), say.at_most_regions(budget.max_regions)),
        SectionKind::Actions => (say.part_actions(), say.at_most_entries(budget.max_actions)),
        SectionKind::Unavailable => (say.part_unavailable(), say.with_above()),
        SectionKind::Records => (say.part_records(), of(budget.max_records, budget.max_record_chars)),
        SectionKind::CitationIds => (say.part_ids(), say.at_most(budget.max_citation_ids)),
        SectionKind::Hidden => (say.part_hidden(), String::new()),
        SectionKind::State => (say.part_state(), say.at_most_characters(budget.max_state_chars)),
        SectionKind::Feedback => (say.part_feedback(), of(budget.max_feedback, budget.max_feedback_chars)),
    }
}

/// Each action with its schema; those that cannot be used with the reason.
pub(super) fn actions_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    if observation.tools.is_empty() && observation.unavailable.is_empty() {
        ui.label(aside(ui, pling.say().no_action()));
    }
    for (index, tool) in observation.tools.iter().enumerate() {
        ui.push_id(("tool", index), |ui| tool_ui(ui, pling, tool, None));
    }
    for (index, tool) in observation.unavailable.iter().enumerate() {
        let why = reason(pling.say(), observation, &tool.target);
        ui.push_id(("unavailable", index), |ui| tool_ui(ui, pling, tool, Some(&why)));
    }
}

fn tool_ui(ui: &mut Ui, pling: &Pling, tool: &ToolSchema, why: Option<&str>) {
    let say = pling.say();
    let schema = serde_json::to_string_pretty(&tool.to_json()["function"]).unwrap_or_default();
    let text = code(ui, visible(&tool.name));
    let text = if why.is_some() { text.weak() } else { text };
    let mut is_pointed_at = line_ui(ui, say, text, &schema);
    match why {
        Some(why) => ui.label(detail(ui, visible(why)).color(ui.visuals().warn_fg_color)),
        None => ui.label(aside(ui, visible(&tool.description))),
    };
    let shown = egui::CollapsingHeader::new(aside(ui, say.schema()))
        .id_salt("schema")
        .show(ui, |ui| {
            is_pointed_at |= line_ui(ui, say, code(ui, visible(&schema)), &schema);
        });
    is_pointed_at |= shown.header_response.hovered();
    if let ToolTarget::Action { id, .. } = &tool.target
        && is_pointed_at
    {
        for (viewport, widget) in pling.shared().places(id, None) {
            pling.shared().outline(ui.ctx(), Outline::of(viewport, &widget));
        }
    }
}

/// Why an action cannot be used, as the first of its widgets says.
fn reason(say: &Strings, observation: &Observation, target: &ToolTarget) -> String {
    let ToolTarget::Action { id, region, .. } = target else {
        return String::new();
    };
    let is_it = |action: &ActionId, at: &RegionPath| action == id && at == region;
    let facts = observation.snapshot.actions.iter();
    let mut facts = facts.filter(|facts| is_it(&facts.action.id, &facts.region) && !facts.availability.is_usable());
    facts
        .next()
        .map(|facts| why(say, &facts.availability))
        .unwrap_or_default()
}

/// An availability in words.
pub(in crate::panel) fn why(say: &Strings, availability: &Availability) -> String {
    let short = |text: &str| visible_line(text, MAX_REASON_CHARS);
    match availability {
        Availability::Available => say.why_available(),
        Availability::Disabled => say.why_disabled(),
        Availability::Requires(reason) => say.why_requires(&short(reason)),
        Availability::CoveredBy(name) => say.why_covered(&short(name)),
        Availability::Offscreen => say.why_offscreen(),
        Availability::NotDrawn { .. } => say.why_not_drawn(),
        Availability::Hidden => say.why_hidden(),
        Availability::WindowHidden => say.why_window_hidden(),
        Availability::Handoff(reason) => say.why_handoff(&short(reason)),
    }
}

/// The page section of the next request.
pub(super) fn text_ui(ui: &mut Ui, say: &Strings, observation: &Observation) {
    if ui.button(say.copy_all()).clicked() {
        ui.ctx().copy_text(observation.text.clone());
    }
    for line in observation.text.lines() {
        if line.is_empty() {
            ui.add_space(4.0);
        } else {
            line_ui(ui, say, code(ui, visible(line)), line);
        }
    }
}
