//! What a receipt may claim: what differs between two snapshots, and nothing that only moved.

use std::sync::Arc;

use pling_core::{
    model::{Action, Effect, Feedback, Input, Record, RecordId, RegionRole, StateView},
    snapshot::{ActionFacts, Availability, Changes, RecordFacts, Snapshot, SourceFacts},
};
use serde_json::{Value, json};

use crate::support::todo_page::{self, action, path, record, region, with};

/// The changes that an edit of the todo page makes.
fn after(edit: impl FnOnce(&mut Snapshot)) -> Changes {
    let before = todo_page::snapshot();
    let mut after = before.clone();
    after.revision += 1;
    edit(&mut after);
    before.changes_to(&after)
}

fn json_of(changes: &Changes) -> Value {
    serde_json::to_value(changes).expect("changes are JSON")
}

fn edit_record(facts: &mut RecordFacts, edit: impl FnOnce(&mut Record)) {
    let mut record = (*facts.record).clone();
    edit(&mut record);
    facts.record = Arc::new(record);
}

#[test]
fn nothing_is_claimed_where_nothing_differs() {
    let changes = after(|_| {});
    assert!(!changes.observed());
    assert_eq!(json_of(&changes), json!({}));
}

#[test]
fn scrolling_and_waiting_are_no_change() {
    let mut before = todo_page::snapshot();
    before.actions[5].availability = Availability::NotDrawn { since: 1 };
    let mut after = before.clone();
    after.actions[5].availability = Availability::NotDrawn { since: 64 };
    for facts in &mut after.records {
        facts.visible = 1.0 - facts.visible;
    }
    for facts in &mut after.regions {
        facts.visible = 0.0;
    }
    for facts in &mut after.actions {
        facts.availability = match &facts.availability {
            Availability::Offscreen => Availability::Available,
            Availability::Available => Availability::Offscreen,
            other => other.clone(),
        };
    }
    assert_eq!(json_of(&before.changes_to(&after)), json!({}));
}

#[test]
fn records_that_come_go_or_differ_are_told_by_id() {
    let changes = after(|page| {
        page.records.remove(1);
        page.records.insert(0, record("t13", "New", &["todos"]));
        edit_record(&mut page.records[1], |task| {
            task.label = "Reviewed".into();
            task.fields[0].1 = Some(json!(true));
        });
    });
    let expected = json!({ "records": {
        "added": ["t13"], "removed": ["t2"],
        "changed": [{ "id": "t1", "fields": { "label": "Reviewed", "done": true } }],
    }});
    assert_eq!(json_of(&changes), expected);
}

#[test]
fn a_sensitive_field_never_shows() {
    let mut before = Snapshot::new(1);
    let mut secret = Record::new("r1", "Card");
    secret.fields = vec![("number".into(), None)];
    before.records = vec![RecordFacts::new(secret)];
    before.state = vec![StateView::new("token", "Session", None)];
    let mut typed = with("password", "Set it", Effect::Write, Input::Text { multiline: false });
    typed.sensitive = true;
    before.actions = vec![ActionFacts::new(typed)];
    before.actions[0].value = Some(json!("old"));
    let mut after = before.clone();
    after.actions[0].value = Some(json!("hunter2"));
    assert!(!before.changes_to(&after).observed());
}

#[test]
fn a_record_in_a_second_region_is_the_same_object() {
    let changes = after(|page| {
        page.regions.push(region("detail", "Detail", RegionRole::Dialog));
        let mut shown = Record::new("t1", "Review the launch checklist");
        shown.fields = vec![("notes".into(), Some(json!("only in the dialog")))];
        let mut facts = RecordFacts::new(shown);
        facts.region = path(&["detail"]);
        page.records.insert(0, facts);
    });
    assert_eq!(json_of(&changes), json!({ "opened": ["detail"] }));
}

#[test]
fn a_record_moved_between_regions_says_where_it_is() {
    let mut before = Snapshot::new(1);
    before.regions = vec![
        region("open", "Open", RegionRole::List),
        region("done", "Done", RegionRole::List),
    ];
    before.records = vec![record("t1", "Task", &["open"])];
    let mut after = before.clone();
    after.records[0].region = path(&["done"]);
    let expected = json!({ "records": { "changed": [{ "id": "t1", "fields": { "region": "done" } }] } });
    assert_eq!(json_of(&before.changes_to(&after)), expected);
}

#[test]
fn rows_of_a_source_that_scroll_by_are_no_change_and_its_length_is() {
    let of_source = |from: usize, len: usize| {
        let mut page = Snapshot::new(1);
        page.sources = vec![SourceFacts::new("rows", len)];
        page.sources[0].first_ids = vec![RecordId::from("row0")];
        for n in from..from + 20 {
            let mut facts = record(&format!("row{n}"), "Row", &[]);
            facts.source = Some(0);
            page.records.push(facts);
        }
        page
    };
    assert!(!of_source(0, 1000).changes_to(&of_source(500, 1000)).observed());
    let changes = of_source(0, 1000).changes_to(&of_source(500, 999));
    let expected = json!({ "records": { "counts": [{ "source": "rows", "before": 1000, "after": 999 }] } });
    assert_eq!(json_of(&changes), expected);
    // A dialog that shows a row of the source adds no record.
    let mut dialog = of_source(0, 1000);
    dialog.regions.push(region("detail", "Detail", RegionRole::Dialog));
    dialog.records.push(record("row777", "Row", &["detail"]));
    assert_eq!(
        json_of(&of_source(0, 1000).changes_to(&dialog)),
        json!({ "opened": ["detail"] })
    );
    assert_eq!(
        json_of(&dialog.changes_to(&of_source(0, 1000))),
        json!({ "closed": ["detail"] })
    );
}

#[test]
fn usability_counts_once_for_all_rows_of_an_action() {
    let changes = after(|page| {
        for facts in &mut page.actions {
            facts.availability = match facts.action.id.as_str() {
                "toggle" => Availability::CoveredBy("Settings".into()),
                "clear_done" => Availability::Available,
                "delete" if facts.record == Some(RecordId::from("t1")) => Availability::Disabled,
                _ => facts.availability.clone(),
            };
        }
        page.actions.push(action(Action::new("undo", "Undo"), &["bar"]));
        page.actions.remove(0);
    });
    let expected = json!({ "actions": { "available": ["clear_done", "undo"], "unavailable": ["add_todo", "toggle"] } });
    assert_eq!(json_of(&changes), expected);
}

#[test]
fn typing_with_no_other_effect_is_observed() {
    let changes = after(|page| page.actions[0].value = Some(json!("Buy bread")));
    assert_eq!(
        json_of(&changes),
        json!({ "values": [{ "action": "add_todo", "value": "Buy bread" }] })
    );
    assert!(changes.observed());
}

#[test]
fn state_feedback_regions_and_page_are_told() {
    let changes = after(|page| {
        page.state[0].value = Some(json!("all"));
        page.state.remove(2);
        page.state
            .push(StateView::new("selected", "Selected tasks", Some(json!(1))));
        page.regions.pop();
        page.regions.push(region("settings", "Settings", RegionRole::Dialog));
        page.feedback.push(Feedback::error().for_field("add_todo"));
        page.page.title = "Settings".into();
    });
    let expected = json!({
        "state": [
            { "name": "filter", "before": "open", "after": "all" },
            { "name": "selected", "after": 1 },
            { "name": "done", "before": 0 },
        ],
        "opened": ["settings"],
        "closed": ["todos"],
        "feedback": [{ "level": "error", "field": "add_todo", "text": "" }],
        "page": true,
    });
    assert_eq!(json_of(&changes), expected);
}

#[test]
fn the_same_words_twice_are_two_pieces_of_feedback() {
    let with = |count| {
        let mut page = Snapshot::new(1);
        page.feedback = vec![Feedback::warning(); count];
        page
    };
    assert_eq!(with(1).changes_to(&with(2)).feedback.len(), 1);
    let gone = with(3).changes_to(&with(1));
    assert_eq!((gone.feedback.len(), gone.feedback_gone), (0, 2));
}

#[test]
fn long_lists_and_values_are_cut_and_counted() {
    let changes = after(|page| {
        for n in 0..50 {
            page.records.push(record(&format!("new{n}"), "New", &["todos"]));
        }
        page.state[0].value = Some(json!("é🙂".repeat(500)));
        page.state[1].value = Some(Value::from(vec!["long"; 200]));
    });
    assert_eq!((changes.records.added.len(), changes.omitted), (20, 30));
    for state in &changes.state {
        let text = state.after.as_ref().and_then(Value::as_str).unwrap();
        assert!(text.chars().count() < 230 && text.contains("…(+"), "{text}");
    }
}
