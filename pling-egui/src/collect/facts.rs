//! What the accessibility tree says of a widget.

use egui::{
    Context, Id, IdMap,
    accesskit::{Action, Node, Role, Toggled},
};
use pling_core::model::Input;
use serde_json::{Value, json};

use super::WidgetRef;

/// What one widget is, as egui tells a screen reader.
#[derive(Clone, Debug, Default)]
pub(crate) struct WidgetFacts {
    pub(crate) kind: Kind,
    /// Its text, number, choice or check mark. `None` for a password.
    pub(crate) value: Option<Value>,
    pub(crate) range: (Option<f64>, Option<f64>),
    /// The distance between two numbers it can take, where it says so.
    pub(crate) step: Option<f64>,
    pub(crate) read_only: bool,
    pub(crate) password: bool,
    pub(crate) link: bool,
    /// Whether its number is typed as text: what the user is typing there would be lost.
    pub(crate) is_typed: bool,
    /// The user has it in hand: what they do with it wins.
    pub(crate) in_use: Option<&'static str>,
    /// The button inside it that is operated.
    pub(crate) part: Option<Part>,
}

/// A button inside a widget that has no response of its own for the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) id: Id,
    /// What it reports when it is clicked.
    pub(crate) label: &'static str,
}

/// How a widget is operated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A button or link whose handler asks the response: triggered at its declaration.
    Press,
    /// The same with the secondary button.
    Secondary,
    /// Something that handles the click itself, such as a selectable label.
    Pick,
    Toggle,
    Text {
        multiline: bool,
    },
    Number,
    Combo,
    Disclosure,
    /// Nothing here can operate it; says what to do instead.
    Inert(&'static str),
}

impl Default for Kind {
    fn default() -> Self {
        Self::Inert("it has no widget: declare a function tool")
    }
}

const NO_CLICK: &str = "it takes no click: give it a sense for clicks and ask `clicked()`, or declare a function tool";
const NO_TEXT: &str = "it takes no text from outside: declare a function tool";
const NO_NUMBER: &str = "it takes no number from outside: put a drag value beside it, or declare a function tool. \
     A range slider has two ends, each of which needs its own";
const NO_PART: &str = "the title of this window has no such button: declare a button of your own, or a function tool";

impl WidgetFacts {
    /// What the user is doing with a number just now; another one that came in would be lost, or would lose theirs.
    pub(crate) fn in_use(&self, ctx: &Context, id: Id) -> Option<&'static str> {
        if self.is_typed && ctx.memory(|memory| memory.has_focus(id)) {
            return Some("the user is typing in it");
        }
        (self.kind == Kind::Number && ctx.is_being_dragged(id)).then_some("the user is dragging it")
    }
}

impl Kind {
    /// The input as a model is told of it.
    pub(crate) fn input(self, facts: &WidgetFacts, declared: &Input) -> Input {
        match self {
            Self::Press | Self::Secondary | Self::Pick | Self::Inert(_) => Input::Click,
            Self::Toggle => Input::Toggle,
            Self::Text { multiline } => Input::Text { multiline },
            Self::Number => Input::Number {
                min: facts.range.0,
                max: facts.range.1,
            },
            // What a closed combo box offers is only known from its declaration. Without one it is a button that
            // opens a list.
            Self::Combo => match declared {
                Input::Choice { .. } => declared.clone(),
                _ => Input::Click,
            },
            Self::Disclosure => Input::Expand,
        }
    }
}

/// Reads the widget's node. A widget without one is operated by what it senses.
pub(crate) fn read(ctx: &Context, widget: &WidgetRef) -> WidgetFacts {
    let facts = ctx.viewport(|viewport| {
        let state = viewport.this_pass.accesskit_state.as_ref()?;
        let node = state.nodes.get(&widget.id)?;
        let mut facts = from_node(node, widget);
        if node.role() == Role::Window && facts.kind != Kind::Secondary {
            of_window(&mut facts, widget, &state.nodes, &state.parent_map);
        }
        Some(facts)
    });
    let mut facts = facts.unwrap_or_else(|| WidgetFacts {
        kind: by_sense(widget),
        ..WidgetFacts::default()
    });
    facts.in_use = facts.in_use(ctx, widget.id);
    facts
}

fn by_sense(widget: &WidgetRef) -> Kind {
    match widget.sense.senses_click() {
        true if widget.manner.context_menu => Kind::Secondary,
        true => Kind::Press,
        false => Kind::Inert(NO_CLICK),
    }
}

fn from_node(node: &Node, widget: &WidgetRef) -> WidgetFacts {
    let toggled = node.toggled();
    let clickable = by_sense(widget);
    let if_clickable = |kind| if clickable == Kind::Press { kind } else { clickable };
    let if_settable = |kind, instead| match node.supports_action(Action::SetValue) || node.is_read_only() {
        true => kind,
        false => Kind::Inert(instead),
    };
    let kind = match node.role() {
        _ if clickable == Kind::Secondary => Kind::Secondary,
        Role::CheckBox | Role::Switch => if_clickable(Kind::Toggle),
        Role::RadioButton | Role::ColorWell => if_clickable(Kind::Pick),
        Role::Button if toggled.is_some() => if_clickable(Kind::Pick),
        Role::TextInput | Role::PasswordInput => if_settable(Kind::Text { multiline: false }, NO_TEXT),
        Role::MultilineTextInput => if_settable(Kind::Text { multiline: true }, NO_TEXT),
        Role::SpinButton | Role::Slider => if_settable(Kind::Number, NO_NUMBER),
        Role::ComboBox => if_clickable(Kind::Combo),
        Role::DisclosureTriangle => if_clickable(Kind::Disclosure),
        _ => clickable,
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
        Kind::Press | Kind::Secondary | Kind::Inert(_) => None,
    };
    WidgetFacts {
        kind,
        value,
        range: (
            node.min_numeric_value().filter(|bound| bound.is_finite()),
            node.max_numeric_value().filter(|bound| bound.is_finite()),
        ),
        step: node.numeric_value_step().filter(|step| step.is_finite()),
        read_only: node.is_read_only(),
        password,
        link: node.role() == Role::Link,
        is_typed: kind == Kind::Number && node.role() == Role::SpinButton,
        in_use: None,
        part: None,
    }
}

/// A window is operated by a button in its title. The two have no response for the application; they stand beside
/// the title's own widget, whose id is made of the window's.
fn of_window(facts: &mut WidgetFacts, widget: &WidgetRef, nodes: &IdMap<Node>, parents: &IdMap<Id>) {
    let title = parents.get(&widget.layer.id.with("__title_click"));
    let part = |label: &'static str| {
        let mut there = nodes.iter().filter(|(id, node)| {
            node.role() == Role::Button && node.label() == Some(label) && parents.get(id) == title
        });
        Some(Part {
            id: *there.next()?.0,
            label,
        })
    };
    if title.is_none() {
        facts.kind = Kind::Inert(NO_PART);
    } else if !widget.manner.collapses {
        facts.part = part("Close window");
        facts.kind = Kind::Pick;
    } else {
        facts.part = part("Hide").or_else(|| part("Show"));
        facts.kind = Kind::Disclosure;
        facts.value = facts.part.map(|part| (part.label == "Hide").into());
    }
    if facts.part.is_none() {
        facts.kind = Kind::Inert(NO_PART);
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
    if number.fract() == 0.0 {
        // Beyond that a shorter one would be another number.
        return json!(number);
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
            return Some(match toggled {
                Toggled::Mixed => json!("mixed"),
                toggled => json!(toggled == Toggled::True),
            });
        }
        if let Some(number) = node.numeric_value() {
            return Some(tidy(number));
        }
        node.value().or_else(|| node.label()).map(Value::from)
    })
}
