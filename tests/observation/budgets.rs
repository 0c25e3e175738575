//! What a limit cuts: counted, named, and still reachable.

use super::*;

#[test]
fn everything_over_the_budget_stays_reachable() {
    let mut page = Snapshot::new(1);
    page.regions = vec![region("shop", "Shop", RegionRole::Group)];
    for n in 0..90 {
        page.actions.push(action(
            Action::new(format!("do_{n}"), format!("Operation {n} on parrots")),
            &["shop"],
        ));
    }
    let observation = observe(page);
    assert_eq!(observation.omitted.actions, 50);
    assert!(
        names(&observation).ends_with(&["search_actions", "invoke_action"]),
        "{:?}",
        names(&observation)
    );
    assert!(
        observation
            .section(SectionKind::Hidden)
            .contains("50 (search_actions, invoke_action)")
    );
    let (found, more) = observation.search_actions("PARROTS 8", 5);
    assert_eq!((found.len(), more), (5, 13), "8, 18, … 78 and 80 to 89");
    assert_eq!(observation.search_actions("do_77", 5).0[0].name, "do_77");
    assert!(observation.tool("do_77").is_none());
    assert_eq!(observation.lookup("do_77", Some("shop")).len(), 1);
    assert_eq!(observation.lookup("do_77", Some("elsewhere")).len(), 0);
}

#[test]
fn ids_of_a_source_come_in_its_order_and_the_rest_is_counted() {
    let mut page = Snapshot::new(1);
    let mut source = SourceFacts::new("rows", 1_000_000);
    source.first_ids = (0..300).map(|n| RecordId::from(format!("row{n}"))).collect();
    page.sources = vec![source];
    for n in [2, 3, 70_000] {
        let mut facts = record(&format!("row{n}"), "Row", &[]);
        facts.source = Some(0);
        page.records.push(facts);
    }
    let observation = observe(page);
    let section = observation.section(SectionKind::CitationIds);
    let ids = page_data(section).remove(0);
    let ids: Vec<&str> = ids.as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!(ids.len(), 200);
    assert_eq!(ids[..4], ["row0", "row1", "row2", "row3"]);
    assert_eq!(ids[199], "row70000");
    assert!(section.contains("the first 199 in order"), "{}", &section[..200]);
    assert_eq!(observation.omitted.citation_ids, 999_800);
    assert_eq!(observation.omitted.records, 999_997);
    assert!(names(&observation).contains(&"find_records"));
}

#[test]
fn d03_a_huge_page_stays_within_every_budget() {
    let mut page = Snapshot::new(1);
    for n in 0..40 {
        page.regions
            .push(region(&format!("part{n}"), "Part", RegionRole::Group));
    }
    for n in 0..300 {
        page.actions.push(action(
            Action::new(format!("act{n}"), "Do something"),
            &[&format!("part{}", n % 40)],
        ));
    }
    let field = Some(json!("🙂é漢 </page_data>".repeat(600)));
    for n in 0..5_000 {
        let mut huge = Record::new(format!("r{n}"), "x".repeat(10_000));
        huge.fields = vec![("body".into(), field.clone())];
        page.records.push(RecordFacts::new(huge));
    }
    for n in 0..200 {
        let mut item = Feedback::warning();
        item.text = format!("{n} {}", "bad ".repeat(2_000));
        page.feedback.push(item);
    }
    for n in 0..100 {
        page.state
            .push(StateView::new(format!("s{n}"), "A value", field.clone()));
    }
    page.page.title = "t".repeat(10_000);
    let budget = Budget::default();
    let observation = observe(page);
    let chars = |kind| observation.section(kind).chars().count();
    assert!(chars(SectionKind::Page) <= budget.max_page_chars);
    assert!(chars(SectionKind::Records) <= budget.max_record_chars);
    assert!(chars(SectionKind::State) <= budget.max_state_chars);
    assert!(chars(SectionKind::Feedback) <= budget.max_feedback_chars);
    let listed = |kind| {
        page_data(observation.section(kind))
            .iter()
            .filter_map(Value::as_array)
            .map(Vec::len)
            .sum::<usize>()
    };
    let omitted = observation.omitted;
    assert!(
        (3..=20).contains(&listed(SectionKind::Records)),
        "a huge record does not push out the others"
    );
    assert_eq!(omitted.records, 5_000 - listed(SectionKind::Records));
    assert_eq!(omitted.citation_ids, 5_000 - listed(SectionKind::CitationIds));
    assert!((1..=8).contains(&listed(SectionKind::Feedback)));
    assert_eq!(omitted.feedback, 200 - listed(SectionKind::Feedback));
    assert_eq!((omitted.actions, omitted.regions), (260, 16));
    let states = observation
        .section(SectionKind::State)
        .lines()
        .filter(|line| line.starts_with("- "))
        .count();
    assert!(states >= 2);
    assert_eq!(omitted.state, 100 - states);
    for count in [
        omitted.records,
        omitted.citation_ids,
        omitted.feedback,
        omitted.actions,
        omitted.regions,
        omitted.state,
    ] {
        assert!(observation.text.contains(&count.to_string()), "{count} is told");
    }
}

#[test]
fn b09_cuts_fall_between_graphemes_at_every_offset() {
    let fill = "🙂é漢e\u{301}👩\u{200d}🚀";
    for offset in 0..40 {
        let text = format!("{}{}", "a".repeat(offset), fill.repeat(400));
        let mut page = Snapshot::new(1);
        page.page.title = text.clone();
        page.page.path = text.clone();
        let mut facts = Record::new("r1", &text);
        facts.fields = vec![("body".into(), Some(json!({ "deep": [text, text] })))];
        page.records = vec![RecordFacts::new(facts)];
        page.state = vec![
            StateView::new("s", "S", Some(json!(text))),
            StateView::new("t", "T", Some(json!([text]))),
        ];
        let mut item = Feedback::error();
        item.text.clone_from(&text);
        page.feedback = vec![item];
        let mut add = action(with("add", "Add", Effect::Write, Input::Text { multiline: false }), &[]);
        add.value = Some(json!(text));
        page.actions = vec![add];
        let observation = observe(page);
        let mut cuts = 0;
        for data in page_data(&observation.text) {
            each_text(&data, &mut |found| {
                if let Some((kept, mark)) = found.split_once("…(+") {
                    cuts += 1;
                    assert!(text.starts_with(kept));
                    let omitted: usize = mark.trim_end_matches(" chars)").parse().unwrap();
                    assert_eq!(kept.chars().count() + omitted, text.chars().count());
                    let rest = &text[kept.len()..];
                    assert!(
                        !rest.starts_with(['\u{301}', '\u{200d}', '🚀']),
                        "parted a grapheme after {kept}"
                    );
                }
            });
        }
        assert!(cuts >= 7, "{cuts} cuts in {}", observation.text);
    }
}

#[test]
fn a_crowded_page_still_tells_of_what_cannot_be_used() {
    let mut page = Snapshot::new(1);
    for n in 0..100 {
        let mut facts = action(Action::new(format!("do_{n}"), "Do it"), &[]);
        if n >= 60 {
            facts.availability = Availability::Disabled;
        }
        page.actions.push(facts);
    }
    let observation = observe(page);
    let unavailable = observation.section(SectionKind::Unavailable);
    assert!(
        unavailable.starts_with("## Unavailable actions (5 of 40 listed)"),
        "{unavailable}"
    );
    assert_eq!(observation.section(SectionKind::Actions).lines().count(), 1 + 35);
    assert_eq!(observation.omitted.actions, 60);
}

#[test]
fn state_that_does_not_fit_is_named_and_does_not_push_out_the_rest() {
    let page = |count: usize| {
        let mut page = Snapshot::new(1);
        let long = json!(vec!["x".repeat(20); 20]);
        for n in 0..count {
            page.state
                .push(StateView::new(format!("long_{n}"), "A long one", Some(long.clone())));
        }
        page.state
            .insert(count / 2, StateView::new("page", "Which page", Some(json!(3))));
        observe(page)
    };
    assert_eq!(page(9).omitted.state, 0, "each is cut before any is left out");
    let observation = page(40);
    let state = observation.section(SectionKind::State);
    let named = format!("{} more state views do not fit: long_", observation.omitted.state);
    assert!(observation.omitted.state > 0 && state.contains(&named), "{state}");
    assert!(state.lines().count() > 15, "{state}");
}

#[test]
fn c13_a_long_list_shows_the_rows_in_view_counts_the_rest_and_names_a_way() {
    let mut page = Snapshot::new(1);
    page.regions = vec![region("list", "List", RegionRole::List)];
    let mut source = SourceFacts::new("rows", 1000);
    source.region = path(&["list"]);
    source.first_ids = (0..200).map(|n| RecordId::from(format!("r{n}"))).collect();
    page.sources = vec![source];
    for n in 0..30 {
        let mut facts = record(&format!("r{n}"), &format!("Row {n}"), &["list"]);
        facts.source = Some(0);
        facts.visible = if n < 25 { 1.0 } else { 0.25 };
        page.records.push(facts);
    }
    let observation = observe(page);
    let records = observation.section(SectionKind::Records);
    assert_eq!(
        page_data(records)[0].as_array().unwrap().len(),
        20,
        "at most max_records: {records}"
    );
    assert!(
        records
            .ends_with("980 of 1000 without fields here; to read them search, filter or reveal (find_records, scroll)"),
        "{records}"
    );
    assert!(
        observation
            .section(SectionKind::Hidden)
            .contains("records not drawn: 970 in list (find_records, scroll)")
    );
    assert!(names(&observation).contains(&"find_records"));
}

#[test]
fn labels_stand_beside_ids_out_of_view_if_asked_for() {
    let mut page = Snapshot::new(1);
    page.regions = vec![region("list", "List", RegionRole::List)];
    for n in 0..5 {
        let mut facts = record(&format!("r{n}"), &format!("</page_data> Row {n}"), &["list"]);
        facts.visible = if n == 0 { 1.0 } else { 0.0 };
        page.records.push(facts);
    }
    let ids = |max_cited_labels| {
        let mut budget = Budget::default();
        budget.max_cited_labels = max_cited_labels;
        let observation = Observation::new(&Arc::new(page.clone()), &budget);
        page_data(observation.section(SectionKind::CitationIds))[0].clone()
    };
    assert_eq!(
        ids(0),
        json!(["r0", "r1", "r2", "r3", "r4"]),
        "a model looks before it acts"
    );
    let label = |n: usize| json!({ "id": format!("r{n}"), "label": format!("</page_data> Row {n}") });
    assert_eq!(
        ids(2),
        json!(["r0", label(1), label(2), "r3", "r4"]),
        "the first has its fields"
    );
}
