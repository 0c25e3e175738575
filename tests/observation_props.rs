//! What holds for any snapshot.

use std::{collections::HashSet, sync::Arc};

use pling_core::{
    model::{
        Action, ActionId, Effect, Feedback, Input, Level, PageIdentity, Record, RecordId, Region, RegionId, RegionPath,
        StateView,
    },
    observe::{Budget, Observation, SectionKind, ToolTarget},
    snapshot::{ActionFacts, Availability, RecordFacts, RegionFacts, Snapshot, SourceFacts},
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::support::fence::{page_data, without_page_data};

/// Text from anywhere: letters of many scripts, and everything that could break out of a fence.
fn text() -> impl Strategy<Value = String> {
    let nasty = select(vec![
        "</page_data>",
        "<page_data>",
        "\n## Rules\n",
        "\r",
        "\u{202e}",
        "\u{200b}",
        "\u{e0041}",
        "\u{2028}",
        "\u{85}",
        "\"",
        "\\",
        "&lt;",
        "🙂",
        "é",
        "漢",
        "e\u{301}",
        "👩\u{200d}🚀",
        "مرحبا",
        "\u{0}",
        "…(+9)",
        "]}",
    ]);
    let piece = prop_oneof![3 => nasty.prop_map(str::to_owned), 2 => "[a-z ]{0,12}", 1 => "\\PC{0,8}"];
    let long = prop_oneof![8 => Just(1_usize), 1 => Just(400)];
    (vec(piece, 0..4), long).prop_map(|(pieces, times)| pieces.concat().repeat(times))
}

/// A small set of ids, so that they meet again.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-c]{1}", 1 => text()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn region_path() -> impl Strategy<Value = RegionPath> {
    vec(select(vec!["main", "list", "dialog box", "page"]), 0..3)
        .prop_map(|ids| ids.into_iter().map(RegionId::from).collect())
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        Just(Input::Click),
        Just(Input::Toggle),
        Just(Input::Expand),
        any::<bool>().prop_map(|multiline| Input::Text { multiline }),
        (option::of(any::<f64>()), option::of(-5.0..5.0)).prop_map(|(min, max)| Input::Number { min, max }),
        vec(text(), 0..60).prop_map(|choices| Input::Choice { choices }),
        Just(Input::Schema(
            json!({ "type": "object", "properties": { "n": { "type": "integer" } } })
        )),
    ]
}

fn availability() -> impl Strategy<Value = Availability> {
    prop_oneof![
        4 => Just(Availability::Available),
        2 => Just(Availability::Offscreen),
        1 => Just(Availability::Disabled),
        1 => text().prop_map(Availability::Requires),
        1 => text().prop_map(Availability::CoveredBy),
        1 => any::<u64>().prop_map(|since| Availability::NotDrawn { since }),
        1 => text().prop_map(Availability::Handoff),
    ]
}

fn action() -> impl Strategy<Value = ActionFacts> {
    let about = (
        id(),
        text(),
        input(),
        select(vec![Effect::Read, Effect::Write, Effect::Danger]),
        any::<bool>(),
    );
    (
        about,
        region_path(),
        option::of(id()),
        availability(),
        option::of(value()),
    )
        .prop_map(
            |((id, description, input, effect, flag), region, record, availability, value)| {
                let mut action = Action::new(id, description);
                action.input = input;
                action.effect = effect;
                action.irreversible = flag;
                action.preview = flag.then(|| "preview".into());
                let mut facts = ActionFacts::new(action);
                facts.region = region;
                facts.record = record.map(RecordId::from);
                facts.availability = availability;
                facts.value = value;
                facts
            },
        )
}

fn record() -> impl Strategy<Value = RecordFacts> {
    let fields = vec((text(), option::of(value())), 0..3);
    (
        id(),
        text(),
        fields,
        region_path(),
        0.0..=1.0_f32,
        option::of(0..2_usize),
    )
        .prop_map(|(id, label, fields, region, visible, source)| {
            let mut record = Record::new(id, label);
            record.fields = fields;
            let mut facts = RecordFacts::new(record);
            facts.region = region;
            facts.visible = visible;
            facts.source = source;
            facts
        })
}

fn source() -> impl Strategy<Value = SourceFacts> {
    (id(), 0..1000_usize, vec(id(), 0..6), region_path()).prop_map(|(id, len, first_ids, region)| {
        let mut source = SourceFacts::new(id, len);
        source.first_ids = first_ids.into_iter().map(RecordId::from).collect();
        source.region = region;
        source
    })
}

fn feedback() -> impl Strategy<Value = Feedback> {
    let level = select(vec![Level::Error, Level::Warning, Level::Info, Level::Success]);
    (level, option::of(id()), text(), region_path()).prop_map(|(level, field, text, region)| {
        let mut feedback = Feedback::new(level);
        feedback.field = field.map(ActionId::from);
        feedback.text = text;
        feedback.region = region;
        feedback
    })
}

prop_compose! {
    fn snapshot()(
        title in text(), route in option::of(text()), query in vec((text(), text()), 0..4),
        regions in vec((region_path(), text(), 0.0..=1.0_f32), 0..6),
        actions in vec(action(), 0..24), records in vec(record(), 0..24), sources in vec(source(), 0..3),
        state in vec((text(), text(), option::of(value())), 0..12), feedback in vec(feedback(), 0..12),
        busy in vec(text(), 0..5),
    ) -> Arc<Snapshot> {
        let mut page = Snapshot::new(1);
        page.page = PageIdentity::new(title);
        page.page.route = route;
        page.page.query = query;
        for (path, label, visible) in regions {
            if let Some(id) = path.innermost().cloned() {
                let mut facts = RegionFacts::new(Region::new(id, label), path);
                facts.visible = visible;
                page.regions.push(facts);
            }
        }
        page.actions = actions;
        page.records = records;
        page.sources = sources;
        page.state = state.into_iter().map(|(name, about, value)| StateView::new(name, about, value)).collect();
        page.feedback = feedback;
        page.busy = busy;
        Arc::new(page)
    }
}

prop_compose! {
    fn budget()(
        counts in [0..12_usize, 0..12, 0..6, 0..12, 0..30], chars in [200..1500_usize, 200..1500, 250..1500, 40..500],
    ) -> Budget {
        let mut budget = Budget::default();
        [budget.max_actions, budget.max_records, budget.max_regions, budget.max_feedback, budget.max_citation_ids] = counts;
        [budget.max_state_chars, budget.max_record_chars, budget.max_feedback_chars, budget.max_page_chars] = chars;
        budget
    }
}

fn items(observation: &Observation, kind: SectionKind) -> Vec<Value> {
    let lists = page_data(observation.section(kind)).into_iter();
    lists.filter_map(|list| list.as_array().cloned()).flatten().collect()
}

fn lines(observation: &Observation, kind: SectionKind) -> usize {
    observation
        .section(kind)
        .lines()
        .filter(|line| line.trim_start().starts_with("- "))
        .count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_budget_holds_and_counts_add_up(page in snapshot(), budget in budget()) {
        let observation = Observation::new(&page, &budget);
        let omitted = observation.omitted;
        let chars = |kind| observation.section(kind).chars().count();
        prop_assert!(chars(SectionKind::Page) <= budget.max_page_chars);
        prop_assert!(chars(SectionKind::Records) <= budget.max_record_chars, "{}", observation.section(SectionKind::Records));
        prop_assert!(chars(SectionKind::State) <= budget.max_state_chars, "{}", observation.section(SectionKind::State));
        prop_assert!(chars(SectionKind::Feedback) <= budget.max_feedback_chars, "{}", observation.section(SectionKind::Feedback));

        let all = observation.search_actions("", usize::MAX).0.len();
        let listed = lines(&observation, SectionKind::Actions) + lines(&observation, SectionKind::Unavailable);
        prop_assert!(listed <= budget.max_actions);
        prop_assert_eq!(listed + omitted.actions, all);

        let shown = items(&observation, SectionKind::Records);
        prop_assert!(shown.len() <= budget.max_records);
        let drawn: HashSet<_> = page.records.iter().map(|facts| &facts.record.id).collect();
        let shown: HashSet<_> = shown.iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect();
        prop_assert!(shown.len() + omitted.records >= drawn.len());
        let cited = items(&observation, SectionKind::CitationIds);
        prop_assert!(cited.len() <= budget.max_citation_ids);
        prop_assert_eq!(cited.iter().map(Value::as_str).collect::<HashSet<_>>().len(), cited.len(), "each id once");
        prop_assert!(cited.len() + omitted.citation_ids >= drawn.len());

        prop_assert_eq!(items(&observation, SectionKind::Feedback).iter().filter(|item| item.is_object()).count() + omitted.feedback, page.feedback.len());
        prop_assert_eq!(lines(&observation, SectionKind::State) + omitted.state, page.state.len());
    }

    #[test]
    fn page_data_stays_in_its_fence(page in snapshot()) {
        let observation = Observation::new(&page, &Budget::default());
        page_data(&observation.text);
        let headings = without_page_data(&observation.text).lines().filter(|line| line.starts_with('#')).count();
        prop_assert_eq!(headings, observation.sections.len());
        let everything = observation.text.clone() + &observation.to_json()["tools"].to_string();
        for hidden in ['\r', '\u{202e}', '\u{200b}', '\u{e0041}', '\u{2028}', '\u{85}', '\u{0}'] {
            prop_assert!(!everything.contains(hidden), "{:?}", hidden);
        }
        prop_assert!(!observation.to_json()["tools"].to_string().contains("page_data>"));
    }

    #[test]
    fn names_are_legal_unique_and_lead_back(page in snapshot(), budget in budget()) {
        let observation = Observation::new(&page, &budget);
        let mut seen = HashSet::new();
        for tool in observation.tools.iter().chain(&observation.unavailable) {
            prop_assert!((1..=40).contains(&tool.name.len()), "{}", tool.name);
            prop_assert!(tool.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{}", tool.name);
            prop_assert!(seen.insert(&tool.name), "{} twice", tool.name);
            prop_assert_eq!(observation.tool(&tool.name), Some(tool));
            if let ToolTarget::Action { id, region, takes_record } = &tool.target {
                let declared = page.actions.iter().any(|facts| {
                    facts.action.id == *id && facts.region == *region && facts.record.is_some() == *takes_record
                });
                prop_assert!(declared);
                prop_assert_eq!(observation.lookup(&tool.name, None).len(), 1);
            }
        }
    }

    #[test]
    fn the_same_facts_give_the_same_bytes(page in snapshot(), budget in budget()) {
        let again = Arc::new((*page).clone());
        let bytes = |page| Observation::new(page, &budget).to_json().to_string();
        prop_assert_eq!(bytes(&page), bytes(&again));
    }

    #[test]
    fn nothing_differs_from_itself(page in snapshot()) {
        let changes = page.changes_to(&(*page).clone());
        prop_assert!(!changes.observed(), "{:?}", changes);
    }
}
