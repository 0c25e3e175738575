//! What holds for any snapshot.

use std::{
    collections::{BTreeSet, HashSet},
    sync::Arc,
};

use pling_core::{
    model::{Effect, Input, RegionPath},
    observe::{Budget, Discovery, Observation, SectionKind, ToolSchema, ToolTarget},
    snapshot::Snapshot,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{
    any::snapshot,
    fence::{page_data, unseen, without_page_data},
    todo_page::{record, row_action, with},
};

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

/// Every path that something is declared at.
fn places(page: &Snapshot) -> BTreeSet<&RegionPath> {
    let regions = page.regions.iter().map(|facts| &facts.path);
    let actions = page.actions.iter().map(|facts| &facts.region);
    let records = page.records.iter().map(|facts| &facts.region);
    let sources = page.sources.iter().map(|facts| &facts.region);
    let all = regions.chain(actions).chain(records).chain(sources);
    all.filter(|path| !path.is_root()).collect()
}

/// Distinct records: the drawn ones, and those of each source that are not.
fn all_records(page: &Snapshot) -> usize {
    let mut drawn = HashSet::new();
    let mut of_source = vec![0; page.sources.len()];
    for facts in &page.records {
        if drawn.insert(&facts.record.id)
            && let Some(count) = facts.source.and_then(|source| of_source.get_mut(source))
        {
            *count += 1;
        }
    }
    let undrawn = page.sources.iter().zip(of_source);
    let undrawn = undrawn.map(|(source, drawn)| source.len.max(source.first_ids.len()).saturating_sub(drawn));
    drawn.len() + undrawn.sum::<usize>()
}

fn offers(observation: &Observation, discovery: Discovery) -> bool {
    let mut tools = observation.tools.iter();
    tools.any(|tool| tool.target == ToolTarget::Discovery(discovery))
}

fn every_action(observation: &Observation) -> Vec<ToolSchema> {
    observation.search_actions("", usize::MAX).0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_budget_holds_and_counts_add_up(page in snapshot(), budget in budget()) {
        let observation = Observation::new(&page, &budget);
        let omitted = observation.omitted;
        let chars = |kind| observation.section(kind).chars().count();
        prop_assert!(chars(SectionKind::Page) <= budget.max_page_chars);
        prop_assert!(chars(SectionKind::Records) <= budget.max_record_chars, "{}", observation.section(SectionKind::Records));
        prop_assert!(chars(SectionKind::State) <= budget.max_state_chars, "{}", observation.section(SectionKind::State));
        prop_assert!(chars(SectionKind::Feedback) <= budget.max_feedback_chars, "{}", observation.section(SectionKind::Feedback));

        let listed = lines(&observation, SectionKind::Actions) + lines(&observation, SectionKind::Unavailable);
        prop_assert!(listed <= budget.max_actions);
        prop_assert_eq!(listed + omitted.actions, every_action(&observation).len());
        prop_assert_eq!(listed, observation.unavailable.len() + observation.tools.iter().filter(|tool| matches!(tool.target, ToolTarget::Action { .. })).count());

        let structure = observation.section(SectionKind::Structure);
        let root = structure.lines().filter(|line| line.starts_with("- page, outside every region")).count();
        let regions = lines(&observation, SectionKind::Structure) - root;
        prop_assert!(regions <= budget.max_regions);
        prop_assert_eq!(regions + omitted.regions, places(&page).len(), "{}", structure);

        let all = all_records(&page);
        let shown = items(&observation, SectionKind::Records);
        prop_assert!(shown.len() <= budget.max_records);
        let shown: HashSet<_> = shown.iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect();
        prop_assert_eq!(shown.len() + omitted.records, all);
        let cited = items(&observation, SectionKind::CitationIds);
        prop_assert!(cited.len() <= budget.max_citation_ids);
        prop_assert_eq!(cited.iter().map(Value::as_str).collect::<HashSet<_>>().len(), cited.len(), "each id once");
        prop_assert_eq!(omitted.citation_ids, all.saturating_sub(cited.len()));

        prop_assert_eq!(items(&observation, SectionKind::Feedback).iter().filter(|item| item.is_object()).count() + omitted.feedback, page.feedback.len());
        prop_assert_eq!(lines(&observation, SectionKind::State) + omitted.state, page.state.len());
        for count in [omitted.actions, omitted.regions, omitted.records, omitted.citation_ids, omitted.feedback, omitted.state] {
            prop_assert!(count == 0 || without_page_data(&observation.text).contains(&count.to_string()), "{} is told", count);
        }
    }

    #[test]
    fn page_data_stays_in_its_fence(page in snapshot(), budget in budget()) {
        let observation = Observation::new(&page, &budget);
        page_data(&observation.text);
        let headings = without_page_data(&observation.text).lines().filter(|line| line.starts_with('#')).count();
        prop_assert_eq!(headings, observation.sections.len());
        prop_assert_eq!(unseen(&observation.text), "");
        let tools = observation.to_json()["tools"].to_string();
        prop_assert_eq!(unseen(&tools), "");
        prop_assert!(!tools.to_lowercase().contains("page_data>"));
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
            }
        }
    }

    #[test]
    fn no_action_is_out_of_reach(page in snapshot(), budget in budget()) {
        let observation = Observation::new(&page, &budget);
        let all = every_action(&observation);
        for facts in &page.actions {
            let is_of = |tool: &&ToolSchema| matches!(&tool.target, ToolTarget::Action { id, region, takes_record }
                if *id == facts.action.id && *region == facts.region && *takes_record == facts.record.is_some());
            prop_assert!(all.iter().any(|tool| is_of(&tool)), "{:?}", facts);
        }
        for tool in &all {
            if let Some(listed) = observation.tool(&tool.name) {
                prop_assert_eq!(listed, tool);
                continue;
            }
            prop_assert!(offers(&observation, Discovery::SearchActions) && offers(&observation, Discovery::InvokeAction));
            prop_assert_eq!(&observation.search_actions(&tool.name, 1).0[..], std::slice::from_ref(tool));
            prop_assert_eq!(&observation.lookup(&tool.name, None)[..], std::slice::from_ref(tool));
        }
    }

    #[test]
    fn no_secret_value_is_written_down(mut page in snapshot(), budget in budget(), at in any::<[prop::sample::Index; 2]>()) {
        const SECRET: &str = "hunter2";
        let hidden = Arc::make_mut(&mut page);
        for facts in &mut hidden.actions {
            if facts.action.sensitive {
                facts.value = Some(SECRET.into());
            }
        }
        let mut secret = with("secret", "Type it", Effect::Write, Input::Text { multiline: false });
        secret.sensitive = true;
        let mut facts = row_action(secret, &["list"], "r");
        facts.value = Some(SECRET.into());
        hidden.records.insert(at[0].index(hidden.records.len() + 1), record("r", "R", &["list"]));
        hidden.actions.insert(at[1].index(hidden.actions.len() + 1), facts);
        let observation = Observation::new(&page, &budget);
        prop_assert!(!observation.to_json().to_string().contains(SECRET));
    }

    #[test]
    fn the_same_facts_give_the_same_bytes(page in snapshot(), budget in budget()) {
        let again = Arc::new((*page).clone());
        let bytes = |page| Observation::new(page, &budget).to_json().to_string();
        prop_assert_eq!(bytes(&page), bytes(&again));
    }
}
