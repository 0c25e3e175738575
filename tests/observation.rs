//! What a model sees of a page.

use pling_core::observe::{Budget, Observation};

use crate::support::todo_page;

fn observe(snapshot: pling_core::snapshot::Snapshot) -> Observation {
    Observation::new(&std::sync::Arc::new(snapshot), &Budget::default())
}

#[test]
fn the_todo_page_as_a_model_reads_it() {
    let observation = observe(todo_page::snapshot());
    insta::assert_snapshot!("todo_page_text", observation.text);
    let tools: Vec<_> = observation
        .tools
        .iter()
        .map(|tool| tool.to_json().to_string())
        .collect();
    insta::assert_snapshot!("todo_page_tools", tools.join("\n"));
    println!("text {} tools {}", observation.text.len(), tools.join(",").len());
}
