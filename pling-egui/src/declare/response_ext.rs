//! Declarations on a widget that was just added.

use egui::Response;
use pling_core::model::Feedback;

use super::Tool;
use crate::collect;

/// Declarations on a widget that was just added. They return the response, so they chain.
///
/// Declare before asking `clicked()` or `changed()`: a click by an agent is part of the response that
/// [`ResponseExt::tool`] returns.
pub trait ResponseExt {
    /// Declares what the widget does. An agent's call runs the widget's own handler.
    ///
    /// A screen reader that is there is given the description too, unless the widget has one already.
    fn tool(self, tool: impl Into<Tool>) -> Response;

    /// Declares the widget's own text, number or check mark as a field of the record around it.
    fn field(self, name: impl AsRef<str>) -> Response;

    /// Declares the widget's own text as a message of the page.
    fn feedback(self, feedback: impl Into<Feedback>) -> Response;
}

impl ResponseExt for Response {
    #[inline]
    fn tool(self, tool: impl Into<Tool>) -> Response {
        if collect::unread() {
            return self;
        }
        let tool = tool.into();
        collect::describe(&self.ctx, self.id, tool.description());
        if collect::collecting() {
            collect::tool(self, tool)
        } else {
            self
        }
    }

    #[inline]
    fn field(self, name: impl AsRef<str>) -> Response {
        collect::field(&self, name.as_ref());
        self
    }

    #[inline]
    fn feedback(self, feedback: impl Into<Feedback>) -> Response {
        collect::widget_feedback(&self, || feedback.into());
        self
    }
}
