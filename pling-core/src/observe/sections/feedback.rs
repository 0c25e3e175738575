//! What the page tells its user: errors first.

use super::Lines;
use crate::{
    model::Feedback,
    observe::{
        text::{Detail, List, NAME_CHARS, fit, push_text},
        view::View,
    },
};

const OPEN: &str = "\n<page_data>[";
const CLOSE: &str = "]</page_data>";
/// Room kept for the line that counts what is not shown.
const MARK_CHARS: usize = 70;
/// The least room that one item may take.
const MIN_ITEM_CHARS: usize = 150;
/// Reasons for being busy that are listed.
const MAX_BUSY: usize = 3;
/// Characters of one reason for being busy.
const BUSY_CHARS: usize = 60;

pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    let max_chars = view.budget.max_feedback_chars;
    let mut lines = Lines::begin(out, "## Feedback", max_chars, OPEN.len() + CLOSE.len() + MARK_CHARS);
    push_busy(&mut lines, view);
    let mut items: Vec<&Feedback> = view.snapshot.feedback.iter().collect();
    items.sort_by_key(|item| item.level);
    let mut listed = 0;
    for item in items.iter().take(view.budget.max_feedback) {
        let room = lines.left.saturating_sub(2).min((max_chars / 3).max(MIN_ITEM_CHARS));
        let Some(json) = fit(room, |json, detail| push_item(json, view, item, detail)) else {
            break;
        };
        if listed == 0 {
            lines.mark(OPEN);
        } else {
            lines.push(",\n");
        }
        lines.push(&json);
        listed += 1;
    }
    if listed > 0 {
        lines.mark(CLOSE);
    }
    let omitted = items.len() - listed;
    if items.is_empty() {
        lines.mark("\nnone");
    } else if omitted > 0 {
        lines.mark(&format!("\n{omitted} more items not shown; see to these first"));
    }
    view.omitted.feedback = omitted;
}

fn push_item(json: &mut String, view: &View<'_>, item: &Feedback, detail: Detail) {
    let Feedback {
        level,
        field: _,
        text,
        region,
        record,
    } = item;
    let mut members = List::begin(json, '{');
    push_text(members.key("level"), &level.to_string(), NAME_CHARS);
    if let Some(field) = view.field_name(item) {
        push_text(members.key("field"), &field, NAME_CHARS);
    }
    push_text(members.key("text"), text, detail.text);
    if let Some(region) = view.name_at(region) {
        push_text(members.key("region"), &region, NAME_CHARS);
    }
    if let Some(record) = record {
        push_text(members.key("record"), record.as_str(), detail.text);
    }
    members.end(0, '}');
}

fn push_busy(lines: &mut Lines<'_>, view: &View<'_>) {
    let busy = &view.snapshot.busy;
    if busy.is_empty() {
        return;
    }
    let mut json = String::new();
    let mut list = List::begin(&mut json, '[');
    for reason in busy.iter().take(MAX_BUSY) {
        push_text(list.next(), reason, BUSY_CHARS);
    }
    list.end(busy.len().saturating_sub(MAX_BUSY), ']');
    if !lines.push(&format!("\nThe app is busy: <page_data>{json}</page_data>")) {
        lines.push("\nThe app is busy");
    }
}
