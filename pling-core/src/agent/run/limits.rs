//! What a run is bound by.

use super::spend::Allowance;
use crate::{
    agent::{Config, Limits, compact::Room, prompt, tokens},
    llm::Llm,
};

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunLimits {
    /// Replies; requests that are sent again do not count.
    pub max_turns: u32,
    /// Tokens of one tool result.
    pub max_tool_result_tokens: usize,
    /// Tokens that every request has besides page, tools and conversation: rules and role.
    pub fixed_tokens: usize,
    /// Whether the model is asked for a summary of what does not fit; otherwise whole earlier runs are dropped.
    pub summarize: bool,
    pub(super) room: Room,
    pub(super) allowance: Allowance,
}

impl RunLimits {
    /// The bounds of a run with this configuration and model.
    #[must_use]
    pub fn new(config: &Config, llm: Option<&dyn Llm>) -> Self {
        let mut limits = Self::from(&config.limits);
        limits.fixed_tokens = tokens::of_message(&prompt::system_message(&config.system_prompt, ""));
        // The planner without a model reads the open request only, and writes no summaries.
        limits.summarize = !llm.is_some_and(Llm::is_offline);
        limits.allowance.price = llm.and_then(|llm| config.price(llm));
        limits
    }
}

impl From<&Limits> for RunLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            max_turns: limits.max_turns,
            max_tool_result_tokens: limits.observation.max_tool_result_tokens,
            fixed_tokens: 0,
            summarize: true,
            room: Room::from(limits),
            allowance: Allowance::from(limits),
        }
    }
}
