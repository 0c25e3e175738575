//! Whether what an author expects was seen, and in words what was seen instead.

use super::{SettleLimits, words::quoted};
use crate::{
    model::{Action, Expect, Level, RecordId, RegionId},
    platform::Duration,
    snapshot::{Changes, Snapshot},
    text::{json_line, shorten},
};

/// Characters of a value in a message.
const VALUE_CHARS: usize = 60;

/// One condition that is waited for.
#[derive(Clone, Debug)]
pub(super) struct Awaited {
    condition: Expect,
    /// How long after the page came to rest, while nothing is busy.
    idle: Duration,
    /// The same, while the app says that it is busy.
    busy: Duration,
}

impl Awaited {
    /// What an action's author expects of it: said outright, and by naming the region that it opens.
    pub(super) fn of(action: &Action, limits: SettleLimits) -> Vec<Self> {
        let outright = action.expect.as_ref().map(|expect| {
            let (condition, time) = expect.parts();
            let time = time.map_or(limits.busy, |time| time.min(limits.busy));
            Self {
                condition: condition.clone(),
                idle: time,
                busy: time,
            }
        });
        let opens = action.opens.as_ref().map(|region| Self {
            condition: Expect::RegionOpened(region.clone()),
            idle: limits.idle,
            busy: limits.busy,
        });
        outright.into_iter().chain(opens).collect()
    }

    /// How long to wait for it on a page like this.
    pub(super) fn time(&self, after: &Snapshot) -> Duration {
        if after.busy.is_empty() { self.idle } else { self.busy }
    }

    /// Whether it holds of the page after an action.
    pub(super) fn is_met(&self, before: &Snapshot, after: &Snapshot, changes: &Changes) -> bool {
        let records = &changes.records;
        match self.condition.parts().0 {
            Expect::Changed => changes.observed(),
            Expect::RecordAdded(None) => {
                !records.added.is_empty() || records.counts.iter().any(|count| count.after > count.before)
            }
            Expect::RecordAdded(Some(id)) => !has_record(before, id) && has_record(after, id),
            Expect::RecordRemoved(None) => {
                !records.removed.is_empty() || records.counts.iter().any(|count| count.after < count.before)
            }
            Expect::RecordRemoved(Some(id)) => has_record(before, id) && !has_record(after, id),
            Expect::RecordChanged(None) => !records.changed.is_empty(),
            Expect::RecordChanged(Some(id)) => records.changed.iter().any(|change| change.id == *id),
            Expect::RegionOpened(id) => has_region(after, id),
            Expect::RegionClosed(id) => !has_region(after, id),
            Expect::StateEquals(name, value) => {
                (after.state.iter()).any(|view| view.name == *name && view.value.as_ref() == Some(value))
            }
            Expect::Feedback(level) => has_feedback(after, *level),
            Expect::NoError => !has_feedback(after, Level::Error),
            Expect::Within(..) => false,
        }
    }

    /// Whether waiting longer makes sense: not once the page has answered with an error and waits for nothing.
    pub(super) fn can_still_come(&self, after: &Snapshot, changes: &Changes) -> bool {
        let is_refused = changes.feedback.iter().any(|feedback| feedback.level == Level::Error);
        !after.busy.is_empty() || !is_refused || self.condition == Expect::Feedback(Level::Error)
    }

    /// What was expected, and what was seen instead, in words.
    pub(super) fn unmet(&self, before: &Snapshot, after: &Snapshot) -> String {
        let some = |id: &Option<RecordId>| match id {
            Some(id) => format!("the record {}", quoted(id.as_str())),
            None => "a record".to_owned(),
        };
        let there = |id: &Option<RecordId>| match id {
            Some(id) if has_record(before, id) && has_record(after, id) => "it was there before and still is",
            Some(id) if has_record(before, id) => "it was there before and is not now",
            Some(id) if has_record(after, id) => "it is there now",
            Some(_) => "it is not there",
            None => "none was",
        };
        let (expected, instead) = match self.condition.parts().0 {
            Expect::Changed => ("some change".to_owned(), "nothing differs".to_owned()),
            Expect::RecordAdded(id) => (format!("{} to be added", some(id)), there(id).to_owned()),
            Expect::RecordRemoved(id) => (format!("{} to be removed", some(id)), there(id).to_owned()),
            Expect::RecordChanged(Some(id)) if !has_record(after, id) => (
                format!("the record {} to change", quoted(id.as_str())),
                "it is not there".to_owned(),
            ),
            Expect::RecordChanged(id) => (format!("{} to change", some(id)), "none of it did".to_owned()),
            Expect::RegionOpened(id) => (format!("the region `{id}` to open"), "it is not on the page".to_owned()),
            Expect::RegionClosed(id) => (
                format!("the region `{id}` to close"),
                "it is still on the page".to_owned(),
            ),
            Expect::StateEquals(name, value) => state_unmet(name, value, after),
            Expect::Feedback(level) => (format!("feedback of level {level}"), told(after)),
            Expect::NoError => ("no error".to_owned(), told(after)),
            Expect::Within(..) => (String::new(), String::new()),
        };
        format!("{expected} was expected and not seen: {instead}")
    }
}

fn state_unmet(name: &str, value: &serde_json::Value, after: &Snapshot) -> (String, String) {
    let word = |value| shorten(&json_line(value), VALUE_CHARS);
    match after
        .state
        .iter()
        .find(|view| view.name == name)
        .map(|view| &view.value)
    {
        Some(Some(is)) => (
            format!("the state `{name}` to be {}", word(value)),
            format!("it is {}", word(is)),
        ),
        Some(None) => (
            format!("a certain value of the state `{name}`"),
            "it is withheld".to_owned(),
        ),
        None => (
            format!("the state `{name}` to be {}", word(value)),
            "it is not declared".to_owned(),
        ),
    }
}

/// How much of each level the page tells.
fn told(after: &Snapshot) -> String {
    let levels = [Level::Error, Level::Warning, Level::Info, Level::Success];
    let count = |level| after.feedback.iter().filter(|item| item.level == level).count();
    let told = levels.map(|level| (level, count(level)));
    let told: Vec<_> = (told.iter().filter(|(_, count)| *count > 0))
        .map(|(level, count)| format!("{count} of level {level}"))
        .collect();
    if told.is_empty() {
        "no feedback is shown".to_owned()
    } else {
        format!("shown are {}", told.join(", "))
    }
}

fn has_region(snapshot: &Snapshot, id: &RegionId) -> bool {
    snapshot.regions.iter().any(|facts| facts.region.id == *id)
}

fn has_record(snapshot: &Snapshot, id: &RecordId) -> bool {
    let drawn = snapshot.records.iter().map(|facts| &facts.record.id);
    let listed = snapshot.sources.iter().flat_map(|source| &source.first_ids);
    drawn.chain(listed).any(|known| known == id)
}

fn has_feedback(snapshot: &Snapshot, level: Level) -> bool {
    snapshot.feedback.iter().any(|feedback| feedback.level == level)
}
