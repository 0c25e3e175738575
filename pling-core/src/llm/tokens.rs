//! How many tokens a request costs: an estimate from the text alone, and a factor learned from what the provider counts.

use parking_lot::Mutex;
use serde_json::Value;

use super::{Request, Usage};
use crate::{
    observe::ToolSchema,
    platform::{MaybeSend, MaybeSync},
    tokens::estimate_tokens,
};

/// What chat templates put around one message, in tokens; OpenAI documents three or four.
const AROUND_MESSAGE: usize = 4;

/// Estimates tokens.
pub trait TokenEstimate: MaybeSend + MaybeSync + 'static {
    /// The tokens of a text.
    fn tokens(&self, text: &str) -> usize;

    /// The tokens of one message of a conversation, with all of its fields.
    fn message(&self, message: &Value) -> usize {
        let fields = message.as_object().into_iter().flatten();
        let cost = |value: &Value| match value {
            Value::Null => 0,
            Value::String(text) => self.tokens(text),
            other => self.tokens(&other.to_string()),
        };
        let fields = fields.filter(|(name, _)| *name != "role").map(|(_, value)| cost(value));
        AROUND_MESSAGE + fields.sum::<usize>()
    }

    /// The tokens of tool schemas.
    fn tools(&self, tools: &[ToolSchema]) -> usize {
        tools.iter().map(|tool| self.tokens(&tool.to_json().to_string())).sum()
    }

    /// The tokens of a whole request: what a provider reports as `prompt_tokens`.
    fn request(&self, request: &Request) -> usize {
        let messages = request.messages.iter().map(|message| self.message(message));
        self.tools(&request.tools) + messages.sum::<usize>()
    }

    /// Takes note of what the provider counted for a request.
    fn learn(&self, _request: &Request, _counted: Usage) {}
}

/// Estimates from the text alone.
///
/// Measured against `o200k_base` (GPT-4o and later) it is, for prose in any of the large languages, Chinese, emoji,
/// program text, JSON, numbers and base64, and for mixtures of them, **between 0.8 and 2 times the true count, give or
/// take 8 tokens**. For no text at all is it below half of it, nor above the number of bytes, which no tokenizer exceeds.
/// Older tokenizers (`cl100k_base`) need up to twice as many tokens for scripts other than Latin; that is what
/// [`Calibrated`] is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate;

impl TokenEstimate for Estimate {
    fn tokens(&self, text: &str) -> usize {
        estimate_tokens(text)
    }
}

/// An estimate that follows the provider's own counts.
///
/// The factor goes up at once and down slowly: too low an estimate overflows the model's window, too high a one only
/// compacts early. Counts that cannot be those of the request (none, or five times off) are ignored.
#[derive(Debug)]
pub struct Calibrated<E = Estimate> {
    estimate: E,
    factor: Mutex<f64>,
}

/// Below this, what templates add weighs more than the text.
const LEAST_COUNTED: u64 = 50;

/// What is left of a factor that turned out too high, for each reply.
const DECAY: f64 = 0.75;

impl<E: Default> Default for Calibrated<E> {
    fn default() -> Self {
        Self::new(E::default())
    }
}

impl<E> Calibrated<E> {
    /// Begins with the estimate as it is.
    pub fn new(estimate: E) -> Self {
        Self {
            estimate,
            factor: Mutex::new(1.0),
        }
    }

    /// What the estimate is multiplied with now.
    #[must_use]
    pub fn factor(&self) -> f64 {
        *self.factor.lock()
    }
}

impl<E: TokenEstimate> TokenEstimate for Calibrated<E> {
    fn tokens(&self, text: &str) -> usize {
        (self.estimate.tokens(text) as f64 * self.factor()).ceil() as usize
    }

    fn learn(&self, request: &Request, counted: Usage) {
        let estimated = self.estimate.request(request);
        if counted.prompt_tokens < LEAST_COUNTED || estimated == 0 {
            return;
        }
        let ratio = counted.prompt_tokens as f64 / estimated as f64;
        if !(0.2..=5.0).contains(&ratio) {
            return;
        }
        let mut factor = self.factor.lock();
        *factor = ratio.max(*factor * DECAY + ratio * (1.0 - DECAY));
    }
}
