//! The details of one order: a form that is saved only when everything in it is right.

use egui::{Align, Button, DragValue, Grid, Layout, Modal, RichText, TextEdit, Ui};
use pling_egui::{Feedback, Record, Region, ResponseExt as _, Tool, UiExt as _, core::model::Level};

use super::{OrdersApp, look};
use crate::{
    data::{Day, Edit},
    format::Money,
};

/// The longest note, in characters.
const NOTE_CHARS: usize = 120;
/// The width of a text field, in points.
const FIELD: f32 = 290.0;

/// The order being looked at, as it would be saved.
#[derive(Debug)]
pub(super) struct Detail {
    edit: Edit,
    ships: String,
    /// Saving was tried: from now on what is wrong is shown at once.
    is_checked: bool,
}

/// What is wrong with each field.
#[derive(Debug, Default)]
struct Errors {
    ships: Option<String>,
    address: Option<String>,
    email: Option<String>,
    note: Option<String>,
}

impl Errors {
    fn are_none(&self) -> bool {
        [&self.ships, &self.address, &self.email, &self.note]
            .into_iter()
            .all(Option::is_none)
    }
}

/// What the user did with the form.
enum Done {
    Save,
    Close,
}

impl Detail {
    pub(super) fn new(edit: Edit) -> Self {
        Self {
            ships: edit.order.ships.to_string(),
            edit,
            is_checked: false,
        }
    }

    fn errors(&self) -> Errors {
        let Edit {
            order,
            note,
            address,
            email,
        } = &self.edit;
        let when = |wrong: bool, text: &str| wrong.then(|| text.to_owned());
        let (_, domain) = email.split_once('@').unwrap_or_default();
        Errors {
            ships: match self.ships.parse::<Day>() {
                Err(_) => Some("A day is written as 2026-03-09".to_owned()),
                Ok(day) if day < order.placed => Some(format!("Not before {}, when it was placed", order.placed)),
                Ok(_) => None,
            },
            address: when(address.trim().is_empty(), "An address is needed"),
            email: when(!domain.contains('.'), "This is no e-mail address"),
            note: when(note.chars().count() > NOTE_CHARS, "A note has at most 120 characters"),
        }
    }

    fn ui(&mut self, ui: &mut Ui, money: Money) -> Option<Done> {
        let mut done = None;
        let order = self.edit.order;
        ui.horizontal(|ui| {
            ui.heading(order.id().to_string());
            look::badge(ui, order.status);
        });
        let total = money.write(order.total_cents().into());
        let unit = money.write(order.unit_cents().into());
        ui.label(format!("{} × {}, {unit} each", order.quantity, order.product()));
        ui.label(RichText::new(format!("Total {total}")).strong());
        ui.separator();
        let errors = if self.is_checked {
            self.errors()
        } else {
            Errors::default()
        };
        Grid::new("form").num_columns(2).spacing([16.0, 8.0]).show(ui, |ui| {
            label(ui, "Customer", &order.customer.name());
            label(ui, "Placed", &order.placed.to_string());
            label(ui, "Card", &order.customer.masked_card());

            ui.label("Items");
            let quantity = DragValue::new(&mut self.edit.order.quantity).range(1..=99);
            ui.tool(Tool::new("set_items", "Set how many pieces"), quantity)
                .accessible_name("Items");
            ui.end_row();

            let day = Tool::new("set_ship_date", "Set the day it is shipped").input("text", "such as 2026-03-09");
            text_ui(
                ui,
                "Ship on",
                &mut self.ships,
                day,
                "set_ship_date",
                errors.ships.as_deref(),
            );
            let address = Tool::new("set_address", "Set where it is sent");
            text_ui(
                ui,
                "Address",
                &mut self.edit.address,
                address,
                "set_address",
                errors.address.as_deref(),
            );
            let email = Tool::new("set_email", "Set the confirmation's e-mail address").sensitive();
            text_ui(
                ui,
                "E-mail",
                &mut self.edit.email,
                email,
                "set_email",
                errors.email.as_deref(),
            );
            let note = Tool::new("set_note", "Set the note for colleagues").input("text", "at most 120 characters");
            text_ui(
                ui,
                "Note",
                &mut self.edit.note,
                note,
                "set_note",
                errors.note.as_deref(),
            );
        });
        ui.separator();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let save = ui.add(Button::new(RichText::new("Save").strong()));
            if save.tool(Tool::new("save", "Save the order's details")).clicked() {
                done = Some(Done::Save);
            }
            let cancel = Tool::new("cancel", "Close the details without saving").read();
            if ui.button("Cancel").tool(cancel).clicked() {
                done = Some(Done::Close);
            }
        });
        done
    }
}

impl OrdersApp {
    pub(super) fn detail_ui(&mut self, ui: &mut Ui) {
        let Some(detail) = &mut self.detail else { return };
        let order = detail.edit.order;
        let money = self.settings.money;
        let modal = Modal::new(egui::Id::unique("order"))
            .frame(look::dialog(ui.style()))
            .show(ui.ctx(), |ui| {
                ui.set_width(400.0);
                ui.region(
                    Region::new("order", "Order details").purpose("one order, to correct"),
                    |ui| {
                        let record = Record::new(order.id(), format!("{} {}", order.id(), order.customer.name()))
                            .field("product", order.product())
                            .field("status", order.status)
                            .sensitive_field("card")
                            .sensitive_field("email");
                        ui.record(record, |ui| detail.ui(ui, money)).inner
                    },
                )
                .inner
            });
        let closed = modal.should_close().then_some(Done::Close);
        let done = modal.inner.or(closed);
        match done {
            None => {}
            Some(Done::Close) => self.detail = None,
            Some(Done::Save) => self.save(),
        }
    }

    fn save(&mut self) {
        let Some(detail) = &mut self.detail else { return };
        detail.is_checked = true;
        let Ok(day) = detail.ships.parse() else { return };
        if !detail.errors().are_none() {
            return;
        }
        self.handled.save += 1;
        let mut edit = detail.edit.clone();
        edit.order.ships = day;
        let (before, after) = (self.orders.get(edit.order.index), edit.order);
        self.orders.begin(format!("details of {}", after.id()));
        self.orders.put(edit);
        self.view.edited(&before, &after, &self.orders);
        self.detail = None;
        self.say(Level::Success, format!("{} saved", after.id()));
    }
}

fn label(ui: &mut Ui, name: &str, value: &str) {
    ui.label(name);
    ui.label(value);
    ui.end_row();
}

/// A field, and below it what is wrong with it.
fn text_ui(ui: &mut Ui, name: &str, text: &mut String, tool: Tool, id: &'static str, error: Option<&str>) {
    ui.label(name);
    ui.vertical(|ui| {
        let field = TextEdit::singleline(text).id_salt(id).desired_width(FIELD);
        ui.add(field).tool(tool).accessible_name(name);
        if let Some(error) = error {
            let _ = ui
                .colored_label(ui.visuals().error_fg_color, error)
                .feedback(Feedback::error().for_field(id));
        }
    });
    ui.end_row();
}
