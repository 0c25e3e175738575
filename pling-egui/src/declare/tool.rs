//! The declaration of one action.

use std::{borrow::Cow, sync::Arc};

use pling_core::model::{Action, ActionId, Effect, Expect, Input, InputDoc, RegionId};

use crate::collect;

/// The declaration of one action, put on the widget that performs it.
///
/// Build it where you declare it: while nobody observes, everything but id, description and effect is
/// dropped unread, so that a declaration costs nothing. One that is kept from such a pass cannot be used, and says why.
///
/// ```
/// use pling_egui::Tool;
/// let tool = Tool::new("delete", "Delete the task").danger();
/// let same = Tool::from(("delete", "Delete the task")).danger();
/// # let _ = (tool, same);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a tool does nothing until it is declared with `.tool(..)`"]
pub struct Tool {
    id: Cow<'static, str>,
    description: Cow<'static, str>,
    effect: Option<Effect>,
    /// Whether a part of it was dropped, because nobody observed.
    is_partial: bool,
    /// The rest; only made while somebody observes.
    more: Option<Box<More>>,
}

/// Of a tool that was kept from a pass in which nobody observed: what its author said of approval may be gone.
const PARTIAL: &str = "its declaration was built while nobody observed, and is not complete: the application has to build \
    it where it declares it";

#[derive(Clone, Debug, Default)]
struct More {
    confirm: Option<bool>,
    handoff: Option<String>,
    submit: bool,
    sensitive: bool,
    irreversible: bool,
    preview: Option<String>,
    opens: Option<RegionId>,
    expect: Option<Expect>,
    choices: Option<Vec<String>>,
    docs: Vec<InputDoc>,
    requires: Option<String>,
    manner: Manner,
}

/// What the widget's own handler waits for, where that cannot be seen from outside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manner {
    /// The field is left after typing.
    pub(crate) commits: bool,
    /// It answers to a secondary click.
    pub(crate) context_menu: bool,
    /// Of a window: the triangle in its title, not the cross.
    pub(crate) collapses: bool,
    /// Something appears: a menu, a popup, a dialog.
    pub(crate) opens: bool,
}

impl Tool {
    /// An action with an id of the author's choosing (such as `delete`) and one sentence that says what it does.
    #[inline]
    pub fn new(id: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            description: description.into(),
            effect: None,
            is_partial: false,
            more: None,
        }
    }

    /// It only looks: filters, searches, navigates. Links and scrolling are `read` by themselves.
    #[inline]
    pub fn read(mut self) -> Self {
        self.effect = Some(Effect::Read);
        self
    }

    /// It changes business objects in a way the user can take back; the default.
    #[inline]
    pub fn write(mut self) -> Self {
        self.effect = Some(Effect::Write);
        self
    }

    /// It deletes, pays or sends: what a user wants to be asked about.
    #[inline]
    pub fn danger(mut self) -> Self {
        self.effect = Some(Effect::Danger);
        self
    }

    /// Whether the user is asked first, whatever the policy says.
    #[inline]
    pub fn confirm(self, confirm: bool) -> Self {
        self.set(|more| more.confirm = Some(confirm))
    }

    /// Only the user can do this; the reason tells a model why.
    #[inline]
    pub fn handoff(self, reason: impl AsRef<str>) -> Self {
        self.set(|more| more.handoff = Some(reason.as_ref().to_owned()))
    }

    /// Typing ends with Enter.
    #[inline]
    pub fn submit(self) -> Self {
        self.set(|more| more.submit = true)
    }

    /// Typing ends by leaving the field, as with Tab: for a handler that asks `lost_focus()`.
    pub fn commit(self) -> Self {
        self.set(|more| more.manner.commits = true)
    }

    /// It is a secondary click, which opens the context menu of the widget. Declare it before
    /// [`egui::Response::context_menu`] is called, on the response that `.tool(..)` returns.
    pub fn context_menu(self) -> Self {
        self.set(|more| more.manner.context_menu = true)
    }

    /// On the response of a window: it collapses and expands, with an optional `checked` (true: expanded).
    /// Without it the declaration closes the window.
    pub fn collapse(self) -> Self {
        self.set(|more| more.manner.collapses = true)
    }

    /// It can be used only if `available`; otherwise it stays listed with this reason.
    #[inline]
    pub fn available_if(self, available: bool, reason: impl AsRef<str>) -> Self {
        if available {
            return self;
        }
        self.set(|more| more.requires = Some(reason.as_ref().to_owned()))
    }

    /// Says what an argument means. Names are fixed for widgets: `text`, `value`, `choice`, `checked`.
    #[inline]
    pub fn input(self, name: impl AsRef<str>, description: impl AsRef<str>) -> Self {
        self.set(|more| {
            more.docs.push(InputDoc {
                name: name.as_ref().to_owned(),
                description: description.as_ref().to_owned(),
            });
        })
    }

    /// What a combo box offers, as the texts of its items. A closed combo box does not show them.
    #[inline]
    pub fn choices(self, choices: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.set(|more| more.choices = Some(choices.into_iter().map(|text| text.as_ref().to_owned()).collect()))
    }

    /// Its input and current value are withheld everywhere.
    #[inline]
    pub fn sensitive(self) -> Self {
        self.set(|more| more.sensitive = true)
    }

    /// What must be seen afterwards for a call to count as done.
    #[inline]
    pub fn expect(self, expect: Expect) -> Self {
        self.set(|more| more.expect = Some(expect))
    }

    /// The region that appears when it succeeds: a dialog, a popup or a menu. The button of a menu handles its
    /// click itself and needs this, or [`crate::UiExt::tool`], to be operated.
    #[inline]
    pub fn opens(self, region: impl AsRef<str>) -> Self {
        self.set(|more| {
            more.opens = Some(RegionId::new(region));
            more.manner.opens = true;
        })
    }

    /// It can never be taken back: a grant for the session does not cover it.
    #[inline]
    pub fn irreversible(self) -> Self {
        self.set(|more| more.irreversible = true)
    }

    /// What would happen, for the approval card.
    #[inline]
    pub fn preview(self, text: impl AsRef<str>) -> Self {
        self.set(|more| more.preview = Some(text.as_ref().to_owned()))
    }

    /// Whether its input is withheld, as far as is known while somebody observes.
    pub(crate) fn is_sensitive(&self) -> bool {
        self.is_partial || self.more.as_ref().is_some_and(|more| more.sensitive)
    }

    /// What it does, as its author says.
    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    #[inline]
    fn set(mut self, change: impl FnOnce(&mut More)) -> Self {
        if collect::collecting() {
            change(self.more.get_or_insert_default());
        } else {
            self.is_partial = true;
        }
        self
    }

    /// Whether its author, or how it was built, says that it cannot be used now.
    pub(crate) fn is_unavailable(&self) -> bool {
        self.is_partial || self.more.as_ref().is_some_and(|more| more.requires.is_some())
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The action, and what it requires first. `input` is what the caller knows of it already.
    pub(crate) fn into_action(self, input: Input) -> Declared {
        let more = self.more.map(|more| *more).unwrap_or_default();
        let mut action = Action::new(ActionId::new(&self.id), self.description);
        action.effect = self.effect.unwrap_or_default();
        action.confirm = more.confirm;
        action.handoff = more.handoff;
        action.submit = more.submit;
        action.sensitive = more.sensitive;
        action.irreversible = more.irreversible;
        action.preview = more.preview;
        action.opens = more.opens;
        action.expect = more.expect;
        action.input_docs = more.docs;
        action.input = match more.choices {
            Some(choices) => Input::Choice { choices },
            None => input,
        };
        Declared {
            action: Arc::new(action),
            effect_given: self.effect.is_some(),
            requires: if self.is_partial {
                Some(PARTIAL.to_owned())
            } else {
                more.requires
            },
            manner: more.manner,
        }
    }
}

/// An action as declared, before facts are known.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) action: Arc<Action>,
    /// Whether the author chose the effect; links default to `read` otherwise.
    pub(crate) effect_given: bool,
    /// The author's reason why it cannot be used now.
    pub(crate) requires: Option<String>,
    pub(crate) manner: Manner,
}

impl<I, D> From<(I, D)> for Tool
where
    I: Into<Cow<'static, str>>,
    D: Into<Cow<'static, str>>,
{
    fn from((id, description): (I, D)) -> Self {
        Self::new(id, description)
    }
}

impl From<&'static str> for Tool {
    /// The id is derived from the description: `Save the form` becomes `save_the_form`.
    fn from(description: &'static str) -> Self {
        let id = if collect::collecting() {
            id_from(description)
        } else {
            String::new()
        };
        Self::new(id, description)
    }
}

impl From<String> for Tool {
    /// The id is derived from the description: `Save the form` becomes `save_the_form`.
    fn from(description: String) -> Self {
        let id = if collect::collecting() {
            id_from(&description)
        } else {
            String::new()
        };
        Self::new(id, description)
    }
}

/// Letters and digits in lower case, everything between them one underscore.
fn id_from(description: &str) -> String {
    let words: Vec<String> = description
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

#[cfg(test)]
mod tests {
    use super::id_from;

    #[test]
    fn ids_follow_the_description() {
        for (description, id) in [
            ("Save the form", "save_the_form"),
            ("  Export (CSV)… ", "export_csv"),
            ("Größe ändern", "größe_ändern"),
            ("", ""),
        ] {
            assert_eq!(id_from(description), id);
        }
    }
}
