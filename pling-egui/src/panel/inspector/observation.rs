//! The observation: its parts against the budget, its actions, and its text.

use egui::{Grid, Id, Ui};
use pling_core::{
    llm::estimate_tokens,
    model::{ActionId, RegionPath},
    observe::{Budget, Observation, SectionKind, ToolSchema, ToolTarget},
};

use super::{code, line_ui};
use crate::{
    Pling,
    panel::{
        look::{aside, detail},
        presence::outline,
        visible::visible,
    },
};

/// How much there is, and what was left out.
pub(super) fn summary_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    let budget = pling.executor().policy().budget;
    let all = estimate_tokens(&observation.text);
    let tools = tool_tokens(&observation.tools);
    let window = pling.config().limits.context_tokens;
    ui.label(detail(
        ui,
        format!("About {} of {window} tokens: {all} page, {tools} tools", all + tools),
    ));
    Grid::new("sections")
        .num_columns(3)
        .striped(true)
        .spacing([10.0, 2.0])
        .show(ui, |ui| {
            for (kind, range) in &observation.sections {
                let (name, limit) = part(*kind, &budget);
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
        (omitted.actions, "actions"),
        (omitted.records, "records' fields"),
        (omitted.citation_ids, "record ids"),
        (omitted.regions, "regions"),
        (omitted.feedback, "messages"),
        (omitted.state, "state values"),
    ];
    let left_out: Vec<_> = left_out.iter().filter(|(count, _)| *count > 0).collect();
    if left_out.is_empty() {
        ui.label(aside(ui, "Nothing is left out"));
    } else {
        let words: Vec<_> = left_out.iter().map(|(count, what)| format!("{count} {what}")).collect();
        let words = format!("Left out, and said so: {}", words.join(", "));
        ui.label(detail(ui, words).color(ui.visuals().warn_fg_color));
    }
    for fault in &observation.snapshot.faults {
        ui.label(detail(ui, visible(fault)).color(ui.visuals().error_fg_color));
    }
}

fn tool_tokens(tools: &[ToolSchema]) -> usize {
    tools
        .iter()
        .map(|tool| estimate_tokens(&tool.to_json().to_string()))
        .sum()
}

fn part(kind: SectionKind, budget: &Budget) -> (&'static str, String) {
    match kind {
        SectionKind::Page => ("Page", format!("≤ {} characters", budget.max_page_chars)),
        SectionKind::Structure => ("Structure", format!("≤ {} regions", budget.max_regions)),
        SectionKind::Actions => ("Actions", format!("≤ {} entries", budget.max_actions)),
        SectionKind::Unavailable => ("Unavailable", "with the above".to_owned()),
        SectionKind::Records => (
            "Records",
            format!("≤ {}, {} characters", budget.max_records, budget.max_record_chars),
        ),
        SectionKind::CitationIds => ("Record ids", format!("≤ {}", budget.max_citation_ids)),
        SectionKind::Hidden => ("Hidden", String::new()),
        SectionKind::State => ("State", format!("≤ {} characters", budget.max_state_chars)),
        SectionKind::Feedback => (
            "Feedback",
            format!("≤ {}, {} characters", budget.max_feedback, budget.max_feedback_chars),
        ),
    }
}

/// Each action with its schema; those that cannot be used with the reason.
pub(super) fn actions_ui(ui: &mut Ui, pling: &Pling, observation: &Observation) {
    if observation.tools.is_empty() && observation.unavailable.is_empty() {
        ui.label(aside(ui, "This page declares no action"));
    }
    for (index, tool) in observation.tools.iter().enumerate() {
        ui.push_id(("tool", index), |ui| tool_ui(ui, pling, tool, None));
    }
    for (index, tool) in observation.unavailable.iter().enumerate() {
        let why = reason(observation, &tool.target);
        ui.push_id(("unavailable", index), |ui| tool_ui(ui, pling, tool, Some(&why)));
    }
}

fn tool_ui(ui: &mut Ui, pling: &Pling, tool: &ToolSchema, why: Option<&str>) {
    let schema = serde_json::to_string_pretty(&tool.to_json()["function"]).unwrap_or_default();
    let text = code(ui, visible(&tool.name));
    let text = if why.is_some() { text.weak() } else { text };
    let mut is_pointed_at = line_ui(ui, text, &schema);
    match why {
        Some(why) => ui.label(detail(ui, visible(why)).color(ui.visuals().warn_fg_color)),
        None => ui.label(aside(ui, visible(&tool.description))),
    };
    let shown = egui::CollapsingHeader::new(aside(ui, "Schema"))
        .id_salt("schema")
        .show(ui, |ui| {
            is_pointed_at |= line_ui(ui, code(ui, visible(&schema)), &schema);
        });
    is_pointed_at |= shown.header_response.hovered();
    if let ToolTarget::Action { id, .. } = &tool.target
        && is_pointed_at
    {
        for (index, (viewport, widget)) in pling.shared().places(id, None).iter().enumerate() {
            let layer = Id::unique(("pling.inspector", index));
            outline(ui.ctx(), layer, *viewport, widget, None, 1.0);
        }
    }
}

/// Why an action cannot be used, as the first of its widgets says.
pub(in crate::panel) fn reason(observation: &Observation, target: &ToolTarget) -> String {
    let ToolTarget::Action { id, region, .. } = target else {
        return String::new();
    };
    let is_it = |action: &ActionId, at: &RegionPath| action == id && at == region;
    let facts = observation.snapshot.actions.iter();
    let mut facts = facts.filter(|facts| is_it(&facts.action.id, &facts.region) && !facts.availability.is_usable());
    facts
        .next()
        .map(|facts| facts.availability.to_string())
        .unwrap_or_default()
}

/// The page section of the next request.
pub(super) fn text_ui(ui: &mut Ui, observation: &Observation) {
    if ui.button("Copy all").clicked() {
        ui.ctx().copy_text(observation.text.clone());
    }
    for line in observation.text.lines() {
        if line.is_empty() {
            ui.add_space(4.0);
        } else {
            line_ui(ui, code(ui, visible(line)), line);
        }
    }
}
