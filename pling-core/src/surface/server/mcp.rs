//! The verbs as tools of the Model Context Protocol.
//!
//! What a model can do something about (wrong arguments, refusals, denials) is a result with `isError`; an unknown
//! tool is an error of the protocol. `pling_describe` answers with the page's text as content and everything as
//! structured content, so only that text, which is bounded, is there twice; receipts are small and are in both.

use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};

use super::{
    ServeOptions,
    departure::Departure,
    per_action::{self, Watcher},
    tools,
};
use crate::{
    act::Code,
    platform::{Duration, sleep, timeout},
    surface::{Client, InvokeRequest, Surface, Verb},
};

/// Between two words of progress.
const PROGRESS: Duration = Duration::from_secs(2);
/// Between two looks at whether a session is still there, whose client is told of changes.
const LOOK_FOR_PEER: Duration = Duration::from_secs(30);
/// What a client is called that does not say who it is.
const UNNAMED: &str = "mcp";

/// One peer of the protocol; those of older revisions keep theirs for a session.
#[derive(Clone)]
pub(super) struct Handler {
    surface: Surface,
    tools: Arc<[Tool]>,
    /// Set where each action is a tool, too.
    watcher: Option<Arc<Watcher>>,
    /// Whether the client of this session is told of changes.
    is_told: Arc<AtomicBool>,
    about: Implementation,
}

impl Handler {
    pub(super) fn new(surface: Surface, options: &ServeOptions) -> Self {
        let about = Implementation::new(&options.name, env!("CARGO_PKG_VERSION"));
        Self {
            tools: tools::all().into(),
            watcher: options.tool_per_action.then(|| Watcher::new(surface.clone())),
            is_told: Arc::default(),
            about: about.with_title(&options.title),
            surface,
        }
    }

    /// The same for another session.
    pub(super) fn of_session(&self) -> Self {
        Self {
            is_told: Arc::default(),
            ..self.clone()
        }
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        let info = context.client_info();
        self.surface.client(info.as_ref().map_or(UNNAMED, |info| &info.name))
    }

    async fn call(&self, client: &Client, verb: Verb, arguments: Value) -> CallToolResult {
        let json = match client.answer(verb, arguments).await {
            Ok(json) => json,
            Err(failure) => return CallToolResult::structured_error(failure.to_json()),
        };
        match &json["text"] {
            Value::String(text) if verb == Verb::Describe => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(json);
                result
            }
            _ => answered(json),
        }
    }

    /// The call of an action's own tool. `None`: there is no such action.
    async fn call_action(&self, client: &Client, request: CallToolRequestParams) -> Option<CallToolResult> {
        self.watcher.as_ref()?;
        let request = InvokeRequest::new(request.name, request.arguments.unwrap_or_default());
        let answer = client.invoke(request).await;
        (answer.code() != Some(Code::UnknownAction.as_str())).then(|| answered(json!(answer)))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.watcher {
            Some(_) => capabilities.enable_tool_list_changed().build(),
            None => capabilities.build(),
        };
        ServerConfig::new(capabilities)
            .with_server_info(self.about.clone())
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.tools.to_vec();
        if self.watcher.is_some() {
            let client = self.client(&context);
            // Where the page cannot be seen there are the four, which say why.
            if client.count_request().is_ok()
                && let Some(seen) = self.surface.look().await
            {
                tools.extend(per_action::listed(&client, &seen));
            }
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(watcher) = &self.watcher else { return };
        // However often a client says so.
        if self.is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let name = context.peer.peer_info().map(|info| info.client_info.name.clone());
        let mut listening = watcher.listen(self.surface.client(name.as_deref().unwrap_or(UNNAMED)));
        let peer = context.peer;
        tokio::spawn(async move {
            while !peer.is_transport_closed() {
                if timeout(LOOK_FOR_PEER, listening.changed()).await.is_ok() {
                    // Whoever does not read it is noticed by the connection, not here.
                    drop(timeout(PROGRESS, peer.notify_tool_list_changed()).await);
                }
            }
        });
    }

    fn accepted_subscription_filter(&self, _requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.watcher.as_ref()?;
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let request = context.request_context();
        let watcher = self.watcher.as_ref().ok_or_else(cancelled)?;
        let mut listening = watcher.listen(self.client(request));
        let told = async {
            loop {
                listening.changed().await;
                if context.sink().notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        };
        tokio::select! {
            () = context.cancelled() => {}
            () = left(request) => {}
            () = told => {}
        }
        Ok(())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let client = self.client(&context);
        // Dropping the work is what withdraws the call.
        if let Some(verb) = Verb::of_tool(&request.name) {
            let arguments = Value::Object(request.arguments.unwrap_or_default());
            let work = Box::pin(self.call(&client, verb, arguments));
            return until_left(&context, work).await.map(CallToolResponse::from);
        }
        let name = request.name.clone();
        let work = Box::pin(self.call_action(&client, request));
        match until_left(&context, work).await? {
            Some(result) => Ok(result.into()),
            None => {
                let names = json!({ "tools": self.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>() });
                Err(ErrorData::invalid_params(format!("unknown tool: {name}"), Some(names)))
            }
        }
    }
}

/// The caller of a request is gone.
async fn left(context: &RequestContext<RoleServer>) {
    let parts = context.extensions.get::<http::request::Parts>();
    match parts.and_then(|parts| parts.extensions.get::<Departure>()) {
        Some(departure) => departure.left().await,
        None => std::future::pending().await,
    }
}

/// Works until it is done, cancelled, or the caller is gone; tells of progress meanwhile, where that is asked for.
async fn until_left<T>(context: &RequestContext<RoleServer>, work: impl Future<Output = T>) -> Result<T, ErrorData> {
    let (mut work, mut left) = (pin!(work), pin!(left(context)));
    let token = context.meta.get_progress_token();
    let mut told = 0.0;
    loop {
        tokio::select! {
            biased;
            done = &mut work => return Ok(done),
            () = context.ct.cancelled() => return Err(cancelled()),
            () = &mut left => return Err(cancelled()),
            () = sleep(PROGRESS), if token.is_some() => {}
        }
        if let Some(token) = &token {
            told += 1.0;
            let progress = ProgressNotificationParam::new(token.clone(), told)
                .with_message("waiting for the application or its user");
            // Whoever does not read it is noticed by the connection, not here.
            drop(timeout(PROGRESS, context.peer.notify_progress(progress)).await);
        }
    }
}

fn cancelled() -> ErrorData {
    ErrorData::internal_error("cancelled by the client", None)
}

fn answered(answer: Value) -> CallToolResult {
    match answer.get("error") {
        Some(_) => CallToolResult::structured_error(answer),
        None => CallToolResult::structured(answer),
    }
}
