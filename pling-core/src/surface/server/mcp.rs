//! The verbs as tools of the Model Context Protocol.
//!
//! What a model can do something about (wrong arguments, refusals, denials) is a result with `isError`; an unknown
//! tool is an error of the protocol. `pling_describe` answers with the page's text as content and everything as
//! structured content, so only that text, which is bounded, is there twice; receipts are small and are in both.

use std::{pin::pin, sync::Arc};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{departure::Departure, plain::read, tools};
use crate::{
    platform::{Duration, sleep, timeout},
    surface::{Answer, Client, Failure, Surface},
};

/// Between two words of progress.
const PROGRESS: Duration = Duration::from_secs(2);

/// One peer of the protocol; those of older revisions keep theirs for a session.
#[derive(Clone)]
pub(super) struct Handler {
    surface: Surface,
    tools: Arc<[Tool]>,
    about: Implementation,
}

impl Handler {
    pub(super) fn new(surface: Surface, name: &str, title: &str) -> Self {
        Self {
            surface,
            tools: tools::all().into(),
            about: Implementation::new(name, env!("CARGO_PKG_VERSION")).with_title(title),
        }
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Client {
        let info = context.client_info();
        self.surface.client(info.as_ref().map_or("mcp", |info| &info.name))
    }

    async fn call(&self, client: &Client, name: &str, arguments: &Value) -> CallToolResult {
        match name {
            tools::DESCRIBE => match client.describe().await {
                Ok(page) => {
                    let mut result = CallToolResult::success(vec![ContentBlock::text(&page.text)]);
                    result.structured_content = Some(json!(page));
                    result
                }
                Err(failure) => failed(&failure),
            },
            tools::SEARCH => match given(arguments) {
                Ok(request) => match client.search(request).await {
                    Ok(found) => CallToolResult::structured(json!(found)),
                    Err(failure) => failed(&failure),
                },
                Err(failure) => failed(&failure),
            },
            tools::INVOKE => match given(arguments) {
                Ok(request) => answered(&client.invoke(request).await),
                Err(failure) => failed(&failure),
            },
            _ => match given(arguments) {
                Ok(request) => answered(&client.wait(&request).await),
                Err(failure) => failed(&failure),
            },
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(self.about.clone())
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if self.get_tool(&request.name).is_none() {
            let names = json!({ "tools": self.tools.iter().map(|tool| &tool.name).collect::<Vec<_>>() });
            return Err(ErrorData::invalid_params(
                format!("unknown tool: {}", request.name),
                Some(names),
            ));
        }
        let client = self.client(&context);
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let work = Box::pin(self.call(&client, &request.name, &arguments));
        // Dropping the work is what withdraws the call.
        until_left(&context, work).await.map(CallToolResponse::from)
    }
}

/// Works until it is done, cancelled, or the caller is gone; tells of progress meanwhile, where that is asked for.
async fn until_left<T>(context: &RequestContext<RoleServer>, work: impl Future<Output = T>) -> Result<T, ErrorData> {
    let parts = context.extensions.get::<http::request::Parts>();
    let departure = parts.and_then(|parts| parts.extensions.get::<Departure>());
    let left = async {
        match departure {
            Some(departure) => departure.left().await,
            None => std::future::pending().await,
        }
    };
    let (mut work, mut left) = (pin!(work), pin!(left));
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

/// Reads the arguments of a tool.
fn given<T: DeserializeOwned>(arguments: &Value) -> Result<T, Failure> {
    read(arguments.to_string().as_bytes())
}

fn answered(answer: &Answer) -> CallToolResult {
    let json = json!(answer);
    match answer.is_error() {
        true => CallToolResult::structured_error(json),
        false => CallToolResult::structured(json),
    }
}

fn failed(failure: &Failure) -> CallToolResult {
    CallToolResult::structured_error(failure.to_json())
}
