//! The four verbs as transports name them, and as a model is told of them.

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Client, Failure};

/// What a client may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// [`Client::describe`].
    Describe,
    /// [`Client::search`].
    Search,
    /// [`Client::invoke`].
    Invoke,
    /// [`Client::wait`].
    Wait,
}

impl Verb {
    /// All of them, in the order in which a client needs them.
    pub const ALL: [Self; 4] = [Self::Describe, Self::Search, Self::Invoke, Self::Wait];

    /// Its plain name, such as `describe`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Describe => "describe",
            Self::Search => "search",
            Self::Invoke => "invoke",
            Self::Wait => "wait",
        }
    }

    /// The verb of a plain name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.name() == name)
    }

    /// Its name as a tool among those of others, such as `pling_describe`.
    #[must_use]
    pub fn tool(self) -> &'static str {
        match self {
            Self::Describe => "pling_describe",
            Self::Search => "pling_search",
            Self::Invoke => "pling_invoke",
            Self::Wait => "pling_wait",
        }
    }

    /// The verb of a tool.
    #[must_use]
    pub fn of_tool(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.tool() == name)
    }

    /// What it is called where people see it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Describe => "Describe the page",
            Self::Search => "Search actions and records",
            Self::Invoke => "Invoke an action",
            Self::Wait => "Wait for a call",
        }
    }

    /// What a model is told of it.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Describe => {
                "The current page of the application: its regions, records, state and messages in words, and the actions \
                 that can be called, with the schema of their arguments. Limits cut long lists; what is left out is \
                 counted."
            }
            Self::Search => "Looks for actions and records that hold all words of the query, shown on the page or not.",
            Self::Invoke => {
                "Runs one action of the page through its own widget, and says what was seen. The application may ask its \
                 user first. The same call again while it is pending does not run it twice."
            }
            Self::Wait => {
                "Waits for a call that was answered with a handle. A call that nobody waits for is withdrawn."
            }
        }
    }

    /// A JSON Schema of what it takes.
    #[must_use]
    pub fn input(self) -> Value {
        let (properties, required) = match self {
            Self::Describe => (json!({}), None),
            Self::Search => (
                json!({
                    "query": { "type": "string", "description": "words" },
                    "skip": { "type": "integer", "minimum": 0, "description": "how many actions were seen already" }
                }),
                Some("query"),
            ),
            Self::Invoke => (
                json!({
                    "action": {
                        "type": "string",
                        "description": "the name of an action, from pling_describe or pling_search"
                    },
                    "arguments": {
                        "type": "object",
                        "description": "as the action's schema says; {} if it takes none"
                    }
                }),
                Some("action"),
            ),
            Self::Wait => (
                json!({ "handle": { "type": "string", "description": "from the answer to pling_invoke" } }),
                Some("handle"),
            ),
        };
        let mut input = json!({ "type": "object", "properties": properties, "additionalProperties": false });
        if let Some(required) = required {
            input["required"] = json!([required]);
        }
        input
    }

    /// Whether it changes nothing: everything but [`Self::Invoke`], which may do anything.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        self != Self::Invoke
    }
}

impl Client {
    /// Carries out one verb: JSON in and out, for transports. What a call comes to is in the answer.
    ///
    /// # Errors
    /// Those of the verb, and `INVALID_ARGUMENTS` naming the field that cannot be read.
    pub async fn answer(&self, verb: Verb, arguments: Value) -> Result<Value, Failure> {
        Ok(match verb {
            Verb::Describe => json!(self.describe().await?),
            Verb::Search => json!(self.search(read(arguments)?).await?),
            Verb::Invoke => json!(self.invoke(read(arguments)?).await),
            Verb::Wait => json!(self.wait(&read(arguments)?).await),
        })
    }
}

/// Reads arguments; the error names the field.
fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Failure> {
    serde_path_to_error::deserialize(arguments).map_err(|error| {
        let path = error.path().to_string();
        match path.as_str() {
            "." => Failure::invalid(error.inner().to_string()),
            path => Failure::invalid(format!("`{path}`: {}", error.inner())),
        }
    })
}
