//! What is said by way of `tracing`, at every level.

use std::{fmt, sync::Arc};

use parking_lot::Mutex;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

/// Keeps every word of every span and event.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<String>>);

impl Log {
    /// What was said so far.
    pub(crate) fn words(&self) -> String {
        self.0.lock().clone()
    }

    fn write(&self, values: impl FnOnce(&mut dyn Visit)) {
        struct Words<'a>(&'a mut String);
        impl Visit for Words<'_> {
            fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
                self.0.push_str(&format!("{field}={value:?}\n"));
            }
        }
        values(&mut Words(&mut self.0.lock()));
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
        self.write(|words| span.record(words));
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        self.write(|words| values.record(words));
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        self.write(|words| event.record(words));
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
