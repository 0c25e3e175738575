//! Operations without a widget: polled by the application, like everything in immediate mode.

use std::{any::TypeId, cell::RefCell, collections::HashMap};

use egui::{Context, Ui};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::Tool;
use crate::{act::FunctionReply, collect};

thread_local! {
    /// Schemas are made once for each type: making one costs more than a pass of a small app.
    static SCHEMAS: RefCell<HashMap<TypeId, Value>> = RefCell::new(HashMap::new());
}

/// A call of an operation without a widget. Answer it with [`ToolCall::finish`] or [`ToolCall::fail`], at once or
/// later: it may move to another thread or task. Dropped unanswered it is `HANDLER_FAILED`.
#[derive(Debug)]
#[must_use = "a call that is dropped unanswered has failed"]
pub struct ToolCall<Args> {
    arguments: Args,
    reply: oneshot::Sender<FunctionReply>,
    ctx: Context,
}

impl<Args> ToolCall<Args> {
    /// What was passed.
    #[must_use]
    pub fn args(&self) -> &Args {
        &self.arguments
    }

    /// Whether nobody waits for the answer any more: it took too long, or the caller went away. Work of many passes
    /// asks now and then, and stops. A run that is cancelled meanwhile still waits for what it began.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.reply.is_closed()
    }

    /// It worked; the value goes to the caller. A value that cannot be serialized is a failure and says so.
    pub fn finish(self, value: impl Serialize) {
        let reply = match serde_json::to_value(value) {
            Ok(value) => FunctionReply::Finished(value),
            Err(error) => FunctionReply::Failed(format!("it ran, and its result cannot be serialized: {error}")),
        };
        self.answer(reply);
    }

    /// It did not work, and why.
    pub fn fail(self, message: impl Into<String>) {
        self.answer(FunctionReply::Failed(message.into()));
    }

    fn answer(self, reply: FunctionReply) {
        // Nobody waits any more after a time-out or a cancelled run.
        let _ = self.reply.send(reply);
        self.ctx.request_repaint();
    }
}

/// Declares the operation, and takes a call of it if there is one.
pub(crate) fn declare<Args>(ui: &Ui, tool: Tool) -> Option<ToolCall<Args>>
where
    Args: DeserializeOwned + JsonSchema + 'static,
{
    let schema = SCHEMAS.with_borrow_mut(|schemas| {
        schemas
            .entry(TypeId::of::<Args>())
            .or_insert_with(schema_of::<Args>)
            .clone()
    });
    let sensitive = tool.is_sensitive();
    let call = collect::function(ui, tool, schema)?;
    let arguments = if call.arguments.is_empty() {
        // A unit type is written as nothing at all.
        serde_path_to_error::deserialize(json!({}))
            .or_else(|error| serde_json::from_value(Value::Null).map_err(|_unit| error))
    } else {
        serde_path_to_error::deserialize(Value::Object(call.arguments))
    };
    match arguments {
        Ok(arguments) => Some(ToolCall {
            arguments,
            reply: call.reply,
            ctx: ui.ctx().clone(),
        }),
        Err(error) => {
            let path = error.path().to_string();
            // The words of an error may repeat what was passed.
            let words = if sensitive {
                "it is not as expected".to_owned()
            } else {
                error.inner().to_string()
            };
            let _ = call.reply.send(FunctionReply::Invalid(match path.as_str() {
                "." => words,
                path => format!("`{path}`: {words}"),
            }));
            None
        }
    }
}

fn schema_of<Args: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    let mut schema = settings
        .for_deserialize()
        .into_generator()
        .into_root_schema_for::<Args>()
        .to_value();
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        // A unit type takes nothing.
        schema = json!({ "type": "object", "properties": {} });
    }
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
    }
    schema
}
