//! What an action takes. Argument names are fixed: `text`, `value`, `choice`, `checked`, `record`.

use serde_json::Value;

/// The input of an action, which is also the way its widget is operated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Input {
    /// Nothing: a button, a link, a row.
    Click,
    /// An optional `checked`: a check box, a switch, a selectable label.
    Toggle,
    /// A `text`: a text field. `password` fields are sensitive by themselves.
    Text {
        /// Whether line breaks are kept.
        multiline: bool,
    },
    /// A `value`: a slider or a drag value. Bounds are the widget's own; out of range is clamped and reported.
    Number {
        /// The smallest value, where the widget states one.
        min: Option<f64>,
        /// The largest value, where the widget states one.
        max: Option<f64>,
    },
    /// A `choice`, one of these texts: a combo box. The texts are page data.
    Choice {
        /// What can be chosen, in the widget's order.
        choices: Vec<String>,
    },
    /// An optional `checked` (true: open): a collapsing header.
    Expand,
    /// Arguments of a function tool: a JSON Schema of type `object`.
    Schema(Value),
}

impl Input {
    /// The verb shown to models, such as `click` or `type`.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Click => "click",
            Self::Toggle => "toggle",
            Self::Text { .. } => "type",
            Self::Number { .. } => "set",
            Self::Choice { .. } => "choose",
            Self::Expand => "expand",
            Self::Schema(_) => "function",
        }
    }
}

/// The author's description of one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputDoc {
    /// The argument's name.
    pub name: String,
    /// What it means; authored.
    pub description: String,
}
