//! What holds for any receipt, and for the difference of any two pages.

use std::collections::{BTreeMap, BTreeSet};

use pling_core::{
    act::{ActionRef, Code, Receipt},
    llm::estimate_tokens,
    model::{Action, Feedback, Level, Record, RegionRole, StateView},
    snapshot::{ActionFacts, Availability, Changes, RecordFacts, Snapshot},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::support::{
    any::{self, feedback, snapshot, text, value},
    fence::unseen,
    todo_page::{path, region},
};

prop_compose! {
    fn receipt()(
        texts in [text(), text(), text()], record in option::of(any::id()), code in option::of(select(Code::ALL)),
        pages in option::of([snapshot(), snapshot()]), available in vec(text(), 0..50),
        feedback in vec(feedback(), 0..10), value in option::of(value()), warning in option::of(text()),
        replaced in prop_oneof![4 => Just(None), 1 => value().prop_map(Some)],
    ) -> Receipt {
        let [id, description, message] = texts;
        let changed = pages.map(|[before, after]| before.changes_to(&after));
        let action = ActionRef::new(id.as_str().into(), description, record.map(Into::into));
        let mut receipt = match code {
            Some(code) => Receipt::refused("c1", code, message),
            None => Receipt::done("c1", action.clone(), Changes::default()),
        };
        receipt.action = Some(action);
        receipt.changed = changed;
        receipt.available = available;
        receipt.feedback = feedback;
        receipt.value = value;
        receipt.warning = warning;
        receipt.replaced = replaced;
        receipt
    }
}

/// Two pages of a few things each, so that much is the same. Ids are unique; both regions are always there.
fn small() -> impl Strategy<Value = Snapshot> {
    let place = || select(vec![&[][..], &["list"], &["other"]]);
    let flag = any::<bool>;
    let record = (select(vec!["r1", "r2"]), place(), flag(), flag(), option::of(flag()));
    let action = (
        (select(vec!["a1", "a2"]), select(vec![None, Some("r1"), Some("r2")])),
        place(),
        flag(),
        flag(),
        option::of(0..2_u8),
    );
    let state = (select(vec!["s1", "s2"]), option::of(0..2_u8));
    let told = (select(vec![Level::Error, Level::Info]), flag());
    (
        vec(record, 0..3),
        vec(action, 0..6),
        vec(state, 0..3),
        vec(told, 0..3),
        flag(),
        flag(),
    )
        .prop_map(|(records, actions, state, told, title, dialog)| {
            let mut page = Snapshot::new(1);
            page.page.title = if title { "One".into() } else { "Two".into() };
            page.regions = vec![
                region("list", "List", RegionRole::List),
                region("other", "Other", RegionRole::Group),
            ];
            page.regions
                .extend(dialog.then(|| region("dialog", "Dialog", RegionRole::Dialog)));
            let mut known = BTreeSet::new();
            for (id, place, label, kind, done) in records {
                let mut record = Record::new(id, if label { "Milk" } else { "Bread" });
                record.kind = if kind { "task".into() } else { String::new() };
                record.fields = vec![("done".into(), done.map(Value::from))];
                let mut facts = RecordFacts::new(record);
                facts.region = path(place);
                if known.insert(id.to_owned()) {
                    page.records.push(facts);
                }
            }
            for ((id, record), place, usable, sensitive, value) in actions {
                let mut action = Action::new(id, "Do it");
                action.sensitive = sensitive;
                let mut facts = ActionFacts::new(action);
                facts.region = path(place);
                facts.availability = if usable {
                    Availability::Offscreen
                } else {
                    Availability::Disabled
                };
                facts.value = value.map(Value::from);
                facts.record = record.map(Into::into);
                if known.insert(format!("{id} in {place:?} of {record:?}")) {
                    page.actions.push(facts);
                }
            }
            for (name, value) in state {
                if known.insert(name.to_owned()) {
                    page.state.push(StateView::new(name, "S", value.map(Value::from)));
                }
            }
            page.feedback = (told.into_iter())
                .map(|(level, long)| {
                    let mut feedback = Feedback::new(level);
                    feedback.text = if long { "Too long".into() } else { "Hm".into() };
                    feedback
                })
                .collect();
            page
        })
}

/// What a receipt compares, written down once more without its rules.
fn compared(page: &Snapshot) -> (Value, BTreeMap<String, Value>) {
    let key = |facts: &ActionFacts| format!("{} in {}", facts.action.id, facts.region);
    let records: BTreeMap<_, _> = (page.records.iter())
        .map(|facts| {
            (
                facts.record.id.to_string(),
                format!("{:?} {}", facts.record, facts.region),
            )
        })
        .collect();
    let usable: BTreeSet<_> = page
        .actions
        .iter()
        .filter(|facts| facts.availability.is_usable())
        .map(key)
        .collect();
    let state: BTreeMap<_, _> = page
        .state
        .iter()
        .filter_map(|view| Some((&view.name, view.value.as_ref()?)))
        .collect();
    let mut told: Vec<_> = page.feedback.iter().map(|item| format!("{item:?}")).collect();
    told.sort();
    let regions: BTreeSet<_> = page.regions.iter().map(|facts| facts.path.to_string()).collect();
    let values = page.actions.iter().filter(|facts| !facts.action.sensitive);
    let values = values.map(|facts| (format!("{} of {:?}", key(facts), facts.record), json!(facts.value)));
    (
        json!([page.page, records, usable, state, told, regions]),
        values.collect(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_receipt_is_bounded_and_its_page_text_stays_data(receipt in receipt(), max_tokens in 60..2000_usize) {
        let line = receipt.to_text(max_tokens);
        prop_assert!(estimate_tokens(&line) <= max_tokens, "{}", line);
        prop_assert!(!line.contains(['<', '>', '\n']), "{}", line);
        prop_assert_eq!(unseen(&line), "");
        let json: Value = serde_json::from_str(&line).expect("valid JSON");
        prop_assert_eq!(&json, &receipt.to_json_bounded(max_tokens));
        if receipt.replaced.is_none() {
            prop_assert_eq!(json["result"]["ok"] == true, receipt.is_ok());
            prop_assert_eq!(json["error"]["code"].as_str(), receipt.code().map(Code::as_str));
            let body = if receipt.is_ok() { &json["result"] } else { &json["error"] };
            let observed = receipt.changed.as_ref().map(Changes::observed);
            prop_assert_eq!(body["changed"]["observed"].as_bool(), observed, "what was seen is never cut");
        }
    }

    #[test]
    fn nothing_differs_from_itself(page in snapshot()) {
        let changes = page.changes_to(&(*page).clone());
        prop_assert!(!changes.observed(), "{:?}", changes);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_change_is_observed_exactly_where_what_is_compared_differs(before in small(), after in small()) {
        let ((old, old_values), (new, new_values)) = (compared(&before), compared(&after));
        let is_other = |(key, value): (&String, &Value)| old_values.get(key).is_some_and(|old| old != value);
        let differs = old != new || new_values.iter().any(is_other);
        let changes = before.changes_to(&after);
        prop_assert_eq!(changes.observed(), differs, "{:?}", changes);
        prop_assert_eq!(changes.omitted, 0);
    }
}
