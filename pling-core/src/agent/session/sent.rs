//! The answer to one `send`.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use tokio::sync::oneshot;

use crate::agent::event::{End, Outcome};

/// How the run of a message ends. May be dropped: the run goes on.
#[derive(Debug)]
pub struct Sent(State);

#[derive(Debug)]
enum State {
    Ready(Option<Outcome>),
    Waiting(oneshot::Receiver<Outcome>),
}

impl Sent {
    pub(super) fn ready(outcome: Outcome) -> Self {
        Self(State::Ready(Some(outcome)))
    }

    pub(super) fn waiting(outcome: oneshot::Receiver<Outcome>) -> Self {
        Self(State::Waiting(outcome))
    }
}

impl Future for Sent {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let outcome = match &mut self.0 {
            State::Ready(outcome) => outcome.take(),
            State::Waiting(receiver) => match Pin::new(receiver).poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(outcome) => outcome.ok(),
            },
        };
        self.0 = State::Ready(None);
        // Nothing came: the driver went away, and the run with it.
        Poll::Ready(outcome.unwrap_or_else(|| Outcome::without_run(End::Cancelled)))
    }
}
