//! The declaration of where the user is.

use std::fmt::Display;

use pling_core::model::PageIdentity;

use crate::collect;

/// Where the user is: one for each page, in the root viewport. The last one declared in a pass counts.
#[derive(Clone, Debug, Default)]
#[must_use = "a page does nothing until it is declared with `ui.page(..)`"]
pub struct Page {
    facts: Option<Box<PageIdentity>>,
}

impl Page {
    /// A page with the title a user would call it by.
    pub fn new(title: impl AsRef<str>) -> Self {
        Self {
            facts: collect::collecting().then(|| Box::new(PageIdentity::new(title.as_ref()))),
        }
    }

    /// A path such as `/todos`. What follows a `?` is dropped: only what [`Self::query`] names is ever shown.
    pub fn path(mut self, path: impl AsRef<str>) -> Self {
        if let Some(facts) = &mut self.facts {
            let path = path.as_ref();
            let query = path.find('?').unwrap_or(path.len());
            path[..query].clone_into(&mut facts.path);
        }
        self
    }

    /// The route's name, such as `todo-list`.
    pub fn route(mut self, route: impl AsRef<str>) -> Self {
        if let Some(facts) = &mut self.facts {
            facts.route = Some(route.as_ref().to_owned());
        }
        self
    }

    /// A route parameter.
    pub fn parameter(mut self, name: impl AsRef<str>, value: impl Display) -> Self {
        if let Some(facts) = &mut self.facts {
            facts.parameters.push((name.as_ref().to_owned(), value.to_string()));
        }
        self
    }

    /// A query field that may be shown to a model; others are never declared.
    pub fn query(mut self, name: impl AsRef<str>, value: impl Display) -> Self {
        if let Some(facts) = &mut self.facts {
            facts.query.push((name.as_ref().to_owned(), value.to_string()));
        }
        self
    }

    pub(crate) fn into_facts(self) -> Option<PageIdentity> {
        self.facts.map(|facts| *facts)
    }
}
