//! The app itself: ordinary egui, with declarations on what an agent may operate.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use egui::{Button, ComboBox, DragValue, Key, Modal, RichText, ScrollArea, TextEdit, Ui};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::declare::{Feedback, Page, Record, Region, ResponseExt as _, Tool, UiExt as _};

/// Rows of the list that are in view at once.
const ROWS_IN_VIEW: f32 = 3.0;
/// How long a synchronization takes.
const SYNC_TAKES: Duration = Duration::from_secs(1);

/// One task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Todo {
    /// A stable id, such as `t9`; never given twice.
    pub id: String,
    /// What is to be done.
    pub title: String,
    /// Whether it is done.
    pub done: bool,
    /// Days until it is due.
    pub due_days: u32,
}

/// Which tasks the list shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Filter {
    /// All of them.
    All,
    /// Those that are not done.
    #[default]
    Open,
    /// Those that are.
    Done,
}

impl Filter {
    const ALL: [Self; 3] = [Self::All, Self::Open, Self::Done];

    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Open => "open",
            Self::Done => "done",
        }
    }

    fn shows(self, todo: &Todo) -> bool {
        match self {
            Self::All => true,
            Self::Open => !todo.done,
            Self::Done => todo.done,
        }
    }
}

/// How many times each handler of the app ran: what a test counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handled {
    /// Tasks added.
    pub add: u32,
    /// Check marks changed.
    pub toggle: u32,
    /// Tasks deleted.
    pub delete: u32,
    /// Times the done ones were cleared.
    pub clear_done: u32,
    /// Times the search text changed.
    pub search: u32,
    /// Lists exported.
    pub export: u32,
}

/// The list and everything on the page.
#[derive(Debug)]
pub struct TodoApp {
    /// All tasks, in the app's own order.
    pub todos: Vec<Todo>,
    /// Which of them the list shows.
    pub filter: Filter,
    /// Whether the settings are open.
    pub settings_open: bool,
    /// Whether due days are shown.
    pub show_due: bool,
    /// How many times each handler ran.
    pub handled: Handled,
    draft: String,
    draft_error: Option<String>,
    search: String,
    /// What the list is filtered by: follows `search` only where it changes.
    query: String,
    status: Option<String>,
    sync: Option<Receiver<usize>>,
    next_id: u32,
}

impl Default for TodoApp {
    fn default() -> Self {
        let titles = [
            "Review the launch checklist",
            "Book the design review",
            "Buy milk",
            "Call the plumber",
            "Renew the passport",
            "Plan the team offsite",
            "Water the plants",
            "Update the project roadmap",
            "Write the weekly report",
            "Order printer paper",
            "Back up the laptop",
            "Send the birthday card",
        ];
        let mut app = Self {
            todos: Vec::new(),
            filter: Filter::default(),
            settings_open: false,
            show_due: true,
            handled: Handled::default(),
            draft: String::new(),
            draft_error: None,
            search: String::new(),
            query: String::new(),
            status: None,
            sync: None,
            next_id: 1,
        };
        for title in titles {
            app.push(title);
        }
        app
    }
}

/// What an export takes.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
pub struct ExportArgs {
    /// Whether tasks that are done are exported too.
    #[serde(default)]
    include_done: bool,
}

impl TodoApp {
    /// Draws the page.
    pub fn ui(&mut self, ui: &mut Ui) {
        ui.page(Page::new("Todos").path("/todos"));
        ui.state("filter", "Which tasks the list shows", &self.filter);
        ui.state("total", "Number of tasks", &self.todos.len());
        ui.state("done", "Number of tasks that are done", &self.done());

        ui.region(Region::new("todos", "Todo list").purpose("the user's tasks"), |ui| {
            ui.heading("Todos");
            self.add_ui(ui);
            self.find_ui(ui);
            ui.separator();
            self.list_ui(ui);
            ui.separator();
            self.footer_ui(ui);
        });
        self.settings_ui(ui);

        let export = Tool::new("export", "Export the tasks as Markdown text").read();
        if let Some(call) = ui.tool_call::<ExportArgs>(export) {
            self.handled.export += 1;
            let text = self.markdown(call.args().include_done);
            call.finish(json!({ "format": "markdown", "text": text }));
        }
    }

    fn add_ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.draft)
                .hint_text("What needs to be done?")
                .desired_width(260.0);
            let field = ui.add(field.id_salt("draft")).tool(
                Tool::new("add_todo", "Add a task")
                    .submit()
                    .input("text", "The task's title"),
            );
            field.clone().accessible_name("New task");
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            if entered || ui.button("Add").clicked() {
                self.add();
            }
        });
        if let Some(error) = &self.draft_error {
            ui.colored_label(ui.visuals().error_fg_color, error)
                .feedback(Feedback::error().for_field("add_todo"));
        }
    }

    fn find_ui(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut self.search)
                .hint_text("Search")
                .desired_width(160.0);
            let field = ui.add(field.id_salt("search")).tool(
                Tool::new("search", "Search tasks by text")
                    .read()
                    .input("text", "Words of the title; empty shows all"),
            );
            if field.changed() {
                self.handled.search += 1;
                self.query = self.search.to_lowercase();
            }
            field.accessible_name("Search tasks");

            let combo = ComboBox::from_id_salt("filter")
                .selected_text(self.filter.name())
                .show_ui(ui, |ui| {
                    for filter in Filter::ALL {
                        ui.selectable_value(&mut self.filter, filter, filter.name());
                    }
                });
            let choices = Filter::ALL.map(Filter::name);
            combo
                .response
                .tool(
                    Tool::new("set_filter", "Choose which tasks the list shows")
                        .read()
                        .choices(choices),
                )
                .accessible_name("Shown tasks");
        });
    }

    fn list_ui(&mut self, ui: &mut Ui) {
        let row = ui.spacing().interact_size.y + ui.spacing().item_spacing.y;
        let mut deleted = None;
        ScrollArea::vertical()
            .max_height(row * ROWS_IN_VIEW)
            .auto_shrink([false, false])
            .show(ui, |ui| {
                let (filter, query, show_due) = (self.filter, &self.query, self.show_due);
                let shown = self.todos.iter_mut().filter(|todo| filter.shows(todo));
                for todo in shown.filter(|todo| todo.title.to_lowercase().contains(query)) {
                    let record = Record::new(&todo.id, &todo.title)
                        .field("done", todo.done)
                        .field("due_days", todo.due_days);
                    ui.record(record, |ui| {
                        ui.horizontal(|ui| {
                            let check = ui.checkbox(&mut todo.done, &todo.title);
                            if check.tool(Tool::new("toggle", "Mark the task as complete")).changed() {
                                self.handled.toggle += 1;
                            }
                            if show_due {
                                let due = DragValue::new(&mut todo.due_days).range(0..=30).suffix(" days");
                                let tool = Tool::new("set_due_days", "Set in how many days the task is due");
                                let _ = ui
                                    .add(due)
                                    .tool(tool)
                                    .on_hover_text("Due in")
                                    .accessible_name("Due in days");
                            }
                            let delete = ui.button("×").on_hover_text("Delete");
                            if delete.tool(Tool::new("delete", "Delete the task").danger()).clicked() {
                                deleted = Some(todo.id.clone());
                            }
                        });
                    });
                }
            });
        if let Some(id) = deleted {
            self.handled.delete += 1;
            self.todos.retain(|todo| todo.id != id);
        }
    }

    fn footer_ui(&mut self, ui: &mut Ui) {
        let done = self.done();
        ui.horizontal(|ui| {
            ui.label(RichText::new(format!("{} open, {done} done", self.todos.len() - done)).weak());
            let clear = Tool::new("clear_done", "Delete all tasks that are done").danger();
            let clear = clear.available_if(done > 0, "a task that is done");
            if ui
                .add_enabled(done > 0, Button::new("Clear done"))
                .tool(clear)
                .clicked()
            {
                self.handled.clear_done += 1;
                self.todos.retain(|todo| !todo.done);
            }
            let syncing = self.sync.is_some();
            let sync = Tool::new("sync", "Synchronize the tasks").available_if(!syncing, "the running one to end");
            if ui.add_enabled(!syncing, Button::new("Sync")).tool(sync).clicked() {
                self.start_sync(ui);
            }
            let settings = Tool::new("open_settings", "Open the settings").read().opens("settings");
            if ui.button("Settings…").tool(settings).clicked() {
                self.settings_open = true;
            }
        });
        self.poll_sync();
        if self.sync.is_some() {
            ui.busy("synchronizing");
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("Synchronizing…");
            });
        }
        if let Some(status) = &self.status {
            let _ = ui.label(status).feedback(Feedback::success());
        }
    }

    fn settings_ui(&mut self, ui: &mut Ui) {
        if !self.settings_open {
            return;
        }
        let modal = Modal::new(egui::Id::unique("settings")).show(ui.ctx(), |ui| {
            ui.region(Region::new("settings", "Settings"), |ui| {
                ui.heading("Settings");
                let show_due = ui.checkbox(&mut self.show_due, "Show due days");
                let _ = show_due.tool(Tool::new("show_due", "Show in how many days a task is due"));
                if ui
                    .button("Close")
                    .tool(Tool::new("close_settings", "Close the settings").read())
                    .clicked()
                {
                    self.settings_open = false;
                }
            });
        });
        if modal.should_close() {
            self.settings_open = false;
        }
    }

    fn add(&mut self) {
        self.handled.add += 1;
        let title = self.draft.trim().to_owned();
        if title.is_empty() {
            self.draft_error = Some("A task needs a title".to_owned());
            return;
        }
        self.draft_error = None;
        self.draft.clear();
        self.push(&title);
    }

    fn push(&mut self, title: &str) {
        self.todos.push(Todo {
            id: format!("t{}", self.next_id),
            title: title.to_owned(),
            done: false,
            due_days: 0,
        });
        self.next_id += 1;
    }

    /// How many tasks are done.
    #[must_use]
    pub fn done(&self) -> usize {
        self.todos.iter().filter(|todo| todo.done).count()
    }

    fn markdown(&self, include_done: bool) -> String {
        let mut text = String::new();
        for todo in self.todos.iter().filter(|todo| include_done || !todo.done) {
            let mark = if todo.done { 'x' } else { ' ' };
            text.push_str(&format!("- [{mark}] {}\n", todo.title));
        }
        text
    }

    /// Stands in for a backend: answers after a while, from elsewhere.
    fn start_sync(&mut self, ui: &Ui) {
        let (send, receive) = channel();
        let (ctx, count) = (ui.ctx().clone(), self.todos.len());
        let answer = move || {
            // The window may be gone by now.
            let _ = send.send(count);
            ctx.request_repaint();
        };
        self.status = None;
        match example_common::later("sync", SYNC_TAKES, answer) {
            Ok(()) => self.sync = Some(receive),
            Err(error) => self.status = Some(format!("Not synchronized: {error}")),
        }
    }

    fn poll_sync(&mut self) {
        let Some(sync) = &self.sync else { return };
        match sync.try_recv() {
            Ok(count) => self.status = Some(format!("{count} tasks synchronized")),
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => self.status = Some("Not synchronized: the backend went away".to_owned()),
        }
        self.sync = None;
    }
}
