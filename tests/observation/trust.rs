//! Where page data may stand, and what it cannot do there.

use super::*;

fn attacked_page() -> Snapshot {
    let mut page = Snapshot::new(1);
    page.page.title = ATTACK.into();
    page.page.path = ATTACK.into();
    page.page.parameters = vec![(ATTACK.into(), ATTACK.into())];
    page.page.query = vec![("q".into(), ATTACK.into())];
    page.regions = vec![region("list", "List", RegionRole::List)];
    let mut bad = Record::new(ATTACK, ATTACK);
    bad.kind = ATTACK.into();
    bad.fields = vec![(ATTACK.into(), Some(json!({ ATTACK: [ATTACK, { ATTACK: ATTACK }] })))];
    let mut facts = RecordFacts::new(bad);
    facts.region = path(&["list"]);
    page.records = vec![facts];
    let mut source = SourceFacts::new("rows", 9);
    source.first_ids = vec![RecordId::from(format!("{ATTACK}2"))];
    page.sources = vec![source];
    page.state = vec![StateView::new("s", "S", Some(json!([ATTACK])))];
    let mut item = Feedback::error();
    item.text = ATTACK.into();
    item.record = Some(RecordId::from(ATTACK));
    page.feedback = vec![item];
    page.busy = vec![ATTACK.into()];
    let mut pick = with(
        "pick",
        "Pick",
        Effect::Read,
        Input::Choice {
            choices: vec![ATTACK.into()],
        },
    );
    pick.preview = Some(ATTACK.into());
    let mut pick = action(pick, &["list"]);
    pick.value = Some(json!(ATTACK));
    let mut covered = row_action(Action::new("open", "Open"), &["list"], ATTACK);
    covered.availability = Availability::CoveredBy(ATTACK.into());
    page.actions = vec![
        pick,
        row_action(Action::new("edit", "Edit"), &["list"], ATTACK),
        covered,
    ];
    page
}

#[test]
fn page_data_cannot_leave_its_fence() {
    let observation = observe(attacked_page());
    let found = page_data(&observation.text);
    assert!(found.len() >= 8, "every fence holds one JSON value");
    assert!(!without_page_data(&observation.text).contains("EVIL"));
    assert!(
        !tools_json(&observation).contains("EVIL"),
        "nothing of it can be copied, so nothing is in a schema"
    );
    for hidden in [
        '\u{202e}',
        '\u{200b}',
        '\u{e0041}',
        '\u{2028}',
        '\u{85}',
        '\u{feff}',
        '\r',
    ] {
        assert!(!observation.text.contains(hidden), "{hidden:?}");
    }
    let headings = observation.text.lines().filter(|line| line.starts_with('#')).count();
    assert_eq!(headings, observation.sections.len());
}

#[test]
fn authored_words_stay_on_their_line() {
    let clean = observe(todo_page::snapshot());
    let mut page = todo_page::snapshot();
    for facts in &mut page.actions {
        let mut evil = (*facts.action).clone();
        evil.description = ATTACK.into();
        evil.input_docs = vec![InputDoc {
            name: "text".into(),
            description: ATTACK.into(),
        }];
        facts.action = Arc::new(evil);
        if !facts.availability.is_usable() {
            facts.availability = Availability::Requires(ATTACK.into());
        }
    }
    for facts in &mut page.regions {
        facts.region.label = ATTACK.into();
        facts.region.purpose = ATTACK.into();
    }
    for state in &mut page.state {
        state.name = ATTACK.into();
        state.description = ATTACK.into();
    }
    let observation = observe(page);
    assert_eq!(observation.text.lines().count(), clean.text.lines().count());
    assert_eq!(page_data(&observation.text).len(), page_data(&clean.text).len());
    assert!(!observation.to_json().to_string().contains('\u{202e}'));
    assert!(!tools_json(&observation).contains("page_data>"));
}

#[test]
fn every_script_reads_as_it_is() {
    let mut page = Snapshot::new(1);
    let text = "مرحبا שלום 漢字 می\u{200c}خواهم 👩\u{200d}🚀❤\u{fe0f}";
    page.records = vec![RecordFacts::new(Record::new("r1", text))];
    assert!(observe(page).text.contains(text));
}
