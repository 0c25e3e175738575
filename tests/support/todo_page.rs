//! The facts of the demo page, built by hand: twelve tasks of which three are in view.

use pling_core::{
    model::{
        Action, Effect, Input, InputDoc, PageIdentity, Record, RecordId, Region, RegionId, RegionPath, RegionRole,
        StateView,
    },
    snapshot::{ActionFacts, Availability, RecordFacts, RegionFacts, Snapshot},
};
use serde_json::json;

const TASKS: [(&str, &str); 12] = [
    ("t1", "Review the launch checklist"),
    ("t2", "Book the design review"),
    ("t3", "Buy milk"),
    ("t4", "Call the dentist"),
    ("t5", "Renew the passport"),
    ("t6", "Plan the team lunch"),
    ("t7", "Fix the kitchen tap"),
    ("t8", "Read the tax letter"),
    ("t9", "Write the weekly report"),
    ("t10", "Water the plants"),
    ("t11", "Back up the photos"),
    ("t12", "Order new tires"),
];

/// A path of region ids.
pub(crate) fn path(ids: &[&str]) -> RegionPath {
    ids.iter().map(|id| RegionId::from(*id)).collect()
}

/// An action in a region.
pub(crate) fn action(action: Action, region: &[&str]) -> ActionFacts {
    let mut facts = ActionFacts::new(action);
    facts.region = path(region);
    facts
}

/// An action in a row of a region.
pub(crate) fn row_action(of: Action, region: &[&str], record: &str) -> ActionFacts {
    let mut facts = action(of, region);
    facts.record = Some(RecordId::from(record));
    facts
}

/// An action with an effect and an input.
pub(crate) fn with(id: &str, description: &'static str, effect: Effect, input: Input) -> Action {
    let mut action = Action::new(id, description);
    action.effect = effect;
    action.input = input;
    action
}

/// A record in a region.
pub(crate) fn record(id: &str, label: &str, region: &[&str]) -> RecordFacts {
    let mut facts = RecordFacts::new(Record::new(id, label));
    facts.region = path(region);
    facts
}

/// A region at the page's root.
pub(crate) fn region(id: &str, label: &str, role: RegionRole) -> RegionFacts {
    let mut region = Region::new(id, label);
    region.role = role;
    RegionFacts::new(region, path(&[id]))
}

/// The todo page with the filter on open tasks.
pub(crate) fn snapshot() -> Snapshot {
    let mut page = Snapshot::new(1);
    page.page = PageIdentity::new("Todos");
    page.page.path = "/todos".into();
    let mut list = region("todos", "Todo list", RegionRole::List);
    list.region.purpose = "open tasks".into();
    list.visible = 0.25;
    page.regions = vec![region("bar", "Tool bar", RegionRole::Toolbar), list];
    page.actions = bar();
    for (index, (id, title)) in TASKS.into_iter().enumerate() {
        let visible = index < 3;
        let mut task = Record::new(id, title);
        task.fields = vec![("done".into(), Some(json!(false)))];
        let mut facts = RecordFacts::new(task);
        facts.region = path(&["todos"]);
        facts.visible = if visible { 1.0 } else { 0.0 };
        page.records.push(facts);
        let toggle = with("toggle", "Mark the task as complete", Effect::Write, Input::Toggle);
        let delete = with("delete", "Delete the task", Effect::Danger, Input::Click);
        for action in [toggle, delete] {
            let mut facts = row_action(action, &["todos"], id);
            if !visible {
                facts.availability = Availability::Offscreen;
            }
            page.actions.push(facts);
        }
    }
    for (name, description, value) in [
        ("filter", "Which tasks are shown", json!("open")),
        ("total", "All tasks", json!(12)),
        ("done", "Completed tasks", json!(0)),
    ] {
        page.state.push(StateView::new(name, description, Some(value)));
    }
    page
}

fn bar() -> Vec<ActionFacts> {
    let text = Input::Text { multiline: false };
    let mut add = with("add_todo", "Add a task", Effect::Write, text.clone());
    add.submit = true;
    add.input_docs = vec![InputDoc {
        name: "text".into(),
        description: "the task's title".into(),
    }];
    let search = with("search", "Search tasks by text", Effect::Read, text);
    let choices = ["all", "open", "done"].map(String::from).to_vec();
    let filter = with(
        "set_filter",
        "Choose which tasks are shown",
        Effect::Read,
        Input::Choice { choices },
    );
    let days = Input::Number {
        min: Some(0.0),
        max: Some(30.0),
    };
    let days = with("set_due_days", "Days until a new task is due", Effect::Write, days);
    let mut clear = with("clear_done", "Remove all completed tasks", Effect::Danger, Input::Click);
    clear.confirm = Some(true);
    clear.irreversible = true;
    let mut settings = with("open_settings", "Open the settings", Effect::Read, Input::Click);
    settings.opens = Some(RegionId::from("settings"));
    let sync = with("sync", "Send changes to the server", Effect::Write, Input::Click);
    let schema = json!({
        "type": "object",
        "properties": { "format": { "type": "string", "enum": ["csv", "json"] } },
        "required": ["format"],
    });
    let export = with("export", "Export the list", Effect::Read, Input::Schema(schema));
    let values = [json!(""), json!(""), json!("open"), json!(7)];
    let mut facts: Vec<_> = [add, search, filter, days, clear, settings, sync, export]
        .map(|declared| action(declared, &["bar"]))
        .into();
    for (facts, value) in facts.iter_mut().zip(values) {
        facts.value = Some(value);
    }
    facts[4].availability = Availability::Requires("no task is completed".into());
    facts
}
