//! The model: what is asked of it, what comes back, and the clients that carry it.
//!
//! | what | where |
//! | --- | --- |
//! | any model | [`Llm`], [`Request`], [`Reply`], [`LlmError`] |
//! | a model behind an OpenAI-compatible endpoint | `OpenAi`; what differs between providers is data: [`Profile`] |
//! | whether an endpoint can be used, in words | `OpenAi::probe` |
//! | real replies in tests | [`cassette`] |
//! | no model at all | [`Offline`], [`Scripted`] |
//! | what a text costs | [`TokenEstimate`], [`Calibrated`] |

#[cfg(feature = "openai")]
pub mod cassette;
mod error;
mod offline;
#[cfg(feature = "openai")]
mod openai;
mod profile;
mod reply;
mod request;
mod retry;
mod scripted;
mod tokens;

use std::sync::Arc;

pub use error::{ErrorKind, LlmError};
pub use offline::Offline;
#[cfg(feature = "openai")]
pub use openai::{Finding, OpenAi, Probe, Verdict};
pub use profile::{Profile, ToolContent};
pub use reply::{Finish, Reply, ToolCall, Usage};
pub use request::Request;
pub use retry::RetryPolicy;
pub use scripted::{Scripted, Turn};
pub use tokens::{Calibrated, Estimate, TokenEstimate};

pub use crate::tokens::estimate_tokens;

use serde_json::Value;

use crate::platform::{BoxFuture, MaybeSend, MaybeSync};

/// A model, wherever it runs.
pub trait Llm: MaybeSend + MaybeSync + 'static {
    /// What it is called in the panel, such as `gpt-5 at api.example.com` or `offline planner`.
    fn name(&self) -> String;

    /// What requests name it by where the configuration names no model, such as `gpt-5`.
    fn model(&self) -> String {
        self.name()
    }

    /// Whether it is the offline planner: no model, no network.
    fn is_offline(&self) -> bool {
        false
    }

    /// What is sent for a request, for a trace. A client that suits the body to its provider says so here.
    fn body(&self, request: &Request) -> Value {
        request.body()
    }

    /// One reply. `on_delta` sees text as it comes in. Dropping the future closes the connection.
    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>>;
}

/// Told of every piece as it comes in. Called from the task that polls the reply.
#[cfg(not(target_arch = "wasm32"))]
pub type OnDelta = Arc<dyn Fn(Delta) + Send + Sync>;
/// Told of every piece as it comes in. Called from the task that polls the reply.
#[cfg(target_arch = "wasm32")]
pub type OnDelta = Arc<dyn Fn(Delta)>;

/// A piece of a reply as it comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// More of the answer's text.
    Text(String),
    /// The request is being sent again after a failure: text so far is void.
    Retry {
        /// Which retry this is, from 1.
        attempt: u32,
        /// Milliseconds until it is sent.
        wait_millis: u64,
        /// What failed.
        why: String,
    },
}
