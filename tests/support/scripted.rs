//! A scripted model as strict as the strictest provider.

use std::{ops::Deref, panic::catch_unwind, sync::Arc};

use pling_core::{
    llm::{ErrorKind, Llm, LlmError, OnDelta, Reply, Request, Turn},
    platform::BoxFuture,
};

use super::validate::assert_sendable;

/// Plays a list of turns. A request that some provider would refuse gets no turn: it fails the run with the reason, so
/// that every test with a model is a test of the requests, too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted(pling_core::llm::Scripted);

impl Scripted {
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self(pling_core::llm::Scripted::new(turns))
    }
}

impl Deref for Scripted {
    type Target = pling_core::llm::Scripted;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Llm for Scripted {
    fn name(&self) -> String {
        self.0.name()
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let body = request.body();
        match catch_unwind(|| assert_sendable(&body)) {
            Ok(()) => self.0.complete(request, on_delta),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                let refused = format!("no provider would take this: {}", words.unwrap_or_default());
                Box::pin(async move { Err(LlmError::new(ErrorKind::Protocol, refused)) })
            }
        }
    }
}
