//! The visitors' desk: a form in a modal, a question in a second one, and a badge printer in a third.

use egui::{ComboBox, Id, Modal, ProgressBar, TextEdit, Ui};

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
        ui.heading("Visitors");
        ui.horizontal(|ui| {
            if ui.button("New visitor…").clicked() {
                let visitor = Visitor {
                    badge: self.printed + 1,
                    name: String::new(),
                    host: HOSTS[0],
                };
                self.draft = Some((visitor, Step::Form));
            }
            ui.menu_button("List", |ui| self.menu_ui(ui));
        });
        ui.separator();
        self.visitors_ui(ui);
        if self.draft.is_some() {
            self.form_ui(ui);
        }
    }

    fn menu_ui(&mut self, ui: &mut Ui) {
        if ui.button("Sort by name").clicked() {
            self.visitors.sort_by(|a, b| a.name.cmp(&b.name));
            ui.close();
        }
        if ui.button("Everybody left").clicked() {
            self.visitors.clear();
            ui.close();
        }
    }

    fn visitors_ui(&self, ui: &mut Ui) {
        if self.visitors.is_empty() {
            ui.weak("Nobody is in the house");
        }
        for visitor in &self.visitors {
            ui.label(format!("{} is in the {}", visitor.name, visitor.host));
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
            .labelled_by(label);
        if let Some(error) = self.error {
            ui.colored_label(ui.visuals().error_fg_color, error);
        }
        ComboBox::from_label("Host")
            .selected_text(visitor.host)
            .show_ui(ui, |ui| {
                for host in HOSTS {
                    ui.selectable_value(&mut visitor.host, host, host);
                }
            });
        ui.separator();
        ui.horizontal(|ui| {
            if ui.button("Save").clicked() {
                let nameless = visitor.name.trim().is_empty();
                self.error = nameless.then_some("A visitor needs a name");
                if !nameless {
                    *step = Step::Asking;
                }
            }
            if ui.button("Cancel").clicked() {
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
                if ui.button("Print").clicked() {
                    *step = Step::Printing(0.0);
                }
                if ui.button("Not yet").clicked() {
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
        add_contents(ui);
    });
    modal.should_close()
}
