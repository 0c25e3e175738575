//! What can go wrong between here and a model.

use std::fmt;

/// A closed set of failures, with the stable names that users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// No endpoint, model or key.
    NotConfigured,
    /// The key was refused.
    Auth,
    /// The endpoint does not know the model, or the path.
    ModelNotFound,
    /// Too many requests; worth waiting for.
    RateLimited,
    /// Nothing left to spend; not worth waiting for.
    Quota,
    /// The request does not fit the model's window.
    ContextLength,
    /// The provider refuses the content.
    ContentFilter,
    /// The provider failed.
    Server,
    /// No connection, a connection that broke, or silence.
    Network,
    /// An answer that cannot be understood, or a request the provider calls malformed.
    Protocol,
}

impl ErrorKind {
    /// The stable name, such as `RATE_LIMITED`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotConfigured => "NOT_CONFIGURED",
            Self::Auth => "AUTH",
            Self::ModelNotFound => "MODEL_NOT_FOUND",
            Self::RateLimited => "RATE_LIMITED",
            Self::Quota => "QUOTA",
            Self::ContextLength => "CONTEXT_LENGTH",
            Self::ContentFilter => "CONTENT_FILTER",
            Self::Server => "SERVER",
            Self::Network => "NETWORK",
            Self::Protocol => "PROTOCOL",
        }
    }
}

/// A failed reply. The message holds the provider's words, never a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LlmError {
    /// What sort of failure.
    pub kind: ErrorKind,
    /// What happened, and where it helps, the URL tried and what to do.
    pub message: String,
}

impl LlmError {
    /// A failed reply.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl fmt::Display for LlmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.as_str(), self.message)
    }
}

impl std::error::Error for LlmError {}
