//! Declarations that wrap a part of the page, or have no widget.

use egui::{InnerResponse, Response, Ui, UiBuilder, Widget, accesskit};
use pling_core::model::Feedback;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{Page, Record, RecordSource, Region, ResponseExt as _, Tool, ToolCall, function, source};
use crate::collect;

/// Declarations that wrap a part of the page, or have no widget.
pub trait UiExt {
    /// Adds a widget and declares what it does: [`Ui::add`] with [`super::ResponseExt::tool`].
    fn tool(&mut self, tool: impl Into<Tool>, widget: impl Widget) -> Response;

    /// Wraps the widgets that show one business object.
    ///
    /// Widget ids inside follow the record, not its position, so inserting, sorting or filtering rows never
    /// turns a call on one record into a click on another. Layout stays as it was. egui memory kept inside,
    /// such as an opened collapsing header, is keyed by the record too: adding the declaration forgets it once.
    fn record<R>(&mut self, record: Record, add_contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R>;

    /// Like [`UiExt::record`], without a `Ui` of its own, for layouts such as `horizontal_wrapped`.
    /// Ids do not follow the record, so only buttons and links may be tools inside: they are triggered at
    /// their own declaration.
    fn record_inline<R>(&mut self, record: Record, add_contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R>;

    /// Declares a whole set of records of which only a few are drawn, in the order of the rows as they are now:
    /// sorted and filtered. `record` is called with an index below `len`, only when something asks, never for each row
    /// of each frame.
    fn record_source(&mut self, id: &str, len: usize, record: impl FnMut(usize) -> Record) -> RecordSource;

    /// Draws the rows of a source that are in view, all of the same height: [`egui::ScrollArea::show_rows`]
    /// that also scrolls to the row an agent needs. A source only knows its records: `add_row` wraps what it draws
    /// in [`UiExt::record`], as anywhere else.
    ///
    /// Any number of rows of any height: egui's pixel positions are `f32`, so a list taller than about a million
    /// points is given a scroll area of that height, in which the scroll bar moves in proportion.
    fn record_rows(&mut self, source: RecordSource, row_height: f32, add_row: impl FnMut(&mut Ui, usize));

    /// Wraps a named part of the page. Nesting is lexical. Screen readers see it as a region.
    fn region<R>(&mut self, region: impl Into<Region>, add_contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R>;

    /// Declares a read-only value that explains the page.
    fn state(&mut self, id: &str, description: &str, value: &impl Serialize);

    /// Declares that a value exists and is withheld everywhere.
    fn sensitive_state(&mut self, id: &str, description: &str);

    /// Declares a message that the page shows.
    fn feedback(&mut self, feedback: impl Into<Feedback>, text: impl AsRef<str>);

    /// Says where the user is.
    fn page(&mut self, page: Page);

    /// Says that the app is waiting for something, in a few words. Say it in every pass while it lasts.
    fn busy(&mut self, reason: impl AsRef<str>);

    /// Declares an operation whose widget is not drawn now, and why.
    fn tool_unavailable(&mut self, tool: impl Into<Tool>, reason: impl AsRef<str>);

    /// Declares an operation without a widget, and hands over a call of it when there is one.
    /// `Args` is an object type; its schema is what a model is told.
    fn tool_call<Args>(&mut self, tool: impl Into<Tool>) -> Option<ToolCall<Args>>
    where
        Args: DeserializeOwned + JsonSchema + 'static;
}

impl UiExt for Ui {
    fn tool(&mut self, tool: impl Into<Tool>, widget: impl Widget) -> Response {
        if !collect::collecting() {
            return self.add(widget);
        }
        let tool = tool.into();
        collect::before_widget(self, &tool);
        self.add(widget).tool(tool)
    }

    fn record<R>(&mut self, record: Record, add_contents: impl FnOnce(&mut Self) -> R) -> InnerResponse<R> {
        let scope = self.scope_id().with(record.key());
        let builder = UiBuilder::new().scope_id(scope);
        if !collect::collecting() {
            return self.scope_builder(builder, add_contents);
        }
        let open = collect::open_record(self.ctx(), record, Some(scope));
        let inner = self.scope_builder(builder, |ui| {
            collect::within_record(ui);
            collect::within_popup(ui);
            add_contents(ui)
        });
        open.close(self, &inner.response);
        inner
    }

    fn record_inline<R>(&mut self, record: Record, add_contents: impl FnOnce(&mut Self) -> R) -> InnerResponse<R> {
        if !collect::collecting() {
            let inner = add_contents(self);
            return InnerResponse::new(inner, self.response());
        }
        let open = collect::open_record(self.ctx(), record, None);
        let from = self.cursor();
        let from = if self.layout().prefer_right_to_left() {
            from.right_top()
        } else {
            from.left_top()
        };
        let inner = add_contents(self);
        let response = self.response();
        // Its own part of the line is not known; from where it began to where the parent ends now comes close.
        let area = self.min_rect();
        let to = if self.layout().prefer_right_to_left() {
            area.left_bottom()
        } else {
            area.right_bottom()
        };
        let rect = egui::Rect::from_two_pos(from, to);
        open.close(self, &response.clone().with_new_rect(rect));
        InnerResponse::new(inner, response)
    }

    fn record_source(&mut self, id: &str, len: usize, record: impl FnMut(usize) -> Record) -> RecordSource {
        source::declare(id, len, record)
    }

    fn record_rows(&mut self, source: RecordSource, row_height: f32, add_row: impl FnMut(&mut Self, usize)) {
        source.show_rows(self, row_height, add_row);
    }

    fn region<R>(&mut self, region: impl Into<Region>, add_contents: impl FnOnce(&mut Self) -> R) -> InnerResponse<R> {
        let region = region.into();
        let scope = self.scope_id().with(("pling.region", &region.id));
        let builder = UiBuilder::new().scope_id(scope);
        let inner = if collect::collecting() {
            let open = collect::open_region(self.ctx(), &region, scope);
            let inner = self.scope_builder(builder, |ui| {
                collect::within_popup(ui);
                add_contents(ui)
            });
            open.close(self, &inner.response);
            inner
        } else {
            self.scope_builder(builder, add_contents)
        };
        if collect::describing() {
            self.ctx().accesskit_node_builder(inner.response.id, |node| {
                node.set_role(accesskit::Role::Region);
                node.set_label(region.label.as_ref());
            });
            collect::describe(self.ctx(), inner.response.id, region.purpose_text());
        }
        inner
    }

    fn state(&mut self, id: &str, description: &str, value: &impl Serialize) {
        collect::state(id, description, Some(value));
    }

    fn sensitive_state(&mut self, id: &str, description: &str) {
        collect::state(id, description, None::<&()>);
    }

    fn feedback(&mut self, feedback: impl Into<Feedback>, text: impl AsRef<str>) {
        collect::feedback(|| feedback.into(), text.as_ref());
    }

    fn page(&mut self, page: Page) {
        collect::page(page);
    }

    fn busy(&mut self, reason: impl AsRef<str>) {
        collect::busy(reason.as_ref());
    }

    fn tool_unavailable(&mut self, tool: impl Into<Tool>, reason: impl AsRef<str>) {
        if collect::collecting() {
            collect::unavailable(tool.into(), reason.as_ref());
        }
    }

    fn tool_call<Args>(&mut self, tool: impl Into<Tool>) -> Option<ToolCall<Args>>
    where
        Args: DeserializeOwned + JsonSchema + 'static,
    {
        if !collect::collecting() {
            return None;
        }
        function::declare(self, tool.into())
    }
}
