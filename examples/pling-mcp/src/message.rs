//! As much of a message as the headers of HTTP repeat.

use serde_json::{Value, json};

/// One message of the client.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) json: Value,
}

impl Message {
    /// Reads a line. `Err`: why it is no message.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, String> {
        match serde_json::from_slice(line) {
            Ok(json @ Value::Object(_)) => Ok(Self { json }),
            Ok(_) => Err("a message is a JSON object".to_owned()),
            Err(error) => Err(format!("the line is not JSON: {error}")),
        }
    }

    /// What follows the answer to an introduction.
    pub(crate) fn initialized() -> Self {
        let json = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        Self { json }
    }

    pub(crate) fn method(&self) -> Option<&str> {
        self.json["method"].as_str()
    }

    /// The id of a request, which has an answer.
    pub(crate) fn id(&self) -> Option<&Value> {
        self.method()?;
        self.json.get("id").filter(|id| !id.is_null())
    }

    pub(crate) fn id_text(&self) -> Option<String> {
        self.id().map(Value::to_string)
    }

    /// The request that the client does not want any more.
    pub(crate) fn cancels(&self) -> Option<String> {
        (self.method() == Some("notifications/cancelled")).then(|| self.json["params"]["requestId"].to_string())
    }

    /// Whether the messages behind it have to wait for its answer.
    pub(crate) fn must_be_first(&self) -> bool {
        matches!(self.method(), Some("initialize" | "notifications/initialized"))
    }

    pub(crate) fn is_call(&self) -> bool {
        self.method() == Some("tools/call")
    }

    /// Whether it is about the page as it is, whichever that is.
    pub(crate) fn describes(&self) -> bool {
        self.name() == Some("pling_describe")
    }

    /// The revision that it states for itself.
    pub(crate) fn version(&self) -> Option<&str> {
        self.json["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"].as_str()
    }

    /// What it is about, as its header repeats it.
    pub(crate) fn name(&self) -> Option<&str> {
        let params = &self.json["params"];
        match self.method()? {
            "tools/call" | "prompts/get" => params["name"].as_str(),
            "resources/read" => params["uri"].as_str(),
            _ => None,
        }
    }
}

/// An error in the place of an answer.
pub(crate) fn error(id: Option<&Value>, code: i32, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}
