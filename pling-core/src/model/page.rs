//! Where the user is.

use serde::Serialize;

/// The identity of a page. All of it is page data except the route's name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PageIdentity {
    /// The title a user would call the page by.
    pub title: String,
    /// A path such as `/todos`; empty when the app has none.
    pub path: String,
    /// The route's name, such as `todo-list`; authored.
    pub route: Option<String>,
    /// Route parameters, in declared order.
    pub parameters: Vec<(String, String)>,
    /// Query fields the author allowed, in declared order.
    pub query: Vec<(String, String)>,
}

impl PageIdentity {
    /// A page with a title only.
    #[must_use]
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            ..Self::default()
        }
    }
}
