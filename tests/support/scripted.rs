//! A scripted model as strict as the strictest provider.

use std::{ops::Deref, panic::catch_unwind, sync::Arc};

use parking_lot::Mutex;
use pling_core::{
    llm::{ErrorKind, Llm, LlmError, OnDelta, Reply, Request, Turn},
    observe::{Budget, Observation},
    platform::BoxFuture,
    snapshot::Snapshot,
};
use serde_json::json;

use super::validate::assert_sendable;

/// Plays a list of turns. A request that some provider would refuse gets no turn: it fails the run with the reason, so
/// that every test with a model is a test of the requests, too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripted {
    model: pling_core::llm::Scripted,
    /// Why requests were refused. The test hears of it when the model goes, if it did not look.
    refused: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    pub(crate) fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self {
            model: pling_core::llm::Scripted::new(turns),
            refused: Arc::default(),
        }
    }
}

impl Deref for Scripted {
    type Target = pling_core::llm::Scripted;

    fn deref(&self) -> &Self::Target {
        &self.model
    }
}

impl Llm for Scripted {
    fn name(&self) -> String {
        self.model.name()
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let body = request.body();
        match catch_unwind(|| assert_sendable(&body)) {
            Ok(()) => self.model.complete(request, on_delta),
            Err(panic) => {
                let words = panic.downcast_ref::<String>().cloned();
                let refused = format!("no provider would take this: {}", words.unwrap_or_default());
                self.refused.lock().push(refused.clone());
                Box::pin(async move { Err(LlmError::new(ErrorKind::Protocol, refused)) })
            }
        }
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let refused = std::mem::take(&mut *self.refused.lock());
        assert!(refused.is_empty() || std::thread::panicking(), "{refused:#?}");
    }
}

#[tokio::test]
async fn a_request_that_no_provider_would_take_gets_no_turn() {
    let model = Scripted::new([Turn::text("Hello")]);
    let page = Observation::new(&Arc::new(Snapshot::new(1)), &Budget::default());
    let orphan = json!({ "role": "tool", "tool_call_id": "a", "content": "{}" });
    let messages = vec![json!({ "role": "system", "content": "" }), orphan];
    let request = Arc::new(Request::new("m", messages, Arc::new(page)));
    let reply = model.complete(request, Arc::new(|_| ())).await;
    assert_eq!(reply.unwrap_err().kind, ErrorKind::Protocol);
    assert_eq!(model.remaining(), 1);
    assert_eq!(std::mem::take(&mut *model.refused.lock()).len(), 1);
}
