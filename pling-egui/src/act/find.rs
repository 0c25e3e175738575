//! Looking through declared sources, a slice at a time.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{collect::SeenSource, declare::Record};

/// Rows looked at in one pass: about a millisecond's worth.
const SLICE: usize = 2048;
/// Passes after which what was found so far has to do.
const PASSES: u32 = 600;

/// A search for records whose label or shown fields contain every word.
#[derive(Debug)]
pub(crate) struct Find {
    words: Vec<String>,
    limit: usize,
    /// How far each source was read, and its length.
    read: BTreeMap<String, (usize, usize)>,
    pub(crate) found: Vec<Value>,
    passes: u32,
}

impl Find {
    pub(crate) fn new(query: &str, limit: usize) -> Self {
        Self {
            words: query.split_whitespace().map(str::to_lowercase).collect(),
            limit,
            read: BTreeMap::new(),
            found: Vec::new(),
            passes: 0,
        }
    }

    pub(crate) fn at_source(&mut self, seen: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        let (cursor, len) = self.read.entry(seen.id.clone()).or_insert((0, seen.len));
        *len = seen.len;
        let end = cursor.saturating_add(SLICE).min(seen.len);
        for index in *cursor..end {
            if self.found.len() >= self.limit {
                return;
            }
            *cursor = index + 1;
            let Some(facts) = record(index).into_facts() else {
                continue;
            };
            let fields: Map<String, Value> = facts
                .fields
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
                .collect();
            let mut text = facts.label.to_lowercase();
            for value in fields.values() {
                text.push(' ');
                text.push_str(
                    &value
                        .as_str()
                        .map_or_else(|| value.to_string(), ToOwned::to_owned)
                        .to_lowercase(),
                );
            }
            if self.words.iter().all(|word| text.contains(word.as_str())) {
                self.found
                    .push(json!({ "id": facts.id, "label": facts.label, "fields": fields }));
            }
        }
    }

    pub(crate) fn kept(&mut self) {
        self.passes += 1;
    }

    /// Whether every source was read to its end.
    pub(crate) fn saw_all(&self) -> bool {
        self.read.values().all(|(cursor, len)| cursor >= len)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.passes > 0 && (self.saw_all() || self.found.len() >= self.limit || self.passes >= PASSES)
    }
}
