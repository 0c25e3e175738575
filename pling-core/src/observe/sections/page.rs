//! Which page it is.

use crate::{
    model::PageIdentity,
    observe::{
        text::{Detail, FENCE_CHARS, List, fit, push_fenced, push_text},
        view::View,
    },
};

const HEADING: &str = "## Page\n";

pub(super) fn write(view: &mut View<'_>, out: &mut String) {
    let room = view.budget.max_page_chars.saturating_sub(HEADING.len() + FENCE_CHARS);
    out.push_str(HEADING);
    match fit(room, |json, detail| push_identity(json, &view.snapshot.page, detail)) {
        Some(json) => push_fenced(out, &json),
        None => out.push_str("(beyond the limit)"),
    }
}

fn push_identity(json: &mut String, page: &PageIdentity, detail: Detail) {
    let PageIdentity {
        title,
        path,
        route,
        parameters,
        query,
    } = page;
    let mut fields = List::begin(json, '{');
    push_text(fields.key("title"), title, detail.text);
    if !path.is_empty() {
        push_text(fields.key("path"), path, detail.text);
    }
    if let Some(route) = route {
        push_text(fields.key("route"), route, detail.text);
    }
    for (name, pairs) in [("parameters", parameters), ("query", query)] {
        if pairs.is_empty() {
            continue;
        }
        let mut list = List::begin(fields.key(name), '{');
        for (key, value) in pairs.iter().take(detail.items) {
            push_text(list.key(key), value, detail.text);
        }
        list.end(pairs.len().saturating_sub(detail.items), '}');
    }
    fields.end(0, '}');
}
