//! Tells the page what is shown and what the app holds, where its settings ask for that: for tests, which see a canvas
//! from outside and cannot know what is on it.

use std::collections::HashMap;

use egui::{Context, FullOutput, Plugin, RawInput, accesskit};
use serde_json::{Value, json};

use super::element;
use crate::App;

/// What the app holds: an attribute of the canvas, written when it changes.
const SUMMARY: &str = "data-summary";
/// What is shown: written in the next pass after it was set to nothing.
const SHOWN: &str = "data-shown";

/// Writes both.
#[derive(Debug, Default)]
pub(super) struct Tell {
    summary: String,
}

impl Tell {
    pub(super) fn new(ctx: &Context) -> Self {
        ctx.add_plugin(Shown::default());
        Self::default()
    }

    pub(super) fn summary(&mut self, app: &impl App) {
        let summary = app.summary();
        let summary = json!({ "records": summary.records, "state": summary.state }).to_string();
        if self.summary != summary {
            write(SUMMARY, &summary);
            self.summary = summary;
        }
    }
}

/// Reads the accessibility tree of a pass that somebody asks about.
#[derive(Debug, Default)]
struct Shown {
    is_asked: bool,
}

impl Plugin for Shown {
    fn debug_name(&self) -> &'static str {
        "what is shown"
    }

    fn input_hook(&mut self, ctx: &Context, _input: &mut RawInput) {
        let canvas = element("app");
        let asked = canvas.and_then(|canvas| canvas.get_attribute(SHOWN));
        self.is_asked = asked.as_deref() == Some("");
        if self.is_asked {
            ctx.enable_accesskit();
        }
    }

    fn output_hook(&mut self, ctx: &Context, output: &mut FullOutput) {
        if let Some(update) = output
            .platform_output
            .accesskit_update
            .as_ref()
            .filter(|_| self.is_asked)
        {
            let all: HashMap<_, _> = update.nodes.iter().map(|(id, node)| (*id, node)).collect();
            let nodes = update.nodes.iter().filter_map(|(_, node)| shown(node, &all));
            write(SHOWN, &Value::from_iter(nodes).to_string());
            ctx.disable_accesskit();
        }
    }
}

/// A node that says something, with its place in points.
fn shown(node: &accesskit::Node, all: &HashMap<accesskit::NodeId, &accesskit::Node>) -> Option<Value> {
    let of_label = || all.get(node.labelled_by().first()?)?.value();
    let text = node.label().or_else(of_label).or(node.value())?;
    let place = node.bounds()?;
    Some(json!({
        "role": format!("{:?}", node.role()),
        "text": text,
        "value": node.value(),
        "x": (place.x0 + place.x1) / 2.0,
        "y": (place.y0 + place.y1) / 2.0,
        "disabled": node.is_disabled(),
    }))
}

fn write(attribute: &str, value: &str) {
    if let Some(canvas) = element("app") {
        // It fails for a bad name alone.
        let _ = canvas.set_attribute(attribute, value);
    }
}
