//! The declarations this app uses, doing nothing: what is left when every declaration is removed.

use std::{fmt::Display, marker::PhantomData};

use egui::{InnerResponse, Response, Ui};

pub(crate) trait ResponseExt {
    fn tool(self, tool: impl Into<Tool>) -> Response;
    fn feedback(self, feedback: Feedback) -> Response;
}

impl ResponseExt for Response {
    fn tool(self, _tool: impl Into<Tool>) -> Response {
        self
    }

    fn feedback(self, _feedback: Feedback) -> Response {
        self
    }
}

pub(crate) trait UiExt {
    fn record<R>(&mut self, record: Record, add_contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R>;
    fn region<R>(&mut self, region: Region, add_contents: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R>;
    fn tool_call<Args>(&mut self, tool: Tool) -> Option<NoCall<Args>>;
    fn state<T>(&mut self, _id: &str, _description: &str, _value: &T) {}
    fn page(&mut self, _page: Page) {}
    fn busy(&mut self, _reason: &str) {}
}

impl UiExt for Ui {
    fn record<R>(&mut self, _record: Record, add_contents: impl FnOnce(&mut Self) -> R) -> InnerResponse<R> {
        let inner = add_contents(self);
        InnerResponse::new(inner, self.response())
    }

    fn region<R>(&mut self, _region: Region, add_contents: impl FnOnce(&mut Self) -> R) -> InnerResponse<R> {
        let inner = add_contents(self);
        InnerResponse::new(inner, self.response())
    }

    fn tool_call<Args>(&mut self, _tool: Tool) -> Option<NoCall<Args>> {
        None
    }
}

/// A call that never comes.
pub(crate) struct NoCall<Args>(std::convert::Infallible, PhantomData<Args>);

impl<Args> NoCall<Args> {
    pub(crate) fn args(&self) -> &Args {
        match self.0 {}
    }

    pub(crate) fn finish<T>(self, _value: T) {
        match self.0 {}
    }
}

pub(crate) struct Tool;

impl Tool {
    pub(crate) fn new(_id: &'static str, _description: &'static str) -> Self {
        Self
    }

    pub(crate) fn read(self) -> Self {
        self
    }

    pub(crate) fn danger(self) -> Self {
        self
    }

    pub(crate) fn submit(self) -> Self {
        self
    }

    pub(crate) fn opens(self, _region: &str) -> Self {
        self
    }

    pub(crate) fn input(self, _name: &str, _description: &str) -> Self {
        self
    }

    pub(crate) fn available_if(self, _available: bool, _reason: &str) -> Self {
        self
    }

    pub(crate) fn choices<T>(self, _choices: T) -> Self {
        self
    }
}

pub(crate) struct Record;

impl Record {
    pub(crate) fn new(_id: impl Display, _label: impl AsRef<str>) -> Self {
        Self
    }

    pub(crate) fn field<T>(self, _name: &str, _value: T) -> Self {
        self
    }
}

pub(crate) struct Region;

impl Region {
    pub(crate) fn new(_id: &'static str, _label: &'static str) -> Self {
        Self
    }

    pub(crate) fn purpose(self, _purpose: &'static str) -> Self {
        self
    }
}

pub(crate) struct Page;

impl Page {
    pub(crate) fn new(_title: &str) -> Self {
        Self
    }

    pub(crate) fn path(self, _path: &str) -> Self {
        self
    }
}

pub(crate) struct Feedback;

impl Feedback {
    pub(crate) fn error() -> Self {
        Self
    }

    pub(crate) fn success() -> Self {
        Self
    }

    pub(crate) fn for_field(self, _action: &str) -> Self {
        self
    }
}
