//! Looking through declared sources, a slice at a time.

use std::collections::BTreeMap;

use pling_core::{
    model::RegionPath,
    platform::{Duration, Instant, now},
};
use serde_json::{Map, Value, json};

use super::{
    Errand,
    queue::{Job, Next, Page, Reply, Round},
};
use crate::{
    collect::{Registry, SeenSource},
    declare::Record,
};

/// Rows looked at in one pass, of all sources together: about a millisecond's worth.
const SLICE: usize = 2048;
/// Rounds after which what was found so far has to do.
const ROUNDS: u32 = 600;
/// The same in time, for windows that draw slowly: whoever asked does not wait for ever.
const WITHIN: Duration = Duration::from_secs(10);

/// A search for records whose label or shown fields contain every word.
#[derive(Debug)]
pub(crate) struct Find {
    words: Vec<String>,
    limit: usize,
    /// How far each source was read, and its length.
    read: BTreeMap<(RegionPath, String), (usize, usize)>,
    found: Vec<Value>,
    /// Rows that may still be looked at in this pass.
    left: usize,
    /// Whether anything was looked at in this round.
    went_on: bool,
    round: Round,
    rounds: u32,
    since: Instant,
}

impl Find {
    pub(crate) fn new(query: &str, limit: usize) -> Self {
        Self {
            words: query.split_whitespace().map(str::to_lowercase).collect(),
            limit,
            read: BTreeMap::new(),
            found: Vec::new(),
            left: SLICE,
            went_on: true,
            round: Round::default(),
            rounds: 0,
            since: now(),
        }
    }

    pub(crate) fn begin_pass(&mut self) {
        self.left = SLICE;
    }

    pub(crate) fn at_source(&mut self, source: &SeenSource, record: &mut dyn FnMut(usize) -> Record) {
        let key = (source.region.clone(), source.id.clone());
        let (cursor, len) = self.read.entry(key).or_insert((0, source.len));
        *len = source.len;
        let end = cursor.saturating_add(self.left).min(source.len);
        for row in *cursor..end {
            if self.found.len() >= self.limit {
                return;
            }
            *cursor = row + 1;
            self.left -= 1;
            self.went_on = true;
            if let Some(facts) = record(row).into_facts() {
                let fields: Map<String, Value> = facts
                    .fields
                    .into_iter()
                    .filter_map(|(name, value)| Some((name, value?)))
                    .collect();
                if matches(&self.words, &facts.label, &fields) {
                    self.found
                        .push(json!({ "id": facts.id, "label": facts.label, "fields": fields }));
                }
            }
        }
    }

    pub(crate) fn kept(&mut self, page: &Page<'_>) {
        if self.round.kept(page) {
            self.rounds += 1;
            if !std::mem::take(&mut self.went_on) {
                // What is left to read is not declared any more.
                self.rounds = ROUNDS;
            }
        }
    }

    /// Whether every source was read to its end.
    fn saw_all(&self) -> bool {
        self.read.values().all(|(cursor, len)| cursor >= len)
    }

    fn is_over(&self) -> bool {
        let is_enough = self.saw_all() || self.found.len() >= self.limit;
        self.rounds > 0 && (is_enough || self.rounds >= ROUNDS || self.since.elapsed() >= WITHIN)
    }
}

/// Whether every word is in the label or in a shown field.
fn matches(words: &[String], label: &str, fields: &Map<String, Value>) -> bool {
    let mut text = label.to_lowercase();
    for value in fields.values() {
        text.push('\n');
        match value {
            Value::String(value) => text.push_str(&value.to_lowercase()),
            value => text.push_str(&value.to_string().to_lowercase()),
        }
    }
    words.iter().all(|word| text.contains(word.as_str()))
}

/// Records of sources.
#[derive(Debug)]
pub(crate) struct FindAll {
    query: String,
    limit: usize,
    reply: Reply<(Vec<Value>, bool)>,
}

impl FindAll {
    pub(crate) fn new(query: String, limit: usize, reply: Reply<(Vec<Value>, bool)>) -> Self {
        Self { query, limit, reply }
    }
}

impl Job for FindAll {
    fn is_withdrawn(&self) -> bool {
        self.reply.is_closed()
    }

    fn begin(&mut self, _registry: &Registry, _last: Option<Errand>) -> Option<Errand> {
        Some(Errand::Find(Find::new(&self.query, self.limit)))
    }

    fn kept(&mut self, errand: &mut Option<Errand>, _page: &Page<'_>) -> Next {
        match errand {
            Some(Errand::Find(find)) if !find.is_over() => Next::Pass,
            Some(Errand::Find(find)) => {
                let all = find.saw_all();
                self.reply.send(Ok((std::mem::take(&mut find.found), all)))
            }
            _ => Next::Over,
        }
    }
}
