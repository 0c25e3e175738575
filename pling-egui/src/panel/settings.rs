//! Who answers, and what it may spend. What the user sets here wins over how the app set Pling up, and is kept with
//! egui's own memory where the app keeps that; the key only if the user asks for it.

use std::sync::Arc;

use egui::{Context, DragValue, Grid, Id, ScrollArea, TextEdit, Ui};
use parking_lot::Mutex;
use pling_core::agent::{Config, ConfigError, ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};

use super::{
    header::who,
    look::{aside, detail, success, sunken},
    permissions::permissions_ui,
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
    key: String,
    keep_key: bool,
    /// What came of the last change, or why there was none.
    said: Option<Result<String, String>>,
    test: Arc<Mutex<Test>>,
}

/// What is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Values {
    base_url: String,
    model: String,
    stream: bool,
    max_tokens: u32,
    max_turns: u32,
    context_tokens: usize,
    /// Empty unless the user wants it kept.
    key: String,
}

/// How far the test of the endpoint is.
#[derive(Clone, Debug, Default)]
enum Test {
    #[default]
    None,
    Running,
    /// What was found, and whether an agent can work with it.
    Done(String, bool),
}

/// Takes up what the user set in an earlier run of the app.
pub(super) fn restore(ctx: &Context, pling: &Pling, draft: &mut Draft) {
    if draft.values.is_some() {
        return;
    }
    let kept: Option<Values> = ctx.data_mut(|data| data.get_persisted(store()));
    if let Some(kept) = &kept {
        draft.key.clone_from(&kept.key);
        draft.keep_key = !kept.key.is_empty();
        if let Err(error) = apply(pling, kept, &kept.key) {
            draft.said = Some(Err(error.to_string()));
        }
    }
    draft.values = Some(kept.unwrap_or_else(|| Values::of(pling.config())));
}

fn store() -> Id {
    Id::unique("pling.settings")
}

pub(super) fn settings_ui(ui: &mut Ui, pling: &Pling, draft: &mut Draft) {
    ScrollArea::vertical()
        .id_salt("settings")
        .auto_shrink([false, false])
        .show(ui, |ui| {
            ui.label(aside(ui, format!("Now: {}", who(pling))));
            ui.add_space(4.0);
            model_ui(ui, pling, draft);
            ui.add_space(8.0);
            buttons_ui(ui, pling, draft);
            ui.add_space(8.0);
            ui.strong("Limits");
            limits_ui(ui, draft);
            ui.add_space(8.0);
            ui.strong("What it may do");
            permissions_ui(ui, pling);
            ui.add_space(8.0);
            ui.strong("Spent so far");
            spent_ui(ui, pling);
        });
}

fn model_ui(ui: &mut Ui, pling: &Pling, draft: &mut Draft) {
    let Draft {
        values, key, keep_key, ..
    } = draft;
    let Some(values) = values else { return };
    ui.horizontal(|ui| {
        ui.strong("Model");
        ui.menu_button("Local servers", |ui| {
            for (name, url) in LOCAL {
                if ui.button(name).on_hover_text(url).clicked() {
                    url.clone_into(&mut values.base_url);
                }
            }
        });
    });
    let field = |ui: &mut Ui, name: &str, text: &mut String, hint: &str, password: bool| {
        let label = ui.label(detail(ui, name));
        let edit = TextEdit::singleline(text)
            .hint_text(hint)
            .password(password)
            .desired_width(f32::INFINITY);
        ui.add(edit).labelled_by(label.id);
    };
    field(ui, "Endpoint", &mut values.base_url, "http://localhost:11434/v1", false);
    field(ui, "Model name", &mut values.model, "as the provider calls it", false);
    let has_key = !pling.config().api_key.expose_secret().is_empty();
    let hint = if has_key { "as the app has it" } else { "none" };
    field(ui, "Key", key, hint, true);
    // What a browser keeps, any script of the same origin can read.
    if cfg!(target_arch = "wasm32") {
        *keep_key = false;
        ui.label(aside(ui, "The key is forgotten when this page is left"));
    } else {
        ui.checkbox(keep_key, "Keep the key on this computer")
            .on_hover_text("In plain text, with the app's other settings. Otherwise it is forgotten when the app ends");
    }
    ui.checkbox(&mut values.stream, "Show words as they are written");
}

fn limits_ui(ui: &mut Ui, draft: &mut Draft) {
    let Some(values) = &mut draft.values else { return };
    Grid::new("limits").num_columns(2).show(ui, |ui| {
        let label = ui.label(detail(ui, "Replies for one message"));
        ui.add(DragValue::new(&mut values.max_turns).range(1..=100))
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label(detail(ui, "Tokens of one reply"));
        let range = 1..=1_000_000;
        ui.add(DragValue::new(&mut values.max_tokens).range(range))
            .labelled_by(label.id);
        ui.end_row();
        let label = ui.label(detail(ui, "The model's window, tokens"));
        let range = 1024..=10_000_000;
        ui.add(DragValue::new(&mut values.context_tokens).range(range).speed(256))
            .labelled_by(label.id);
        ui.end_row();
    });
}

fn buttons_ui(ui: &mut Ui, pling: &Pling, draft: &mut Draft) {
    let Some(values) = draft.values.clone() else { return };
    let mut test = false;
    let is_testing = matches!(*draft.test.lock(), Test::Running);
    ui.horizontal(|ui| {
        if ui.button("Use").on_hover_text("From the next message on").clicked() {
            draft.said = Some(match apply(pling, &values, &draft.key) {
                Ok(()) => {
                    let key = if draft.keep_key {
                        draft.key.clone()
                    } else {
                        String::new()
                    };
                    let kept = Values { key, ..values.clone() };
                    ui.data_mut(|data| data.insert_persisted(store(), kept));
                    Ok("In use from the next message on".to_owned())
                }
                Err(error) => Err(error.to_string()),
            });
        }
        let button = egui::Button::new(if is_testing { "Testing…" } else { "Test" });
        test = ui
            .add_enabled(!is_testing, button)
            .on_hover_text("Up to four small requests")
            .clicked();
    });
    if test {
        draft.said = begin_test(ui.ctx(), pling, &values, draft)
            .err()
            .map(|error| Err(error.to_string()));
    }
    match &draft.said {
        Some(Ok(words)) => drop(ui.label(detail(ui, words).color(success(ui)))),
        Some(Err(words)) => drop(ui.label(detail(ui, visible(words)).color(ui.visuals().error_fg_color))),
        None => {}
    }
    if let Test::Done(words, is_usable) = draft.test.lock().clone() {
        sunken(ui).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let (verdict, color) = if is_usable {
                ("An assistant can work with it", success(ui))
            } else {
                ("An assistant cannot work with it", ui.visuals().error_fg_color)
            };
            ui.label(detail(ui, verdict).color(color));
            ui.label(detail(ui, visible(&words)));
        });
    }
}

fn spent_ui(ui: &mut Ui, pling: &Pling) {
    let spent = pling.session().telemetry();
    let tokens = spent.prompt_tokens + spent.completion_tokens + spent.estimated_tokens;
    let mut words = format!(
        "{} requests, {} calls, about {tokens} tokens",
        spent.model_calls, spent.tool_calls
    );
    if spent.estimated_cost > 0.0 {
        words = format!("{words}, cost {:.4}", spent.estimated_cost);
    }
    ui.label(detail(ui, words));
}

impl Values {
    fn of(config: &Config) -> Self {
        Self {
            base_url: config.base_url.clone(),
            model: config.model.clone(),
            stream: config.stream,
            max_tokens: config.max_tokens,
            max_turns: config.limits.max_turns,
            context_tokens: config.limits.context_tokens,
            key: String::new(),
        }
    }

    /// The configuration that these values make of the app's.
    fn on(&self, configured: &Config, key: &str) -> Config {
        let mut config = configured.clone();
        // A key goes to the endpoint it was given for, and to no other.
        if !key.trim().is_empty() || self.base_url.trim() != configured.base_url.trim() {
            config.api_key = SecretString::from(key.trim());
        }
        self.base_url.trim().clone_into(&mut config.base_url);
        self.model.trim().clone_into(&mut config.model);
        config.stream = self.stream;
        config.max_tokens = self.max_tokens;
        config.limits.max_turns = self.max_turns;
        config.limits.context_tokens = self.context_tokens;
        config
    }
}

fn apply(pling: &Pling, values: &Values, key: &str) -> Result<(), ConfigError> {
    let config = values.on(pling.config(), key);
    config.check()?;
    let llm = crate::pling::client(&config)?;
    match llm {
        Some(llm) => pling.configure(config, Some(llm)),
        // The model that the app brought itself, or its offline planner.
        None => pling.configure(config, pling.own_model()),
    }
    Ok(())
}

#[cfg(feature = "openai")]
fn begin_test(ctx: &Context, pling: &Pling, values: &Values, draft: &Draft) -> Result<(), ConfigError> {
    let config = values.on(pling.config(), &draft.key);
    config.check()?;
    let Some(client) = config.client()? else {
        return Err(ConfigError::new("baseUrl", "enter an endpoint and a model first"));
    };
    let (test, ctx) = (Arc::clone(&draft.test), ctx.clone());
    *test.lock() = Test::Running;
    pling.spawn(async move {
        let probe = client.probe().await;
        *test.lock() = Test::Done(probe.to_string(), probe.is_usable());
        ctx.request_repaint();
    });
    Ok(())
}

#[cfg(not(feature = "openai"))]
fn begin_test(_ctx: &Context, _pling: &Pling, _values: &Values, _draft: &Draft) -> Result<(), ConfigError> {
    Err(ConfigError::new("baseUrl", "this build has no client for endpoints"))
}
