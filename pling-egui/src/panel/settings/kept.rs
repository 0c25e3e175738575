//! What the user chose, and what of it outlives the app: only what differs from how the app set Pling up, so that an
//! app which changes its own defaults is heard.

use egui::{Context, Id};
use pling_core::{
    act::Preset,
    agent::{Config, ConfigError, ExposeSecret as _, SecretPairs, SecretString},
};
use serde::{Deserialize, Serialize};

use crate::Pling;

/// The settings that are chosen here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) base_url: String,
    pub(super) model: String,
    pub(super) key: String,
    pub(super) stream: bool,
    pub(super) max_tokens: u32,
    pub(super) max_turns: u32,
    pub(super) context_tokens: usize,
}

/// What is in egui's memory, which eframe writes to the disk with its feature `persistence`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    base_url: Option<String>,
    model: Option<String>,
    /// Only if the user wants it kept.
    key: Option<String>,
    stream: Option<bool>,
    max_tokens: Option<u32>,
    max_turns: Option<u32>,
    context_tokens: Option<usize>,
    preset: Option<Preset>,
}

fn store() -> Id {
    Id::unique("pling.settings")
}

fn load(ctx: &Context) -> Option<Kept> {
    ctx.data_mut(|data| data.get_persisted(store()))
}

/// Takes up what the user chose in an earlier run of the app.
pub(super) fn restore(ctx: &Context, pling: &Pling) -> Result<(), ConfigError> {
    let Some(kept) = load(ctx) else { return Ok(()) };
    if kept.preset.is_some() {
        pling.session().set_preset(kept.preset);
    }
    let values = Values::kept(pling.own_config(), &kept);
    if values == Values::of(pling.own_config(), String::new()) {
        return Ok(());
    }
    values.apply(pling)
}

/// Keeps the user's choice of how freely the agent may act.
pub(in crate::panel) fn keep_preset(ctx: &Context, preset: Option<Preset>) {
    let kept = Kept {
        preset,
        ..load(ctx).unwrap_or_default()
    };
    ctx.data_mut(|data| data.insert_persisted(store(), kept));
}

/// Whether a key is kept.
pub(super) fn keeps_key(ctx: &Context) -> bool {
    load(ctx).is_some_and(|kept| kept.key.is_some())
}

impl Values {
    fn of(config: &Config, key: String) -> Self {
        Self {
            base_url: config.base_url.clone(),
            model: config.model.clone(),
            key,
            stream: config.stream,
            max_tokens: config.max_tokens,
            max_turns: config.limits.max_turns,
            context_tokens: config.limits.context_tokens,
        }
    }

    /// Those in force. The key is there if the user entered it; the app's own stays with the app.
    pub(super) fn in_force(pling: &Pling) -> Self {
        let (own, config) = (pling.own_config(), pling.config());
        let key = config.api_key.expose_secret();
        let is_own = key == own.api_key.expose_secret();
        Self::of(&config, if is_own { String::new() } else { key.to_owned() })
    }

    fn kept(own: &Config, kept: &Kept) -> Self {
        let Kept {
            base_url,
            model,
            key,
            stream,
            max_tokens,
            max_turns,
            context_tokens,
            preset: _,
        } = kept.clone();
        Self {
            base_url: base_url.unwrap_or_else(|| own.base_url.clone()),
            model: model.unwrap_or_else(|| own.model.clone()),
            key: key.unwrap_or_default(),
            stream: stream.unwrap_or(own.stream),
            max_tokens: max_tokens.unwrap_or(own.max_tokens),
            max_turns: max_turns.unwrap_or(own.limits.max_turns),
            context_tokens: context_tokens.unwrap_or(own.limits.context_tokens),
        }
    }

    /// Keeps them for the next run of the app.
    pub(super) fn keep(&self, ctx: &Context, pling: &Pling, with_key: bool) {
        fn differing<T: PartialEq + Clone>(value: &T, own: &T) -> Option<T> {
            (value != own).then(|| value.clone())
        }
        let own = pling.own_config();
        let key = (with_key && !self.key.is_empty()).then(|| self.key.clone());
        let kept = Kept {
            // A key is kept with its endpoint, whatever the app's own may be by then.
            base_url: match &key {
                Some(_) => Some(self.base_url.clone()),
                None => differing(&self.base_url, &own.base_url),
            },
            key,
            model: differing(&self.model, &own.model),
            stream: differing(&self.stream, &own.stream),
            max_tokens: differing(&self.max_tokens, &own.max_tokens),
            max_turns: differing(&self.max_turns, &own.limits.max_turns),
            context_tokens: differing(&self.context_tokens, &own.limits.context_tokens),
            preset: load(ctx).and_then(|kept| kept.preset),
        };
        ctx.data_mut(|data| data.insert_persisted(store(), kept));
    }

    /// The configuration that they make of the app's.
    pub(super) fn on(&self, own: &Config) -> Config {
        let mut config = own.clone();
        let key = self.key.trim();
        let is_elsewhere = self.base_url.trim() != own.base_url.trim();
        // A secret goes to the endpoint it was given for, and to no other.
        if is_elsewhere {
            config.headers = SecretPairs::new();
            config.query = SecretPairs::new();
        }
        if is_elsewhere || !key.is_empty() {
            config.api_key = SecretString::from(key);
        }
        self.base_url.trim().clone_into(&mut config.base_url);
        self.model.trim().clone_into(&mut config.model);
        config.stream = self.stream;
        config.max_tokens = self.max_tokens;
        config.limits.max_turns = self.max_turns;
        config.limits.context_tokens = self.context_tokens;
        config
    }

    /// Puts them in force.
    pub(super) fn apply(&self, pling: &Pling) -> Result<(), ConfigError> {
        let own = pling.own_config();
        let config = self.on(own);
        config.check()?;
        let is_same_endpoint = config.base_url == own.base_url
            && config.model == own.model
            && config.api_key.expose_secret() == own.api_key.expose_secret();
        let llm = match is_same_endpoint {
            true => None,
            false => crate::pling::client(&config)?,
        };
        // Else the model that the app brought itself, or its offline planner.
        pling.configure(config, llm.or_else(|| pling.own_model()));
        Ok(())
    }
}
