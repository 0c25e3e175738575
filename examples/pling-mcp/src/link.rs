//! The way to the application.

use std::{collections::HashMap, path::PathBuf};

use n0_future::StreamExt as _;
use parking_lot::Mutex;
use pling_core::surface::server::{Running, running};
use reqwest::{Client, RequestBuilder, Response, StatusCode, header};
use serde_json::Value;
use sse_stream::SseStream;
use tokio::{sync::mpsc, task::AbortHandle};

use crate::message::{Message, error};

const SESSION: &str = "Mcp-Session-Id";
const VERSION: &str = "MCP-Protocol-Version";

pub(crate) struct Link {
    name: String,
    directory: Option<PathBuf>,
    http: Client,
    out: mpsc::Sender<String>,
    state: Mutex<State>,
}

/// To a call that was meant for a window that is gone: its records and names may be others in this one.
const MOVED: &str = "nothing was run: the application was started again, or its window was closed and another one is \
                     running. Calls go there from now on; describe its page first";

#[derive(Default)]
struct State {
    app: Option<Running>,
    /// Another answers than the one whose page the client knows.
    is_another: bool,
    /// Of a client that speaks a revision with sessions.
    session: Option<String>,
    /// How such a client introduced itself.
    hello: Option<Value>,
    version: Option<String>,
    posts: HashMap<String, AbortHandle>,
}

impl Link {
    pub(crate) fn new(name: &str, directory: Option<PathBuf>, out: mpsc::Sender<String>) -> Self {
        Self {
            name: name.to_owned(),
            directory,
            // A proxy has no business between two programs of one machine. A connection that was kept may be that of an
            // application that has ended: nobody could tell whether a message got there.
            http: Client::builder()
                .no_proxy()
                .pool_max_idle_per_host(0)
                .build()
                .unwrap_or_default(),
            out,
            state: Mutex::default(),
        }
    }

    /// Sends one line to the client.
    pub(crate) async fn say(&self, line: String) {
        // Fails when the client's end is closed, and with it the bridge.
        let _ = self.out.send(line).await;
    }

    pub(crate) fn remember(&self, id: String, post: AbortHandle) {
        let mut state = self.state.lock();
        state.posts.retain(|_, post| !post.is_finished());
        state.posts.insert(id, post);
    }

    /// Closes the connection of a request: from the revision without sessions on, that is what cancels it.
    pub(crate) fn abort(&self, id: &str) {
        if let Some(post) = self.state.lock().posts.remove(id) {
            post.abort();
        }
    }

    /// Posts a message, and hands on what comes back.
    pub(crate) async fn post(&self, message: Message) {
        let id = message.id().cloned();
        if message.method() == Some("initialize") {
            let mut state = self.state.lock();
            state.hello = Some(message.json.clone());
            state.session = None;
        }
        let sent = match self.send(&message).await {
            Ok(response) if response.status() == StatusCode::NOT_FOUND => self.introduce(response, &message).await,
            sent => sent,
        };
        match sent {
            Ok(response) => self.answer(&message, response).await,
            Err(words) if id.is_some() => self.say(error(id.as_ref(), -32000, &words)).await,
            // Nobody waits for an answer to a notification.
            Err(_) => {}
        }
    }

    /// The application was started again and does not know the session: introduces the client anew, which need not
    /// notice, and sends its message again.
    async fn introduce(&self, unknown: Response, message: &Message) -> Result<Response, String> {
        let hello = {
            let mut state = self.state.lock();
            // Without a session there is nothing that could be unknown.
            match state.session.take() {
                Some(_) => state.hello.clone(),
                None => None,
            }
        };
        let Some(hello) = hello else { return Ok(unknown) };
        let welcome = self.send(&Message { json: hello }).await?;
        let session = welcome.headers().get(SESSION).and_then(|value| value.to_str().ok());
        let session = session.map(str::to_owned);
        // What is in it was told to the client the first time.
        drop(welcome.bytes().await);
        self.state.lock().session = session;
        drop(self.send(&Message::initialized()).await?);
        self.send(message).await
    }

    async fn send(&self, message: &Message) -> Result<Response, String> {
        let known = self.state.lock().app.clone();
        if let Some(app) = &known
            && let Some(response) = self.try_one(app, message).await?
        {
            return Ok(response);
        }
        // It is not there any more; perhaps it was started again.
        let found = running(&self.name, self.directory.as_deref());
        let found = found.map_err(|error| format!("running applications cannot be looked for: {error}"))?;
        for app in found {
            // One that ended without a word.
            if self.http.get(&app.url).send().await.is_err() {
                continue;
            }
            {
                let mut state = self.state.lock();
                state.is_another |= known.as_ref().is_some_and(|known| known.token != app.token);
                state.app = Some(app.clone());
            }
            if let Some(response) = self.try_one(&app, message).await? {
                return Ok(response);
            }
        }
        // Said in so many words, so that whichever is found next is no surprise.
        let mut state = self.state.lock();
        (state.app, state.is_another) = (None, false);
        Err(format!(
            "no application named {} is running and lets agents in",
            self.name
        ))
    }

    /// `None`: it is not the one any more that had this address and token, and did not get the message.
    async fn try_one(&self, app: &Running, message: &Message) -> Result<Option<Response>, String> {
        if message.is_call() && std::mem::take(&mut self.state.lock().is_another) && !message.describes() {
            return Err(MOVED.to_owned());
        }
        match self.request(app, message).send().await {
            Ok(response) if response.status() == StatusCode::UNAUTHORIZED => Ok(None),
            Ok(response) => Ok(Some(response)),
            Err(error) if error.is_connect() => Ok(None),
            // It may have got there: sent once more, it might be done twice.
            Err(error) => Err(format!(
                "the connection to {} broke: {}",
                self.name,
                error.without_url()
            )),
        }
    }

    fn request(&self, app: &Running, message: &Message) -> RequestBuilder {
        let (session, version) = {
            let state = self.state.lock();
            (state.session.clone(), state.version.clone())
        };
        let mut request = self
            .http
            .post(&app.url)
            .bearer_auth(&app.token)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::ACCEPT, "application/json, text/event-stream")
            .body(message.json.to_string());
        let own = message.version().map(str::to_owned);
        if own.is_some() {
            request = request.header("Mcp-Method", message.method().unwrap_or_default());
            if let Some(name) = message.name() {
                request = request.header("Mcp-Name", name);
            }
        } else if let Some(session) = session {
            request = request.header(SESSION, session);
        }
        match own.or(version) {
            Some(version) => request.header(VERSION, version),
            None => request,
        }
    }

    async fn answer(&self, message: &Message, response: Response) {
        let id = message.id();
        let of = |name: &str| {
            response
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned)
        };
        let (kind, session) = (of("content-type").unwrap_or_default(), of(SESSION));
        if session.is_some() && message.method() == Some("initialize") {
            self.state.lock().session = session;
        }
        if kind.starts_with("text/event-stream") {
            return self.stream(message, response).await;
        }
        let status = response.status();
        let body = response.bytes().await.unwrap_or_default();
        match serde_json::from_slice::<Value>(&body) {
            Ok(json) if json.get("jsonrpc").is_some() => self.hand_on(message, json).await,
            _ if id.is_none() => {}
            _ => {
                let words = format!("{} answered with status {status}", self.name);
                self.say(error(id, -32000, &words)).await;
            }
        }
    }

    async fn stream(&self, message: &Message, response: Response) {
        let mut is_answered = false;
        let mut events = SseStream::from_bytes_stream(response.bytes_stream());
        while let Some(Ok(event)) = events.next().await {
            let data = event.data.unwrap_or_default();
            if let Ok(json) = serde_json::from_str::<Value>(&data) {
                is_answered |= json.get("id") == message.id() && json.get("method").is_none();
                self.hand_on(message, json).await;
            }
        }
        if !is_answered && let Some(id) = message.id() {
            self.say(error(Some(id), -32000, "the application ended before it answered"))
                .await;
        }
    }

    async fn hand_on(&self, message: &Message, json: Value) {
        if message.method() == Some("initialize")
            && let Some(version) = json["result"]["protocolVersion"].as_str()
        {
            self.state.lock().version = Some(version.to_owned());
        }
        // Written anew, so that it is one line.
        self.say(json.to_string()).await;
    }
}
