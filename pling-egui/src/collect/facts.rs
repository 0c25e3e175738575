//! What the accessibility tree says of a widget.

use egui::{
    Context, Id, Sense,
    accesskit::{Node, Role, Toggled},
};
use pling_core::model::Input;
use serde_json::{Value, json};

/// What one widget is, as egui tells a screen reader.
#[derive(Clone, Debug, Default)]
pub(crate) struct WidgetFacts {
    pub(crate) kind: Kind,
    /// Its text, number, choice or check mark. `None` for a password.
    pub(crate) value: Option<Value>,
    pub(crate) range: (Option<f64>, Option<f64>),
    pub(crate) read_only: bool,
    pub(crate) password: bool,
    pub(crate) link: bool,
}

/// How a widget is operated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A button or link whose handler asks the response: triggered at its declaration.
    Press,
    /// Something that handles the click itself, such as a selectable label.
    Pick,
    Toggle,
    Text {
        multiline: bool,
    },
    Number,
    Combo,
    Disclosure,
    /// Nothing here can operate it.
    #[default]
    Inert,
}

impl Kind {
    /// The input as a model is told of it.
    pub(crate) fn input(self, facts: &WidgetFacts, declared: &Input) -> Input {
        match self {
            Self::Press | Self::Pick | Self::Inert => Input::Click,
            Self::Toggle => Input::Toggle,
            Self::Text { multiline } => Input::Text { multiline },
            Self::Number => Input::Number {
                min: facts.range.0,
                max: facts.range.1,
            },
            // What a closed combo box offers is only known from its declaration.
            Self::Combo => match declared {
                Input::Choice { .. } => declared.clone(),
                _ => Input::Choice { choices: Vec::new() },
            },
            Self::Disclosure => Input::Expand,
        }
    }
}

/// Reads the widget's node. A widget without one is operated by what it senses.
pub(crate) fn read(ctx: &Context, id: Id, sense: Sense) -> WidgetFacts {
    let facts = ctx.viewport(|viewport| {
        let state = viewport.this_pass.accesskit_state.as_ref()?;
        Some(from_node(state.nodes.get(&id)?, sense))
    });
    facts.unwrap_or_else(|| WidgetFacts {
        kind: if sense.senses_click() { Kind::Press } else { Kind::Inert },
        ..WidgetFacts::default()
    })
}

fn from_node(node: &Node, sense: Sense) -> WidgetFacts {
    let toggled = node.toggled();
    let kind = match node.role() {
        Role::CheckBox | Role::Switch => Kind::Toggle,
        Role::RadioButton | Role::ColorWell => Kind::Pick,
        Role::Button if toggled.is_some() => Kind::Pick,
        Role::TextInput | Role::PasswordInput => Kind::Text { multiline: false },
        Role::MultilineTextInput => Kind::Text { multiline: true },
        Role::SpinButton | Role::Slider => Kind::Number,
        Role::ComboBox => Kind::Combo,
        Role::DisclosureTriangle => Kind::Disclosure,
        _ if sense.senses_click() => Kind::Press,
        _ => Kind::Inert,
    };
    let password = node.role() == Role::PasswordInput;
    let value = match kind {
        Kind::Toggle | Kind::Pick => toggled.map(|toggled| match toggled {
            Toggled::True => json!(true),
            Toggled::False => json!(false),
            Toggled::Mixed => json!("mixed"),
        }),
        Kind::Number => node.numeric_value().map(|number| json!(tidy(number))),
        Kind::Disclosure => node.is_expanded().map(Value::from),
        Kind::Text { .. } if password => None,
        Kind::Text { .. } | Kind::Combo => Some(node.value().unwrap_or_default().into()),
        Kind::Press | Kind::Inert => None,
    };
    WidgetFacts {
        kind,
        value,
        range: (
            node.min_numeric_value().filter(|bound| bound.is_finite()),
            node.max_numeric_value().filter(|bound| bound.is_finite()),
        ),
        read_only: node.is_read_only(),
        password,
        link: node.role() == Role::Link,
    }
}

/// A number as people write it: `5` and not `5.0`; and what was an `f32`, as in most widgets, `0.3` and not
/// `0.30000001192092896`.
pub(crate) fn tidy(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9.0e15 {
        #[expect(clippy::cast_possible_truncation, reason = "checked: whole and within 2^53")]
        let whole = number as i64;
        return json!(whole);
    }
    #[expect(clippy::cast_possible_truncation, reason = "compared with what it was")]
    let narrow = number as f32;
    match narrow.to_string().parse::<f64>() {
        Ok(short) if f64::from(narrow) == number => json!(short),
        _ => json!(number),
    }
}

/// The same for every number in a value that is not whole anyway.
pub(crate) fn tidy_all(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(number) = number.as_f64().filter(|number| number.fract() != 0.0) {
                *value = tidy(number);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(tidy_all),
        Value::Object(map) => map.values_mut().for_each(tidy_all),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// The text, number or check mark that a widget shows, for a field or a message.
pub(crate) fn shown(ctx: &Context, id: Id) -> Option<Value> {
    ctx.viewport(|viewport| {
        let node = viewport.this_pass.accesskit_state.as_ref()?.nodes.get(&id)?;
        if node.role() == Role::PasswordInput {
            return None;
        }
        if let Some(toggled) = node.toggled() {
            return Some(json!(toggled == Toggled::True));
        }
        if let Some(number) = node.numeric_value() {
            return Some(tidy(number));
        }
        node.value().or_else(|| node.label()).map(Value::from)
    })
}
