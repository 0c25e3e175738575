//! Regions: nesting, the one in front, one object in two of them.

use super::*;

#[test]
fn a_record_in_two_regions_is_one_object() {
    let mut page = Snapshot::new(1);
    page.regions = vec![
        region("table", "Table", RegionRole::Table),
        region("detail", "Detail", RegionRole::Dialog),
    ];
    page.records = vec![
        record("r1", "One", &["table"]),
        record("r2", "Two", &["table"]),
        record("r1", "One", &["detail"]),
    ];
    let observation = observe(page);
    let ids = observation.section(SectionKind::CitationIds);
    assert_eq!(ids.matches("\"r1\"").count(), 1, "{ids}");
    assert_eq!(
        observation.section(SectionKind::Records).matches("\"r1\"").count(),
        2,
        "once in each region"
    );
    assert_eq!((observation.omitted.records, observation.omitted.citation_ids), (0, 0));
}

#[test]
fn d04_behind_a_dialog_everything_is_listed_with_its_name_and_the_dialog_is_active() {
    let mut page = todo_page::snapshot();
    for facts in page.actions.iter_mut().filter(|facts| facts.availability.is_usable()) {
        facts.availability = Availability::CoveredBy("Settings".into());
    }
    let mut dialog = region("settings", "Settings", RegionRole::Dialog);
    (dialog.active, dialog.region.modal) = (true, true);
    page.regions.push(dialog);
    page.actions
        .push(action(Action::new("close", "Close it"), &["settings"]));
    let mut budget = Budget::default();
    budget.max_regions = 1;
    let observation = Observation::new(&Arc::new(page), &budget);
    assert_eq!(names(&observation)[0], "close");
    let unavailable = observation.section(SectionKind::Unavailable);
    let covered = unavailable
        .lines()
        .filter(|line| line.contains(r#"covered_by <page_data>"Settings"</page_data>"#));
    assert_eq!(covered.count(), 9, "{unavailable}");
    let structure = observation.section(SectionKind::Structure);
    assert!(
        structure.contains("settings \"Settings\" (dialog, modal, active: in front of the rest)"),
        "{structure}"
    );
    assert!(
        structure.contains("2 more regions not listed"),
        "the one in front is listed first: {structure}"
    );
}

#[test]
fn regions_nest_and_say_what_they_are_for() {
    let mut page = Snapshot::new(1);
    let mut main = region("main", "Orders", RegionRole::Group);
    main.region.purpose = "all that was ordered".into();
    let mut table = region("table", "Table", RegionRole::Table);
    table.path = path(&["main", "table"]);
    table.region.total = Some(40);
    let mut twin = region("table", "Table", RegionRole::Table);
    twin.path = path(&["aside", "table"]);
    page.regions = vec![main, table, region("aside", "Aside", RegionRole::Group), twin];
    page.records = vec![record("o1", "Chairs", &["main", "table"])];
    page.actions = vec![
        action(Action::new("refresh", "Refresh it"), &["main", "table"]),
        action(Action::new("refresh", "Refresh it"), &["aside", "table"]),
    ];
    let observation = observe(page);
    let structure: Vec<_> = observation.section(SectionKind::Structure).lines().collect();
    assert_eq!(
        structure[1..],
        [
            "- main \"Orders\": all that was ordered",
            "  - main > table \"Table\" (table): 1 of 40 records in view; 1 of 1 actions usable",
            "- aside \"Aside\"",
            "  - aside > table \"Table\" (table): 1 of 1 actions usable",
        ]
    );
    for (tool, place) in observation.tools.iter().zip(["main > table", "aside > table"]) {
        assert!(
            tool.description.ends_with(&format!("in {place}]")),
            "{}",
            tool.description
        );
        assert_eq!(
            observation.region(place),
            Some(path(&place.split(" > ").collect::<Vec<_>>()))
        );
    }
    assert_ne!(observation.tools[0].name, observation.tools[1].name);
}
