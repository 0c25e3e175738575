//! Read-only values that explain the page.

use super::Lines;
use crate::{
    model::StateView,
    observe::{
        text::{FENCE_CHARS, NAME_CHARS, SENTENCE_CHARS, authored, fit, push_fenced, push_value},
        view::View,
    },
};

/// Characters of one value, however many there are.
const MIN_VALUE_CHARS: usize = 60;
/// Characters of one value, however few there are.
const MAX_VALUE_CHARS: usize = 300;
/// Room kept for the line that counts and names what is not shown.
const MARK_CHARS: usize = 160;

pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    let state = &view.snapshot.state;
    let mut lines = Lines::begin(out, "## State", view.budget.max_state_chars, MARK_CHARS);
    let mut omitted = Vec::new();
    for (index, state_view) in state.iter().enumerate() {
        // A large one does not push out those after it.
        let share = (lines.left / (state.len() - index)).clamp(MIN_VALUE_CHARS, MAX_VALUE_CHARS);
        if !push_state(&mut lines, view, state_view, share) {
            omitted.push(state_view);
        }
    }
    if state.is_empty() {
        lines.mark("\nnone");
    } else if !omitted.is_empty() {
        lines.mark(&omission(&omitted));
    }
    view.omitted.state = omitted.len();
}

/// How many are left out, and the names of as many as there is room for.
fn omission(omitted: &[&StateView]) -> String {
    let mut mark = format!("\n{} more state views do not fit", omitted.len());
    let mut separator = ": ";
    for state in omitted {
        let name = authored(&state.name, NAME_CHARS);
        if mark.chars().count() + separator.len() + name.chars().count() + ", …".len() > MARK_CHARS {
            mark.push_str(if separator == ", " { ", …" } else { "" });
            break;
        }
        mark.extend([separator, &*name]);
        separator = ", ";
    }
    mark
}

fn push_state(lines: &mut Lines<'_>, view: &View<'_>, state: &StateView, max_chars: usize) -> bool {
    let StateView {
        name,
        description,
        value,
        region,
    } = state;
    let mut line = format!("\n- {}", authored(name, NAME_CHARS));
    if let Some(region) = view.name_at(region) {
        line.extend([" in ", &region]);
    }
    if !description.is_empty() {
        line.extend([" (", &authored(description, SENTENCE_CHARS), ")"]);
    }
    line.push_str(": ");
    let Some(value) = value else {
        line.push_str("[withheld]");
        return lines.push(&line);
    };
    let room = lines.left.saturating_sub(line.chars().count() + FENCE_CHARS);
    match fit(room.min(max_chars), |json, detail| push_value(json, value, detail)) {
        Some(json) => {
            push_fenced(&mut line, &json);
            lines.push(&line)
        }
        None => false,
    }
}
