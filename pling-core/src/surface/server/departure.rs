//! Knowing that whoever asked is gone before the answer was.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Cancelled when the connection of a request ends before its answer; in the request's extensions.
#[derive(Clone, Debug)]
pub(super) struct Departure(CancellationToken);

impl Departure {
    pub(super) fn new() -> (Self, DropGuard) {
        let token = CancellationToken::new();
        (Self(token.clone()), token.drop_guard())
    }

    pub(super) async fn left(&self) {
        self.0.cancelled().await;
    }
}

/// An answer that notices when nobody reads it to its end.
pub(super) struct Watched<B> {
    body: B,
    guard: Option<DropGuard>,
}

impl<B> Watched<B> {
    pub(super) fn new(body: B, guard: DropGuard) -> Self {
        Self {
            body,
            guard: Some(guard),
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Watched<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            drop(self.guard.take().map(DropGuard::disarm));
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
