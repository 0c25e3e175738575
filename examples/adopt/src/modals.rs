//! The visitors' desk: a form in a modal, a question in a second one, and a badge printer in a third.

use egui::{ComboBox, Id, Modal, ProgressBar, TextEdit, Ui};
use pling_egui::{Feedback, Page, Record, ResponseExt as _, Tool, UiExt as _};

/// Who can be visited.
const HOSTS: [&str; 3] = ["Workshop", "Archive", "Laboratory"];

/// How long a badge takes to print, in seconds.
const PRINTING: f32 = 1.5;

/// Somebody with a badge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visitor {
    pub badge: u32,
    pub name: String,
    pub host: &'static str,
}

/// How far the badge of the visitor in the form is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Form,
    Asking,
    /// Done is 1.
    Printing(f32),
}

/// The desk.
#[derive(Debug, Default)]
pub struct Modals {
    pub visitors: Vec<Visitor>,
    pub printed: u32,
    draft: Option<(Visitor, Step)>,
    error: Option<&'static str>,
}

impl Modals {
    /// Draws the desk.
    pub fn ui(&mut self, ui: &mut Ui) {
        ui.page(Page::new("Visitors' desk"));
        ui.heading("Visitors");
        ui.horizontal(|ui| {
            if ui
                .button("New visitor…")
                .tool(Tool::new("new", "Fill in the form for a new visitor").opens("New visitor"))
                .clicked()
            {
                let visitor = Visitor {
                    badge: self.printed + 1,
                    name: String::new(),
                    host: HOSTS[0],
                };
                self.draft = Some((visitor, Step::Form));
            }
            ui.menu_button("List", |ui| {
                ui.region(("menu", "Menu of the list"), |ui| self.menu_ui(ui))
            })
            .response
            .tool(Tool::new("list", "Open the menu of the list").read().opens("menu"));
        });
        ui.separator();
        ui.region(("visitors", "Visitors in the house"), |ui| self.visitors_ui(ui));
        if self.draft.is_some() {
            self.form_ui(ui);
        }
    }

    fn menu_ui(&mut self, ui: &mut Ui) {
        if ui
            .button("Sort by name")
            .tool(("sort", "Sort the visitors by name"))
            .clicked()
        {
            self.visitors.sort_by(|a, b| a.name.cmp(&b.name));
            ui.close();
        }
        if ui
            .button("Everybody left")
            .tool(Tool::new("clear", "Sign all visitors out").danger())
            .clicked()
        {
            self.visitors.clear();
            ui.close();
        }
    }

    fn visitors_ui(&self, ui: &mut Ui) {
        if self.visitors.is_empty() {
            ui.weak("Nobody is in the house");
        }
        for visitor in &self.visitors {
            let record = Record::new(visitor.badge, &visitor.name).field("host", visitor.host);
            ui.record(record, |ui| {
                ui.label(format!("{} is in the {}", visitor.name, visitor.host))
            });
        }
    }

    fn form_ui(&mut self, ui: &mut Ui) {
        if dialog(ui, "New visitor", |ui| self.fields_ui(ui)) {
            self.draft = None;
        }
    }

    fn fields_ui(&mut self, ui: &mut Ui) {
        let Some((visitor, step)) = &mut self.draft else { return };
        let label = ui.label("Name").id;
        ui.add(TextEdit::singleline(&mut visitor.name).id_salt("name"))
            .tool(("name", "Type the visitor's name"))
            .labelled_by(label);
        if let Some(error) = self.error {
            ui.colored_label(ui.visuals().error_fg_color, error)
                .feedback(Feedback::error().for_field("name"));
        }
        ComboBox::from_label("Host")
            .selected_text(visitor.host)
            .show_ui(ui, |ui| {
                for host in HOSTS {
                    ui.selectable_value(&mut visitor.host, host, host);
                }
            })
            .response
            .tool(Tool::new("host", "Choose who is visited").choices(HOSTS));
        ui.separator();
        ui.horizontal(|ui| {
            if ui
                .button("Save")
                .tool(Tool::new("save", "Check the form").opens("Print a badge?"))
                .clicked()
            {
                let nameless = visitor.name.trim().is_empty();
                self.error = nameless.then_some("A visitor needs a name");
                if !nameless {
                    *step = Step::Asking;
                }
            }
            if ui.button("Cancel").tool(("cancel", "Close the form")).clicked() {
                ui.close();
            }
        });
        match step {
            Step::Form => {}
            Step::Asking => self.question_ui(ui),
            Step::Printing(_) => self.printing_ui(ui),
        }
    }

    fn question_ui(&mut self, ui: &mut Ui) {
        let Some((visitor, step)) = &mut self.draft else { return };
        let not_yet = dialog(ui, "Print a badge?", |ui| {
            ui.label(format!("{} will be let into the {}.", visitor.name, visitor.host));
            ui.horizontal(|ui| {
                if ui
                    .button("Print")
                    .tool(Tool::new("print", "Print the badge, let the visitor in").danger())
                    .clicked()
                {
                    *step = Step::Printing(0.0);
                }
                if ui.button("Not yet").tool(("not_yet", "Go back to the form")).clicked() {
                    ui.close();
                }
            });
        });
        if not_yet {
            *step = Step::Form;
        }
    }

    fn printing_ui(&mut self, ui: &mut Ui) {
        let Some((visitor, Step::Printing(done))) = &mut self.draft else {
            return;
        };
        dialog(ui, "Printing…", |ui| {
            ui.add(ProgressBar::new(*done).animate(true));
        });
        ui.busy("printing the badge");
        *done += ui.input(|input| input.stable_dt) / PRINTING;
        ui.request_repaint();
        if *done >= 1.0 {
            self.visitors.push(visitor.clone());
            self.printed += 1;
            self.draft = None;
        }
    }
}

/// A modal with a title. Says whether the user wants it closed.
fn dialog(ui: &Ui, title: &'static str, add_contents: impl FnOnce(&mut Ui)) -> bool {
    let modal = Modal::new(Id::unique(title)).show(ui.ctx(), |ui| {
        ui.set_width(240.0);
        ui.heading(title);
        ui.region((title, title), |ui| {
            add_contents(ui);
        });
    });
    modal.should_close()
}
