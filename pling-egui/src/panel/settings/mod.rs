//! Who answers, and what it may spend. What the user sets here wins over how the app set Pling up, and is kept with
//! egui's own memory where the app keeps that; the key only if the user asks for it.

mod endpoint;
mod kept;

use egui::{Button, Context, DragValue, Grid, ScrollArea, TextEdit, Ui};
use pling_core::agent::{ConfigError, ExposeSecret as _};

pub(super) use self::kept::keep_preset;
use self::{endpoint::Test, kept::Values};
use super::{
    header::who,
    look::{aside, detail, success},
    permissions::permissions_ui,
    strings::Strings,
    visible::visible,
};
use crate::Pling;

/// Servers that run on the user's own computer.
const LOCAL: [(&str, &str); 4] = [
    ("Ollama", "http://localhost:11434/v1"),
    ("LM Studio", "http://localhost:1234/v1"),
    ("llama.cpp", "http://localhost:8080/v1"),
    ("vLLM", "http://localhost:8000/v1"),
];

/// What the user is writing.
#[derive(Default)]
pub(super) struct Draft {
    values: Option<Values>,
    keep_key: bool,
    /// What came of the last change, or why there was none.
    said: Option<Result<String, String>>,
    test: Test,
}

/// Takes up what the user set in an earlier run of the app, once.
pub(super) fn restore(ctx: &Context, pling: &Pling, draft: &mut Draft) {
    if pling.is_first_panel()
        && let Err(error) = kept::restore(ctx, pling)
    {
        draft.said = Some(Err(in_words(pling.say(), &error)));
    }
}

fn in_words(say: &Strings, error: &ConfigError) -> String {
    say.wrong_setting(&error.field, &error.message)
}

pub(super) fn settings_ui(ui: &mut Ui, pling: &Pling, draft: &mut Draft) {
    let say = pling.say();
    let mut values = match draft.values.take() {
        Some(values) => values,
        None => {
            draft.keep_key = kept::keeps_key(ui.ctx());
            Values::in_force(pling)
        }
    };
    ScrollArea::vertical()
        .id_salt("settings")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.label(aside(ui, say.now(&who(pling))));
            ui.add_space(4.0);
            model_ui(ui, pling, &mut values, &mut draft.keep_key);
            ui.add_space(8.0);
            buttons_ui(ui, pling, draft, &values);
            ui.add_space(8.0);
            ui.strong(say.limits());
            limits_ui(ui, say, &mut values);
            ui.add_space(8.0);
            ui.strong(say.may_do());
            permissions_ui(ui, pling);
            ui.add_space(8.0);
            ui.strong(say.spent());
            spent_ui(ui, pling);
        });
    draft.values = Some(values);
}

fn model_ui(ui: &mut Ui, pling: &Pling, values: &mut Values, keep_key: &mut bool) {
    let say = pling.say();
    ui.horizontal(|ui| {
        ui.strong(say.model());
        ui.menu_button(say.local_servers(), |ui| {
            for (name, url) in LOCAL {
                if ui.button(name).on_hover_text(url).clicked() {
                    url.clone_into(&mut values.base_url);
                    values.key.clear();
                }
            }
        });
    });
    let field = |ui: &mut Ui, name: String, text: &mut String, hint: String, password: bool| {
        let label = ui.label(detail(ui, name));
        let edit = TextEdit::singleline(text)
            .hint_text(hint)
            .password(password)
            .desired_width(f32::INFINITY);
        ui.add(edit).labelled_by(label.id)
    };
    let url_hint = LOCAL[0].1.to_owned();
    if field(ui, say.endpoint(), &mut values.base_url, url_hint, false).changed() {
        // It was entered for another endpoint.
        values.key.clear();
    }
    field(ui, say.model_name(), &mut values.model, say.model_name_hint(), false);
    let has_key = !pling.own_config().api_key.expose_secret().is_empty();
    let hint = if has_key { say.key_hint_app() } else { say.key_hint() };
    field(ui, say.key(), &mut values.key, hint, true);
    // What a browser keeps, any script of the same origin can read.
    if cfg!(target_arch = "wasm32") {
        *keep_key = false;
        ui.label(aside(ui, say.key_forgotten()));
    } else {
        ui.checkbox(keep_key, say.keep_key()).on_hover_text(say.keep_key_hint());
    }
    ui.checkbox(&mut values.stream, say.stream());
}

fn limits_ui(ui: &mut Ui, say: &Strings, values: &mut Values) {
    Grid::new("limits").num_columns(2).show(ui, |ui| {
        let label = ui.label(detail(ui, say.max_turns()));
        ui.add(DragValue::new(&mut values.max_turns).range(1..=100))
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label(detail(ui, say.max_tokens()));
        let range = 1..=1_000_000;
        ui.add(DragValue::new(&mut values.max_tokens).range(range))
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label(detail(ui, say.context_tokens()));
        let range = 1024..=10_000_000;
        ui.add(DragValue::new(&mut values.context_tokens).range(range).speed(256))
            .labelled_by(label.id);
        ui.end_row();
    });
}

fn buttons_ui(ui: &mut Ui, pling: &Pling, draft: &mut Draft, values: &Values) {
    let say = pling.say();
    let is_testing = draft.test.is_running();
    ui.horizontal(|ui| {
        if ui.button(say.use_it()).on_hover_text(say.use_hint()).clicked() {
            draft.said = Some(match values.apply(pling) {
                Ok(()) => {
                    values.keep(ui.ctx(), pling, draft.keep_key);
                    Ok(say.in_use())
                }
                Err(error) => Err(in_words(say, &error)),
            });
        }
        let button = Button::new(if is_testing { say.testing() } else { say.test() });
        let test = ui.add_enabled(!is_testing, button).on_hover_text(say.test_hint());
        if test.clicked() {
            draft.said = draft.test.begin(ui.ctx(), pling, values).err().map(Err);
        }
    });
    match &draft.said {
        Some(Ok(words)) => drop(ui.label(detail(ui, words).color(success(ui)))),
        Some(Err(words)) => drop(ui.label(detail(ui, visible(words)).color(ui.visuals().error_fg_color))),
        None => {}
    }
    draft.test.ui(ui, say);
}

fn spent_ui(ui: &mut Ui, pling: &Pling) {
    let (say, spent) = (pling.say(), pling.session().telemetry());
    let tokens = spent.prompt_tokens + spent.completion_tokens + spent.estimated_tokens;
    let words = say.spent_words(
        &spent.model_calls.to_string(),
        &spent.tool_calls.to_string(),
        &tokens.to_string(),
    );
    let words = match spent.estimated_cost > 0.0 {
        true => say.spent_cost(&words, &format!("{:.4}", spent.estimated_cost)),
        false => words,
    };
    ui.label(detail(ui, words));
}
