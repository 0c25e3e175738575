//! A declared business operation.

use std::borrow::Cow;

use serde::Serialize;

use super::{ActionId, Expect, Input, InputDoc, RegionId};

/// How far an action reaches. It decides the default approval, see [`crate::act::DefaultApproval`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Looks, filters, scrolls, navigates: changes no business object.
    Read,
    /// Changes business objects in a way the user can take back.
    #[default]
    Write,
    /// Deletes, pays, sends: what a user would want to be asked about.
    Danger,
}

impl Effect {
    /// The word shown to models: `read`, `write` or `danger`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Danger => "danger",
        }
    }
}

/// A declared business operation: what it is called, what it does, and what it takes.
///
/// Every text here is authored, except the [`Input::Choice`] values and `preview`, which are page data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Action {
    /// The author's name of the operation.
    pub id: ActionId,
    /// One sentence for a model and for the approval card.
    pub description: Cow<'static, str>,
    /// How far it reaches.
    pub effect: Effect,
    /// Whether the user is asked first; `None` leaves it to the policy.
    pub confirm: Option<bool>,
    /// Why only a human may do this step; `None` for an ordinary action.
    pub handoff: Option<String>,
    /// Whether typing ends with Enter.
    pub submit: bool,
    /// Whether its input and current value are withheld everywhere.
    pub sensitive: bool,
    /// Whether it can never be taken back: a grant for the session does not cover it.
    pub irreversible: bool,
    /// What would happen, in words for the approval card. Page data.
    pub preview: Option<String>,
    /// The region that is on the page when it has succeeded. It is expected as [`Expect::region_opened`] would be,
    /// within the time a page has to come to rest: 2 seconds, 30 while the app is busy.
    pub opens: Option<RegionId>,
    /// What must be seen afterwards for the call to count as done.
    pub expect: Option<Expect>,
    /// What it takes.
    pub input: Input,
    /// The author's words on single arguments.
    pub input_docs: Vec<InputDoc>,
}

impl Action {
    /// An action with everything at its default: effect `write`, no input.
    #[must_use]
    pub fn new(id: impl Into<ActionId>, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            description: description.into(),
            effect: Effect::default(),
            confirm: None,
            handoff: None,
            submit: false,
            sensitive: false,
            irreversible: false,
            preview: None,
            opens: None,
            expect: None,
            input: Input::Click,
            input_docs: Vec::new(),
        }
    }

    /// Whether two declarations may be offered as one tool: everything a model is told about them is equal.
    /// Previews and current numbers may differ from row to row.
    #[must_use]
    pub fn same_shape(&self, other: &Self) -> bool {
        self.id == other.id
            && self.description == other.description
            && self.effect == other.effect
            && self.confirm == other.confirm
            && self.handoff.is_some() == other.handoff.is_some()
            && self.submit == other.submit
            && self.sensitive == other.sensitive
            && self.irreversible == other.irreversible
            && self.opens == other.opens
            && self.input == other.input
            && self.input_docs == other.input_docs
    }
}
