//! From what a caller wants to one operation on one target, true of one snapshot.
//!
//! Pure: the same call, snapshot and memory give the same answer. Whoever lets time pass checks again.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    ActionRef, Call, Code, Operation, Permissions, Refusal, Target, ToolUse, arguments,
    resolve::Wanted,
    seen::Seen,
    words::{few, quoted, word},
};
use crate::{
    model::{Action, Record, RecordId, RegionPath},
    snapshot::{ActionFacts, Availability, RecordFacts, Snapshot},
};

/// What a check looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts<'a> {
    /// The page now.
    pub(super) now: &'a Arc<Snapshot>,
    /// The page as the caller saw it: only for the shape of an action none of whose rows is drawn now.
    pub(super) shown: &'a Snapshot,
    pub(super) permitted: &'a Permissions,
    pub(super) seen: &'a Seen,
}

/// Where a check leads.
#[derive(Debug)]
pub(super) enum Step {
    /// Everything is known and usable.
    Ready(Box<Checked>),
    /// It has to be brought into view first, and checked again then.
    Reveal(Target),
}

/// One operation on one target: known, permitted, valid, resolved and usable on the page of `before`.
#[derive(Clone, Debug)]
pub(super) struct Checked {
    pub(super) target: Target,
    pub(super) action: Arc<Action>,
    /// The record as it was.
    pub(super) record: Option<Arc<Record>>,
    /// The widget's value as it was.
    pub(super) value: Option<Value>,
    pub(super) operation: Operation,
    /// The exact arguments.
    pub(super) arguments: Map<String, Value>,
    pub(super) warning: Option<String>,
    /// Why only the user may do it.
    pub(super) handoff: Option<String>,
    pub(super) before: Arc<Snapshot>,
}

/// Takes what is wanted through the gates from `permitted` to `available`.
pub(super) fn check(wanted: &Wanted, facts: Facts<'_>) -> Result<Step, Refusal> {
    steps(wanted, facts).map_err(|mut refusal| {
        if refusal.code == Code::ActionGone
            && let Some(opener) = opener(&wanted.region, facts.now)
        {
            refusal
                .message
                .push_str(&format!(": `{opener}` opens the part it is in"));
        }
        refusal
    })
}

/// The action that opens the place, or what is around it.
fn opener<'a>(region: &RegionPath, now: &'a Snapshot) -> Option<&'a str> {
    let opens = |facts: &&ActionFacts| facts.action.opens.as_ref().is_some_and(|id| region.ids().contains(id));
    let mut openers = now.actions.iter().filter(opens);
    let opener = openers.find(|facts| facts.availability.is_usable())?;
    Some(opener.action.id.as_str())
}

fn steps(wanted: &Wanted, facts: Facts<'_>) -> Result<Step, Refusal> {
    let now = facts.now;
    let here: Vec<_> = declared(now, wanted).collect();
    if here.is_empty() && !may_come_back(wanted, now) {
        return Err(gone(wanted));
    }
    let named = match &wanted.arguments {
        super::Arguments::Object(map) => map.get("record").and_then(Value::as_str),
        super::Arguments::Invalid { .. } => None,
    };
    // Which shape the arguments are held against: the row's own, or that of any other row, drawn now or before.
    let shape = here
        .iter()
        .copied()
        .find(|facts| facts.record.as_ref().map(RecordId::as_str) == named)
        .or(here.first().copied())
        .or_else(|| declared(facts.shown, wanted).next())
        .ok_or_else(|| gone(wanted))?;
    permit(wanted, &shape.action, facts.permitted)?;
    let given = arguments::object(&wanted.arguments)?;
    let record = match wanted.takes_record {
        true => Some(arguments::record(given)?),
        false => None,
    };
    arguments::read(&shape.action, wanted.takes_record, given)?;

    let target = Target::action(wanted.id.clone(), wanted.region.clone(), record);
    let exact: Vec<_> = here.into_iter().filter(|facts| facts.record == target.record).collect();
    let found = match exact[..] {
        [found] => found,
        [] => return missing(wanted, target, facts),
        [..] => return Err(ambiguous(wanted, &target, exact.len())),
    };
    if let Some(record) = &target.record {
        unique(wanted, record, now)?;
    }
    permit(wanted, &found.action, facts.permitted)?;
    let read = arguments::read(&found.action, wanted.takes_record, given)?;
    let handoff = match &found.availability {
        Availability::Offscreen => return Ok(Step::Reveal(target)),
        Availability::Available => found.action.handoff.clone(),
        Availability::Handoff(reason) => Some(reason.clone()),
        unusable => return Err(unavailable(wanted, unusable)),
    };
    let record = target
        .record
        .as_ref()
        .and_then(|id| record_facts(now, id, &target.region));
    Ok(Step::Ready(Box::new(Checked {
        action: Arc::clone(&found.action),
        record: record.map(|facts| Arc::clone(&facts.record)),
        value: found.value.clone(),
        operation: read.operation,
        arguments: given.clone(),
        warning: read.warning,
        handoff,
        before: Arc::clone(now),
        target,
    })))
}

impl Checked {
    /// The action and record in the words of receipts.
    pub(super) fn action_ref(&self) -> ActionRef {
        ActionRef::new(
            self.action.id.clone(),
            self.action.description.clone(),
            self.target.record.clone(),
        )
    }

    /// What hooks are told.
    pub(super) fn tool_use(&self, call: &Call) -> ToolUse {
        ToolUse {
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            effect: self.action.effect,
            origin: call.origin.clone(),
            action: self.action_ref(),
            arguments: arguments::masked(&self.action, &self.arguments),
        }
    }

    /// What is no longer as it was when the user was asked, in words; `None` when all of it is.
    pub(super) fn differs_from(&self, asked: &Self) -> Option<String> {
        if !self.action.same_shape(&asked.action) {
            return Some("the action is declared differently now".to_owned());
        }
        if self.action.preview != asked.action.preview {
            return Some("what it would do is described differently now".to_owned());
        }
        let is_flip = matches!(self.operation, Operation::Toggle(None) | Operation::Expand(None));
        if is_flip && self.value != asked.value {
            return Some("it was switched meanwhile".to_owned());
        }
        match (&asked.record, &self.record) {
            (Some(then), Some(now)) => record_difference(then, now),
            (None, None) => None,
            _ => Some("the record's facts are not known any more".to_owned()),
        }
    }
}

fn record_difference(then: &Record, now: &Record) -> Option<String> {
    if then.label != now.label {
        let (then, now) = (quoted(&then.label), quoted(&now.label));
        return Some(format!("the record was {then} and is {now} now"));
    }
    if then.fields == now.fields {
        return None;
    }
    let of_then = |name: &str| then.fields.iter().find(|(other, _)| other == name);
    let of_now = |name: &str| now.fields.iter().find(|(other, _)| other == name);
    let names = then.fields.iter().chain(&now.fields).map(|(name, _)| name.as_str());
    let changed = names.into_iter().find(|name| of_then(name) != of_now(name))?;
    Some(format!("the field `{}` of the record changed", word(changed)))
}

/// The declarations of the wanted action at its place.
fn declared<'a>(snapshot: &'a Snapshot, wanted: &Wanted) -> impl Iterator<Item = &'a ActionFacts> {
    let Wanted { id, region, .. } = wanted.clone();
    let actions = snapshot.actions.iter();
    actions.filter(move |facts| facts.action.id == id && facts.region == region)
}

/// The record around a place: declared in the region itself or in one that encloses it.
fn record_facts<'a>(snapshot: &'a Snapshot, id: &RecordId, region: &RegionPath) -> Option<&'a RecordFacts> {
    let around = snapshot.records.iter();
    around
        .filter(|facts| facts.record.id == *id && region.is_within(&facts.region))
        .max_by_key(|facts| facts.region.ids().len())
}

fn permit(wanted: &Wanted, action: &Action, permitted: &Permissions) -> Result<(), Refusal> {
    if permitted.permits(action) {
        return Ok(());
    }
    let why = if permitted.is_read_only() {
        "this session may only read"
    } else {
        "this session does not allow it"
    };
    Err(Refusal::new(Code::NotPermitted, format!("`{}`: {why}", wanted.name)))
}

/// Whether an action of which nothing is drawn can be there for some record all the same.
fn may_come_back(wanted: &Wanted, now: &Snapshot) -> bool {
    let is_place_there = wanted.region.innermost().is_none() || now.region(&wanted.region).is_some();
    wanted.takes_record && (is_place_there || has_source(now, &wanted.region))
}

/// Whether records of this place may exist without being drawn.
fn has_source(now: &Snapshot, region: &RegionPath) -> bool {
    let related = |source: &RegionPath| region.is_within(source) || source.is_within(region);
    now.sources.iter().any(|source| related(&source.region))
}

/// Nothing is declared for exactly this record, or without one where none is meant.
fn missing(wanted: &Wanted, target: Target, facts: Facts<'_>) -> Result<Step, Refusal> {
    let Some(record) = &target.record else {
        return Err(gone(wanted));
    };
    let now = facts.now;
    let called = quoted(record.as_str());
    let no_such_action = |place: &str| {
        let message = format!("the record {called} {place} and has no `{}` now", wanted.name);
        Err(Refusal::new(Code::Unavailable, message).because("not_offered"))
    };
    if record_facts(now, record, &target.region).is_some() {
        return no_such_action("is on the page");
    }
    if has_source(now, &target.region) {
        return Ok(Step::Reveal(target));
    }
    if now.records.iter().any(|facts| facts.record.id == *record) {
        return no_such_action("is elsewhere on the page");
    }
    if facts.seen.knows_record(record) {
        return Err(record_gone(record));
    }
    let around = now.records.iter();
    let mut around = around.filter(|facts| target.region.is_within(&facts.region)).peekable();
    let mut message = format!("there is no record {called} here");
    if around.peek().is_some() {
        message.push_str(&format!(
            "; there are: {}",
            few(around.map(|facts| facts.record.id.as_str()))
        ));
    }
    Err(Refusal::new(Code::UnknownRecord, message))
}

/// Records of one id in one region are a mistake of the page: which of them is meant, nobody can say.
fn unique(wanted: &Wanted, record: &RecordId, now: &Snapshot) -> Result<(), Refusal> {
    let mut regions: Vec<_> = now
        .records
        .iter()
        .filter(|facts| facts.record.id == *record && wanted.region.is_within(&facts.region))
        .map(|facts| &facts.region)
        .collect();
    let all = regions.len();
    regions.sort();
    regions.dedup();
    if regions.len() == all {
        return Ok(());
    }
    let message = format!(
        "more than one record has the id {} here, so `{}` could mean either; nothing was run",
        quoted(record.as_str()),
        wanted.name,
    );
    Err(Refusal::new(Code::AmbiguousTarget, message))
}

fn ambiguous(wanted: &Wanted, target: &Target, count: usize) -> Refusal {
    let place = match (&target.record, target.region.innermost()) {
        (Some(record), _) => format!(" for the record {}", quoted(record.as_str())),
        (None, Some(_)) => format!(" in {}", quoted(&target.region.to_string())),
        (None, None) => String::new(),
    };
    let message = format!("{count} widgets answer to `{}`{place}; nothing was run", wanted.name);
    Refusal::new(Code::AmbiguousTarget, message)
}

fn unavailable(wanted: &Wanted, availability: &Availability) -> Refusal {
    let (code, reason) = match availability {
        Availability::NotDrawn { .. } => return gone(wanted).because(availability.kind()),
        Availability::WindowHidden => (Code::WindowHidden, availability.kind()),
        _ => (Code::Unavailable, availability.kind()),
    };
    let message = format!("`{}` cannot be used now: {availability}", wanted.name);
    Refusal::new(code, message).because(reason)
}

fn gone(wanted: &Wanted) -> Refusal {
    let message = format!("`{}` was here before and is not on the page now", wanted.name);
    Refusal::new(Code::ActionGone, message)
}

/// `RECORD_GONE` for this record.
pub(super) fn record_gone(record: &RecordId) -> Refusal {
    let message = format!("the record {} was here before and is gone", quoted(record.as_str()));
    Refusal::new(Code::RecordGone, message)
}

/// What is asked to be brought into view, and then still is not.
pub(super) fn not_revealed(wanted: &Wanted) -> Refusal {
    let message = format!("`{}` could not be brought into view", wanted.name);
    Refusal::new(Code::Unavailable, message).because(Availability::Offscreen.kind())
}
