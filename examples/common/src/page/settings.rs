//! What the page's author may set.

#[cfg(not(feature = "plain"))]
use pling_egui::{
    Builder, Pling,
    core::agent::{ConfigError, ConfigPatch},
    web::{BadOrigin, Claimed, Kept, Listening, Offered, claim_shortcut, keep_conversation, listen, offer_tools},
};
use serde::Deserialize;
use serde_json::Value;

use super::element;

/// What the page's author may set, as JSON in a `<script type="application/json" id="pling">`. Everything has a default.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// The assistant's configuration in its JSON form. Anyone can read the page: a provider's key has no place here.
    agent: Option<Value>,
    /// The offline planner, whatever is configured.
    offline: bool,
    /// Whether the conversation is forgotten when the page is left.
    forget: bool,
    /// Whether agents of the browser may use the app: WebMCP.
    web_mcp: bool,
    /// Origins of pages that may use the app by `postMessage`.
    allowed_origins: Vec<String>,
    /// Whether the page is told what is shown and what the app holds, for tests.
    pub(super) tell: bool,
}

impl Settings {
    pub(super) fn of_page() -> Result<Self, String> {
        let Some(text) = element("pling").and_then(|script| script.text_content()) else {
            return Ok(Self::default());
        };
        serde_json::from_str(&text).map_err(|error| format!("The page's settings cannot be used: {error}."))
    }
}

/// What was set when this was built, by the variables' names. A key is not among them: everybody could read it.
#[cfg(not(feature = "plain"))]
fn built_in(name: &str) -> Option<String> {
    let value = match name {
        "PLING_AGENT_BASE_URL" => option_env!("PLING_AGENT_BASE_URL"),
        "PLING_AGENT_MODEL" => option_env!("PLING_AGENT_MODEL"),
        _ => None,
    };
    value.map(str::to_owned)
}

/// What goes on beside the app, for as long as it runs.
#[cfg(not(feature = "plain"))]
pub(super) struct Doors {
    _claimed: Claimed,
    _kept: Option<Kept>,
    _offered: Option<Offered>,
    _listening: Option<Listening>,
}

#[cfg(not(feature = "plain"))]
impl Settings {
    /// The set-up: what the page says wins over what was built in; without either the offline planner answers.
    pub(super) fn builder(&self, role: &str) -> Result<Builder, ConfigError> {
        let config = match &self.agent {
            Some(agent) => ConfigPatch::from_value(agent.clone())?,
            None => ConfigPatch::new(),
        };
        let builder = Pling::builder().role(role).environment(built_in).config(config);
        Ok(match self.offline {
            true => builder.offline(),
            false => builder.offline_if_unconfigured(),
        })
    }

    /// Keeps the conversation, and lets outside agents in, as far as the page says so.
    pub(super) fn open(&self, name: &str, pling: &Pling, ctx: &egui::Context) -> Result<Doors, BadOrigin> {
        let _claimed = claim_shortcut(ctx);
        let _kept = (!self.forget).then(|| keep_conversation(pling, &format!("pling.{name}")));
        let _offered = self.web_mcp.then(|| offer_tools(pling.surface())).flatten();
        let _listening = match self.allowed_origins.as_slice() {
            [] => None,
            origins => Some(listen(pling.surface(), origins)?),
        };
        Ok(Doors {
            _claimed,
            _kept,
            _offered,
            _listening,
        })
    }
}
