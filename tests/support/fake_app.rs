//! A small to-do list without a GUI: what it shows is a [`Snapshot`], what it can do is in [`App::deliver`].
//!
//! | region | actions |
//! | --- | --- |
//! | `todos` | `add_todo` (text), `toggle`, `delete` (danger) for each record, `clear_done` (danger) |
//! | `tools` | `search` (text, read), `limit` (number 0 to 10), `sort` (choice), `pin` (sensitive text), `pay` (handoff), `export` (function), `sync` (slow, expects a record), `open_settings` |
//! | `archive` | `restore` for each record of a source of which three rows are drawn |
//! | `settings` | `close_settings`, only while the dialog is open; it covers everything else |

use std::{collections::BTreeSet, sync::Arc};

use pling_core::{
    act::{Code, Operation, Refusal, Target},
    model::{
        Action, Effect, Expect, Feedback, Input, PageIdentity, Record, RecordId, Region, RegionPath, RegionRole,
        StateView,
    },
    snapshot::{ActionFacts, Availability, RecordFacts, RegionFacts, Snapshot, SourceFacts},
};
use serde_json::{Value, json};

/// Rows of the archive that are drawn.
const DRAWN: usize = 3;

/// One task.
#[derive(Clone, Debug)]
pub(crate) struct Todo {
    /// Its id, never used again.
    pub(crate) id: String,
    /// Its title.
    pub(crate) title: String,
    /// Whether it is done.
    pub(crate) done: bool,
}

type Edit = Box<dyn FnOnce(&mut App) + Send>;
type Tweak = Arc<dyn Fn(&mut Snapshot) + Send + Sync>;

/// The application's state. Tests edit it as a user would, through [`super::FakeHost::with`].
pub(crate) struct App {
    /// The tasks in order.
    pub(crate) todos: Vec<Todo>,
    /// Tasks in the archive, `a0` to `a{n-1}`.
    pub(crate) archived: usize,
    /// The first archived task that is drawn.
    pub(crate) archive_top: usize,
    /// What the list is filtered by.
    pub(crate) filter: String,
    /// Whether the settings dialog is open.
    pub(crate) dialog: bool,
    /// Records outside the viewport until they are revealed.
    pub(crate) scrolled_out: BTreeSet<String>,
    /// Whether revealing has no effect.
    pub(crate) stuck: bool,
    /// Whether no pass is drawn.
    pub(crate) hidden: bool,
    /// No pass is drawn, and the host waits until there is one again, as a browser tab in the background.
    pub(crate) paused: bool,
    /// What the page tells its user.
    pub(crate) feedback: Vec<Feedback>,
    /// What the app waits for.
    pub(crate) busy: Vec<String>,
    /// Every handler that ran, such as `toggle t1`.
    pub(crate) handled: Vec<String>,
    /// What the next operation is refused with by the host.
    pub(crate) refuse_next: Option<Refusal>,
    later: Vec<(u32, Edit)>,
    tweaks: Vec<Tweak>,
    next_id: usize,
}

impl App {
    /// Three tasks, t1 to t3, the last of them done.
    pub(crate) fn new() -> Self {
        let todo = |id: &str, title: &str, done| Todo {
            id: id.to_owned(),
            title: title.to_owned(),
            done,
        };
        Self {
            todos: vec![
                todo("t1", "Milk", false),
                todo("t2", "Bread", false),
                todo("t3", "Eggs", true),
            ],
            archived: 1000,
            archive_top: 0,
            filter: String::new(),
            dialog: false,
            scrolled_out: BTreeSet::new(),
            stuck: false,
            hidden: false,
            paused: false,
            feedback: Vec::new(),
            busy: Vec::new(),
            handled: Vec::new(),
            refuse_next: None,
            later: Vec::new(),
            tweaks: Vec::new(),
            next_id: 4,
        }
    }

    /// Edits the app so many passes from now.
    pub(crate) fn later(&mut self, passes: u32, edit: impl FnOnce(&mut Self) + Send + 'static) {
        self.later.push((passes, Box::new(edit)));
    }

    /// Edits every snapshot from now on, for declarations that this app does not make by itself.
    pub(crate) fn tweak(&mut self, tweak: impl Fn(&mut Snapshot) + Send + Sync + 'static) {
        self.tweaks.push(Arc::new(tweak));
    }

    /// Edits every declaration of an action from now on.
    pub(crate) fn tweak_action(&mut self, id: &'static str, tweak: impl Fn(&mut Action) + Send + Sync + 'static) {
        self.tweak(move |snapshot| {
            let all = snapshot.actions.iter_mut();
            for facts in all.filter(|facts| facts.action.id.as_str() == id) {
                tweak(Arc::make_mut(&mut facts.action));
            }
        });
    }

    /// Makes an action unusable from now on.
    pub(crate) fn set_availability(&mut self, id: &'static str, availability: Availability) {
        self.tweak(move |snapshot| {
            let all = snapshot.actions.iter_mut();
            for facts in all.filter(|facts| facts.action.id.as_str() == id) {
                facts.availability = availability.clone();
            }
        });
    }

    /// Adds a task.
    pub(crate) fn add(&mut self, title: &str) {
        let id = format!("t{}", self.next_id);
        self.next_id += 1;
        self.todos.push(Todo {
            id,
            title: title.to_owned(),
            done: false,
        });
    }

    /// Removes a task.
    pub(crate) fn remove(&mut self, id: &str) {
        self.todos.retain(|todo| todo.id != id);
    }

    /// The task of this id.
    pub(crate) fn todo(&mut self, id: &str) -> &mut Todo {
        self.todos
            .iter_mut()
            .find(|todo| todo.id == id)
            .expect("a task of this id")
    }

    /// Lets one pass go by.
    pub(crate) fn tick(&mut self) {
        let (due, later) = std::mem::take(&mut self.later)
            .into_iter()
            .map(|(passes, edit)| (passes.saturating_sub(1), edit))
            .partition::<Vec<_>, _>(|(passes, _)| *passes == 0);
        self.later = later;
        due.into_iter().for_each(|(_, edit)| edit(self));
    }

    /// The page as it is now.
    pub(crate) fn draw(&self, revision: u64) -> Snapshot {
        let mut page = Snapshot::new(revision);
        page.page = PageIdentity::new("Todos");
        page.state = vec![StateView::new(
            "filter",
            "Which tasks are shown",
            Some(json!(self.filter)),
        )];
        page.feedback.clone_from(&self.feedback);
        page.busy.clone_from(&self.busy);
        self.draw_todos(&mut page);
        self.draw_tools(&mut page);
        self.draw_archive(&mut page);
        if self.dialog {
            for facts in &mut page.actions {
                facts.availability = Availability::CoveredBy("Settings".to_owned());
            }
            let settings = region(&mut page, "settings", "Settings", RegionRole::Dialog);
            declare(
                &mut page,
                &settings,
                None,
                write("close_settings", "Close the settings"),
            );
        }
        self.tweaks.iter().for_each(|tweak| tweak(&mut page));
        page
    }

    fn draw_todos(&self, page: &mut Snapshot) {
        let todos = region(page, "todos", "Todo list", RegionRole::List);
        let mut add = with_input(write("add_todo", "Add a task"), Input::Text { multiline: false });
        add.submit = true;
        declare(page, &todos, None, add);
        let mut clear = danger("clear_done", "Delete all done tasks");
        let done = self.todos.iter().filter(|todo| todo.done).count();
        clear.preview = Some(format!("deletes {done}"));
        declare(page, &todos, None, clear);
        let shown = self.todos.iter().filter(|todo| todo.title.contains(&self.filter));
        for todo in shown {
            let mut record = Record::new(todo.id.as_str(), &todo.title);
            record.fields = vec![("done".to_owned(), Some(json!(todo.done)))];
            let mut facts = RecordFacts::new(record);
            facts.region = todos.clone();
            let out = self.scrolled_out.contains(&todo.id);
            facts.visible = if out { 0.0 } else { 1.0 };
            page.records.push(facts);
            let toggle = with_input(write("toggle", "Mark the task as complete"), Input::Toggle);
            for action in [toggle, danger("delete", "Delete the task")] {
                let facts = declare(page, &todos, Some(&todo.id), action);
                facts.value = (facts.action.input == Input::Toggle).then(|| json!(todo.done));
                if out {
                    facts.availability = Availability::Offscreen;
                }
            }
        }
    }

    fn draw_tools(&self, page: &mut Snapshot) {
        let tools = region(page, "tools", "Tools", RegionRole::Toolbar);
        let text = || Input::Text { multiline: false };
        let mut search = with_input(write("search", "Filter the tasks"), text());
        search.effect = Effect::Read;
        let range = Input::Number {
            min: Some(0.0),
            max: Some(10.0),
        };
        let choices = Input::Choice {
            choices: vec!["Newest".to_owned(), "Oldest".to_owned()],
        };
        let mut pin = with_input(write("pin", "Enter the PIN"), text());
        pin.sensitive = true;
        let mut pay = danger("pay", "Pay the bill");
        pay.handoff = Some("only you know the card".to_owned());
        let schema = json!({
            "type": "object",
            "properties": { "format": { "type": "string" } },
            "required": ["format"]
        });
        let mut sync = write("sync", "Fetch tasks from the server");
        sync.expect = Some(Expect::RecordAdded(Some("synced".into())));
        let mut open = write("open_settings", "Open the settings");
        open.opens = Some("settings".into());
        for action in [
            search,
            with_input(write("limit", "Limit the tasks shown"), range),
            with_input(write("sort", "Sort the tasks"), choices),
            pin,
            pay,
            with_input(write("export", "Export the list"), Input::Schema(schema)),
            sync,
            open,
        ] {
            declare(page, &tools, None, action);
        }
    }

    fn draw_archive(&self, page: &mut Snapshot) {
        let archive = region(page, "archive", "Archive", RegionRole::Table);
        let mut source = SourceFacts::new("archive", self.archived);
        source.region = archive.clone();
        source.first_ids = (0..self.archived.min(5))
            .map(|index| RecordId::from(format!("a{index}")))
            .collect();
        page.sources.push(source);
        for index in (self.archive_top..self.archived).take(DRAWN) {
            let id = format!("a{index}");
            let mut facts = RecordFacts::new(Record::new(id.as_str(), format!("Archived {index}")));
            facts.region = archive.clone();
            facts.source = Some(0);
            page.records.push(facts);
            declare(page, &archive, Some(&id), write("restore", "Restore the task"));
        }
    }

    /// Brings a target into view.
    pub(crate) fn reveal(&mut self, target: &Target) -> Result<(), Refusal> {
        let Some(record) = target.record.as_ref().map(RecordId::as_str) else {
            return Ok(());
        };
        if target.region.to_string() == "archive" {
            let index = record.strip_prefix('a').and_then(|index| index.parse::<usize>().ok());
            let index = index.filter(|index| *index < self.archived);
            let unknown = || Refusal::new(Code::UnknownRecord, "there is no such record in the archive");
            let index = index.ok_or_else(unknown)?;
            if !self.stuck {
                self.archive_top = index;
            }
        } else if !self.stuck {
            self.scrolled_out.remove(record);
        }
        Ok(())
    }

    /// Runs the handler of the target's widget, after this app's own admission. What it answers is a function's
    /// result or the value that a widget took, with words on it.
    pub(crate) fn deliver(
        &mut self,
        target: &Target,
        operation: &Operation,
    ) -> Result<(Option<Value>, Option<String>), Refusal> {
        if let Some(refusal) = self.refuse_next.take() {
            return Err(refusal);
        }
        let page = self.draw(0);
        let id = target.action.as_ref().map_or("", |id| id.as_str());
        let mut facts = page.actions.iter().filter(|facts| {
            facts.action.id.as_str() == id && facts.region == target.region && facts.record == target.record
        });
        let is_usable = facts
            .next()
            .is_some_and(|facts| facts.availability == Availability::Available);
        if !is_usable || facts.next().is_some() {
            return Err(Refusal::new(Code::NotDelivered, "the widget did not report it"));
        }
        let record = target.record.as_ref().map_or("", |record| record.as_str());
        self.handled.push(format!("{id} {record}").trim_end().to_owned());
        match (id, operation) {
            ("add_todo", Operation::Type { text, submit: true }) if text.trim().is_empty() => {
                let mut error = Feedback::error().for_field("add_todo");
                error.text = "Enter a task".to_owned();
                self.feedback = vec![error];
            }
            ("add_todo", Operation::Type { text, submit: true }) => {
                self.feedback.clear();
                self.add(text);
            }
            ("toggle", Operation::Toggle(checked)) => {
                let todo = self.todo(record);
                todo.done = checked.unwrap_or(!todo.done);
            }
            ("delete", Operation::Click) => self.remove(record),
            ("clear_done", Operation::Click) => self.todos.retain(|todo| !todo.done),
            ("search", Operation::Type { text, .. }) => self.filter.clone_from(text),
            ("limit", Operation::SetNumber(number)) => {
                let taken = number.clamp(0.0, 10.0);
                let clamped = taken != *number;
                return Ok((
                    clamped.then(|| json!(taken)),
                    clamped.then(|| format!("clamped to {taken}")),
                ));
            }
            ("pin", Operation::Type { text, .. }) => {
                return Ok((Some(json!(text)), Some(format!("cut to {}", text.len()))));
            }
            ("export", Operation::Function(arguments)) if arguments["format"] == "bad" => {
                return Err(Refusal::new(Code::HandlerFailed, "cannot write this format"));
            }
            ("export", Operation::Function(arguments)) => {
                let rows = self.todos.len();
                return Ok((Some(json!({ "rows": rows, "format": arguments["format"] })), None));
            }
            ("open_settings", Operation::Click) => self.dialog = true,
            ("close_settings", Operation::Click) => self.dialog = false,
            _ => {}
        }
        Ok((None, None))
    }
}

fn region(page: &mut Snapshot, id: &str, label: &str, role: RegionRole) -> RegionPath {
    let path = RegionPath::root().child(id.into());
    let mut region = Region::new(id, label);
    region.role = role;
    region.modal = role == RegionRole::Dialog;
    page.regions.push(RegionFacts::new(region, path.clone()));
    path
}

fn declare<'a>(
    page: &'a mut Snapshot,
    region: &RegionPath,
    record: Option<&str>,
    action: Action,
) -> &'a mut ActionFacts {
    let mut facts = ActionFacts::new(action);
    facts.region = region.clone();
    facts.record = record.map(RecordId::from);
    page.actions.push(facts);
    page.actions.last_mut().expect("just pushed")
}

fn write(id: &'static str, description: &'static str) -> Action {
    Action::new(id, description)
}

fn danger(id: &'static str, description: &'static str) -> Action {
    let mut action = Action::new(id, description);
    action.effect = Effect::Danger;
    action
}

fn with_input(mut action: Action, input: Input) -> Action {
    action.input = input;
    action
}
