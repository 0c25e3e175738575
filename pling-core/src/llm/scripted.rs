//! A model that says what a test tells it to.

use std::{collections::VecDeque, fmt, sync::Arc};

use parking_lot::Mutex;
use serde_json::Value;

use super::{Delta, ErrorKind, Finish, Llm, LlmError, OnDelta, Reply, Request, ToolCall, Usage};
use crate::platform::BoxFuture;

/// Plays a list of turns and keeps the requests it received. Clones share both.
#[derive(Clone, Debug, Default)]
pub struct Scripted {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    turns: VecDeque<Turn>,
    requests: Vec<Arc<Request>>,
    calls: usize,
}

/// One answer of a [`Scripted`] model.
#[derive(Debug)]
pub struct Turn(Answer);

type Decide = Box<dyn FnOnce(&Request) -> Turn + Send>;

enum Answer {
    Reply(Reply),
    Error(LlmError),
    Never,
    Decide(Decide),
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reply(reply) => fmt::Debug::fmt(reply, f),
            Self::Error(error) => fmt::Debug::fmt(error, f),
            Self::Never => f.write_str("Never"),
            Self::Decide(_) => f.write_str("Decide"),
        }
    }
}

impl Scripted {
    /// A model that gives these answers, one for each request.
    #[must_use]
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        let scripted = Self::default();
        scripted.state.lock().turns.extend(turns);
        scripted
    }

    /// Adds an answer to the end of the script.
    pub fn push(&self, turn: Turn) {
        self.state.lock().turns.push_back(turn);
    }

    /// The requests so far, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<Request>> {
        self.state.lock().requests.clone()
    }

    /// The exact bodies of the requests so far, oldest first.
    #[must_use]
    pub fn bodies(&self) -> Vec<Value> {
        self.requests().iter().map(|request| request.body()).collect()
    }

    /// How many answers are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.state.lock().turns.len()
    }

    /// The next answer; `None` for one that never comes.
    fn next(&self, request: &Arc<Request>) -> Option<Result<Reply, LlmError>> {
        let mut turn = {
            let mut state = self.state.lock();
            state.requests.push(Arc::clone(request));
            state.turns.pop_front()
        };
        loop {
            match turn.map(|turn| turn.0) {
                None => {
                    let count = self.state.lock().requests.len();
                    let message = format!("the script has no answer for request {count}");
                    return Some(Err(LlmError::new(ErrorKind::NotConfigured, message)));
                }
                Some(Answer::Decide(decide)) => turn = Some(decide(request)),
                Some(Answer::Never) => return None,
                Some(Answer::Error(error)) => return Some(Err(error)),
                Some(Answer::Reply(mut reply)) => {
                    let mut state = self.state.lock();
                    for call in reply.calls.iter_mut().filter(|call| call.id.is_empty()) {
                        state.calls += 1;
                        call.id = format!("scripted_{}", state.calls);
                    }
                    return Some(Ok(reply));
                }
            }
        }
    }
}

impl Turn {
    /// An answer in words.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self(Answer::Reply(Reply {
            text: text.into(),
            ..Reply::default()
        }))
    }

    /// One call. Arguments that are a JSON string are taken as the raw text a model wrote.
    #[must_use]
    pub fn call(tool: impl Into<String>, arguments: impl Into<Value>) -> Self {
        Self::calls([(tool.into(), arguments.into())])
    }

    /// Several calls in one reply.
    #[must_use]
    pub fn calls<N: Into<String>>(calls: impl IntoIterator<Item = (N, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, arguments)| {
            let arguments = match arguments {
                Value::String(raw) => raw,
                other => other.to_string(),
            };
            ToolCall::new(String::new(), name, arguments)
        });
        Self(Answer::Reply(Reply {
            calls: calls.collect(),
            finish: Finish::ToolCalls,
            ..Reply::default()
        }))
    }

    /// A whole reply. Calls with an empty id get one.
    #[must_use]
    pub fn reply(reply: Reply) -> Self {
        Self(Answer::Reply(reply))
    }

    /// A failure.
    #[must_use]
    pub fn error(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Answer::Error(LlmError::new(kind, message)))
    }

    /// An answer that never comes: the request ends when it is dropped.
    #[must_use]
    pub fn never() -> Self {
        Self(Answer::Never)
    }

    /// An answer that depends on the request.
    #[must_use]
    pub fn decide(decide: impl FnOnce(&Request) -> Self + Send + 'static) -> Self {
        Self(Answer::Decide(Box::new(decide)))
    }

    /// Puts words before the calls of a reply.
    #[must_use]
    pub fn saying(self, text: impl Into<String>) -> Self {
        self.edit(|reply| reply.text = text.into())
    }

    /// Ends the reply for another reason.
    #[must_use]
    pub fn finish(self, finish: Finish) -> Self {
        self.edit(|reply| reply.finish = finish)
    }

    /// What the provider says it counted.
    #[must_use]
    pub fn usage(self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        self.edit(|reply| {
            reply.usage = Some(Usage {
                prompt_tokens,
                completion_tokens,
            });
        })
    }

    /// Changes a reply; other answers stay as they are.
    fn edit(mut self, edit: impl FnOnce(&mut Reply)) -> Self {
        if let Answer::Reply(reply) = &mut self.0 {
            edit(reply);
        }
        self
    }
}

impl Llm for Scripted {
    fn name(&self) -> String {
        "scripted model".to_owned()
    }

    fn complete(&self, request: Arc<Request>, on_delta: OnDelta) -> BoxFuture<Result<Reply, LlmError>> {
        let this = self.clone();
        Box::pin(async move {
            let Some(answer) = this.next(&request) else {
                return std::future::pending().await;
            };
            if let Ok(reply) = &answer
                && !reply.text.is_empty()
            {
                on_delta(Delta::Text(reply.text.clone()));
            }
            answer
        })
    }
}
