//! Whether what an author expects was seen.

use crate::{
    model::{Expect, Level, RecordId},
    snapshot::{Changes, Snapshot},
};

/// Whether the expectation holds of the page after an action.
pub(super) fn is_met(expect: &Expect, before: &Snapshot, after: &Snapshot, changes: &Changes) -> bool {
    let records = &changes.records;
    match expect {
        Expect::Changed => changes.observed(),
        Expect::RecordAdded(None) => {
            !records.added.is_empty() || records.counts.iter().any(|count| count.after > count.before)
        }
        Expect::RecordAdded(Some(id)) => !has_record(before, id) && has_record(after, id),
        Expect::RecordRemoved(None) => {
            !records.removed.is_empty() || records.counts.iter().any(|count| count.after < count.before)
        }
        Expect::RecordRemoved(Some(id)) => has_record(before, id) && !has_record(after, id),
        Expect::RecordChanged(None) => !records.changed.is_empty(),
        Expect::RecordChanged(Some(id)) => records.changed.iter().any(|change| change.id == *id),
        Expect::RegionOpened(id) => has_region(after, id.as_str()),
        Expect::RegionClosed(id) => !has_region(after, id.as_str()),
        Expect::StateEquals(name, value) => after
            .state
            .iter()
            .any(|view| view.name == *name && view.value.as_ref() == Some(value)),
        Expect::Feedback(level) => has_feedback(after, *level),
        Expect::NoError => !has_feedback(after, Level::Error),
    }
}

/// Whether waiting longer makes sense: not once the page has answered with an error and waits for nothing.
pub(super) fn can_still_come(expect: &Expect, after: &Snapshot, changes: &Changes) -> bool {
    let is_refused = changes.feedback.iter().any(|feedback| feedback.level == Level::Error);
    !after.busy.is_empty() || !is_refused || *expect == Expect::Feedback(Level::Error)
}

/// The expectation in words.
pub(super) fn describe(expect: &Expect) -> String {
    let some = |id: &Option<RecordId>| match id {
        Some(id) => format!("the record \"{}\"", super::arguments::shortened(id.as_str())),
        None => "a record".to_owned(),
    };
    match expect {
        Expect::Changed => "some change".to_owned(),
        Expect::RecordAdded(id) => format!("{} to be added", some(id)),
        Expect::RecordRemoved(id) => format!("{} to be removed", some(id)),
        Expect::RecordChanged(id) => format!("{} to change", some(id)),
        Expect::RegionOpened(id) => format!("the region `{id}` to open"),
        Expect::RegionClosed(id) => format!("the region `{id}` to close"),
        Expect::StateEquals(name, value) => format!("the state `{name}` to be {value}"),
        Expect::Feedback(level) => format!("feedback of level {level}"),
        Expect::NoError => "no error".to_owned(),
    }
}

/// Whether a region of this id is on the page, wherever.
pub(super) fn has_region(snapshot: &Snapshot, id: &str) -> bool {
    snapshot.regions.iter().any(|facts| facts.region.id.as_str() == id)
}

fn has_record(snapshot: &Snapshot, id: &RecordId) -> bool {
    let drawn = snapshot.records.iter().map(|facts| &facts.record.id);
    let listed = snapshot.sources.iter().flat_map(|source| &source.first_ids);
    drawn.chain(listed).any(|known| known == id)
}

fn has_feedback(snapshot: &Snapshot, level: Level) -> bool {
    snapshot.feedback.iter().any(|feedback| feedback.level == level)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{
        model::{Feedback, Record, Region, RegionPath, StateView},
        snapshot::{RecordFacts, RegionFacts},
    };

    fn page(edit: impl FnOnce(&mut Snapshot)) -> Snapshot {
        let mut snapshot = Snapshot::new(1);
        edit(&mut snapshot);
        snapshot
    }

    #[test]
    fn each_expectation_is_met_by_what_it_names() {
        let empty = page(|_| {});
        let record = page(|page| page.records.push(RecordFacts::new(Arc::new(Record::new("t1", "Milk")))));
        let region = page(|page| {
            let path = RegionPath::root().child("settings".into());
            page.regions
                .push(RegionFacts::new(Region::new("settings", "Settings"), path));
        });
        let state = page(|page| page.state.push(StateView::new("filter", "Shown", Some(json!("all")))));
        let error = page(|page| page.feedback.push(Feedback::error()));
        let check = |expect: Expect, before: &Snapshot, after: &Snapshot, met: bool| {
            let changes = before.changes_to(after);
            assert_eq!(is_met(&expect, before, after, &changes), met, "{expect:?}");
        };
        check(Expect::RecordAdded(Some("t1".into())), &empty, &record, true);
        check(Expect::RecordAdded(Some("t1".into())), &record, &record, false);
        check(Expect::RecordAdded(Some("t2".into())), &empty, &record, false);
        check(Expect::RecordRemoved(Some("t1".into())), &record, &empty, true);
        check(Expect::RecordRemoved(Some("t1".into())), &empty, &empty, false);
        check(Expect::region_opened("settings"), &empty, &region, true);
        check(Expect::region_opened("settings"), &region, &empty, false);
        check(Expect::region_closed("settings"), &region, &empty, true);
        check(Expect::state("filter", "all"), &empty, &state, true);
        check(Expect::state("filter", "done"), &empty, &state, false);
        check(Expect::feedback(Level::Error), &empty, &error, true);
        check(Expect::feedback(Level::Success), &empty, &error, false);
        check(Expect::no_error(), &empty, &error, false);
        check(Expect::no_error(), &error, &empty, true);
        check(Expect::changed(), &empty, &empty, false);
    }
}
