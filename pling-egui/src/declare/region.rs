//! The declaration of a part of a page.

use std::borrow::Cow;

use pling_core::model::{self, RegionId, RegionRole};

/// The declaration of a named part of the page, wrapped around its widgets.
#[derive(Clone, Debug)]
#[must_use = "a region does nothing until it is declared with `ui.region(..)`"]
pub struct Region {
    pub(crate) id: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    purpose: Cow<'static, str>,
    role: RegionRole,
    total: Option<usize>,
    modal: bool,
}

impl Region {
    /// A part of the page with an id of the author's choosing and what a user would call it.
    pub fn new(id: impl Into<Cow<'static, str>>, label: impl Into<Cow<'static, str>>) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            purpose: Cow::Borrowed(""),
            role: RegionRole::default(),
            total: None,
            modal: false,
        }
    }

    /// What it is for, in a few words.
    pub fn purpose(mut self, purpose: impl Into<Cow<'static, str>>) -> Self {
        self.purpose = purpose.into();
        self
    }

    /// What sort of part it is.
    pub fn role(mut self, role: RegionRole) -> Self {
        self.role = role;
        self
    }

    /// How many records it holds in all, when not all of them are declared.
    pub fn total(mut self, total: usize) -> Self {
        self.total = Some(total);
        self
    }

    /// While it is shown, nothing outside it can be used. An `egui::Modal` is modal by itself.
    pub fn modal(mut self) -> Self {
        self.modal = true;
        self
    }

    pub(crate) fn purpose_text(&self) -> &str {
        &self.purpose
    }

    pub(crate) fn to_model(&self) -> model::Region {
        let mut region = model::Region::new(RegionId::new(&self.id), self.label.as_ref());
        self.purpose.as_ref().clone_into(&mut region.purpose);
        region.role = self.role;
        region.total = self.total;
        region.modal = self.modal;
        region
    }
}

impl<I, L> From<(I, L)> for Region
where
    I: Into<Cow<'static, str>>,
    L: Into<Cow<'static, str>>,
{
    fn from((id, label): (I, L)) -> Self {
        Self::new(id, label)
    }
}
