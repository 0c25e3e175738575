//! What happened in the session, as entries that are ready to draw.

use std::{collections::VecDeque, sync::Arc};

use egui::Context;
use parking_lot::Mutex;
use pling_core::{
    act::{ActionRef, Approval, ApprovalEvent, Arguments, Origin, Receipt},
    agent::{End, Event, Session},
    snapshot::Snapshot,
};
use serde_json::Value;

use super::{
    activity::Activity,
    log::{Entry, Log, What, fix},
    markdown::Text,
    names::Names,
    strings::Strings,
    visible::visible,
};
use crate::plugin::Shared;

/// Entries kept; older ones go, and are counted.
const MAX_ENTRIES: usize = 400;

/// The conversation, kept from events. Shared with the session's thread.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// Where the page is seen.
    shared: Arc<Shared>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    log: Arc<Log>,
    say: Strings,
    /// The calls that were asked for and are not over, the one under way first.
    at_work: VecDeque<Work>,
    next_serial: u64,
    /// Whether calls from before a restart wait for a page that says what they are.
    has_unnamed: bool,
}

/// A call that is not over.
#[derive(Debug)]
struct Work {
    call_id: String,
    action: ActionRef,
    origin: Origin,
    /// The page when it was asked for: what goes has its name there.
    before: Option<Arc<Snapshot>>,
}

impl Transcript {
    /// The transcript of a session from now on. Every event asks the context for a pass.
    pub(crate) fn of(session: &Session, ctx: &Context, shared: &Arc<Shared>, say: &Strings) -> Arc<Self> {
        let transcript = Arc::new(Self {
            shared: Arc::clone(shared),
            state: Mutex::new(State {
                say: say.clone(),
                ..State::default()
            }),
        });
        let (of_events, ctx) = (Arc::clone(&transcript), ctx.clone());
        // Stays as long as the session: the listener is only needed to take it off.
        let _listener = session.on_event(Arc::new(move |event| {
            of_events.take(event);
            ctx.request_repaint();
        }));
        transcript
    }

    /// What is to be drawn.
    pub(super) fn log(&self) -> Arc<Log> {
        Arc::clone(&self.state.lock().log)
    }

    /// Shows a message that was sent and is not being worked on yet.
    pub(super) fn sent(&self, text: &str) {
        let mut state = self.state.lock();
        Arc::make_mut(&mut state.log).queued.push_back(text.into());
    }

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.state.lock().log = Arc::default();
    }

    /// What the call under way is about, and who asked for it.
    pub(super) fn at_work(&self) -> Option<(ActionRef, Origin)> {
        let state = self.state.lock();
        state
            .at_work
            .front()
            .map(|work| (work.action.clone(), work.origin.clone()))
    }

    /// Whether this call is not over.
    pub(super) fn is_at_work(&self, call_id: &str) -> bool {
        self.state.lock().at_work.iter().any(|work| work.call_id == call_id)
    }

    /// A call that the user asked for beside the session.
    pub(super) fn began(&self, call_id: &str, action: &ActionRef, tool: &str, arguments: &Arguments) {
        let page = self.shared.snapshot();
        let mut state = self.state.lock();
        state.begin(call_id, Some(action), tool, arguments, Origin::User, page);
    }

    /// It came to a question, or the question was answered.
    pub(super) fn asked(&self, event: &ApprovalEvent) {
        let mut state = self.state.lock();
        match event {
            ApprovalEvent::Asked(approval) => state.ask(approval),
            ApprovalEvent::Decided { call_id, .. } => state.edit_activity(call_id, Activity::decided),
        }
    }

    /// It is over.
    pub(super) fn ended(&self, call_id: &str, receipt: &Receipt) {
        let page = self.shared.snapshot();
        self.state.lock().end(call_id, receipt, page);
    }

    /// Takes in what happened in the session.
    fn take(&self, event: &Event) {
        let page = self.shared.snapshot();
        self.state.lock().take(event, page);
    }
}

impl State {
    fn take(&mut self, event: &Event, page: Option<Arc<Snapshot>>) {
        if self.has_unnamed && page.is_some() {
            self.name_recalled(&Names::of(page.clone()));
        }
        match event {
            Event::UserMessage { text } => {
                let log = Arc::make_mut(&mut self.log);
                if let Some(at) = log.queued.iter().position(|queued| **queued == **text) {
                    log.queued.remove(at);
                }
                self.add(What::User(visible(text)));
            }
            Event::TextDelta { text } => self.write(text),
            Event::Text { text } => {
                let whole = Text::whole(text);
                match self.open_text() {
                    // The same place and ids, whatever was streamed: this is the last word on it.
                    Some(open) => *open = whole,
                    None => self.add(What::Words(whole)),
                }
            }
            Event::Call {
                id,
                action,
                tool,
                arguments,
            } => self.begin(id, action.as_ref(), tool, arguments, Origin::Assistant, page),
            Event::ApprovalAsked(approval) => self.ask(approval),
            Event::ApprovalDecided { id, .. } => self.edit_activity(id, Activity::decided),
            Event::Receipt { id, receipt } => self.end(id, receipt, page),
            Event::Notice { code, message } => self.add(What::Notice(visible(&self.say.notice(code, message)))),
            Event::Error { code, message } => self.add(What::Error {
                code,
                message: visible(&self.say.error(code, message)),
                fix: fix(&self.say, code),
            }),
            Event::Compacted { messages, .. } => {
                self.add(What::Notice(self.say.condensed(*messages)));
            }
            Event::Restored { messages } => self.recall(messages),
            Event::Retry { wait_millis, why, .. } => {
                self.take_back();
                let seconds = usize::try_from(wait_millis.div_ceil(1000)).unwrap_or(usize::MAX);
                self.add(What::Notice(visible(&self.say.retry_in(seconds, why))));
            }
            Event::Reset => self.forget(),
            Event::RunFinished(outcome) => {
                self.seal();
                if outcome.end == End::Cancelled {
                    self.add(What::Notice(self.say.stopped()));
                }
            }
            _ => {}
        }
    }

    fn begin(
        &mut self,
        call_id: &str,
        action: Option<&ActionRef>,
        tool: &str,
        arguments: &Arguments,
        origin: Origin,
        page: Option<Arc<Snapshot>>,
    ) {
        let mut activity = Activity::asked(&self.say, call_id, action, tool, arguments);
        activity.name(&Names::of(page.clone()));
        self.add(What::Activity(Box::new(activity)));
        self.at_work.extend(action.map(|action| Work {
            call_id: call_id.to_owned(),
            action: action.clone(),
            origin,
            before: page,
        }));
    }

    fn ask(&mut self, approval: &Approval) {
        let label = approval.record_label.as_deref();
        self.edit_activity(&approval.call_id, |activity| activity.ask(label));
    }

    fn end(&mut self, call_id: &str, receipt: &Receipt, page: Option<Arc<Snapshot>>) {
        let at = self.at_work.iter().position(|work| work.call_id == call_id);
        let work = at.and_then(|at| self.at_work.remove(at));
        let names = Names::of(work.and_then(|work| work.before).into_iter().chain(page));
        let say = self.say.clone();
        self.edit_activity(call_id, |activity| {
            activity.name(&names);
            activity.answer(&say, &names, receipt);
        });
    }

    /// Shows a conversation from a checkpoint in the place of this one.
    fn recall(&mut self, messages: &[Value]) {
        self.forget();
        for message in messages {
            let text = message["content"].as_str().unwrap_or_default();
            match message["role"].as_str() {
                Some("user") => self.add(What::User(visible(text))),
                Some("assistant") => {
                    if !text.trim().is_empty() {
                        self.add(What::Words(Text::whole(text)));
                    }
                    for call in message["tool_calls"].as_array().into_iter().flatten() {
                        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                        let function = &call["function"];
                        let arguments = Arguments::parse(&word(&function["arguments"]));
                        let (id, tool) = (word(&call["id"]), word(&function["name"]));
                        let activity = Activity::recalled(&self.say, &id, &tool, &arguments);
                        self.add(What::Activity(Box::new(activity)));
                    }
                }
                Some("tool") => {
                    let result = serde_json::from_str(text).unwrap_or_default();
                    let id = message["tool_call_id"].as_str().unwrap_or_default();
                    let say = self.say.clone();
                    self.edit_activity(id, |activity| activity.recall(&say, &result));
                }
                _ => {}
            }
        }
        self.add(What::Notice(self.say.continued()));
        self.has_unnamed = true;
    }

    /// Calls from before a restart, by the names of the page. What it does not know keeps the name it has.
    fn name_recalled(&mut self, names: &Names) {
        self.has_unnamed = false;
        for entry in &mut Arc::make_mut(&mut self.log).entries {
            if matches!(&entry.what, What::Activity(activity) if activity.is_unnamed()) {
                let entry = Arc::make_mut(entry);
                entry.revision += 1;
                if let What::Activity(activity) = &mut entry.what {
                    activity.name(names);
                }
            }
        }
    }

    /// Forgets everything but the messages that wait.
    fn forget(&mut self) {
        let queued = std::mem::take(&mut Arc::make_mut(&mut self.log).queued);
        self.log = Arc::new(Log {
            queued,
            ..Log::default()
        });
    }

    fn add(&mut self, what: What) {
        let log = Arc::make_mut(&mut self.log);
        log.entries.push_back(Arc::new(Entry {
            serial: self.next_serial,
            revision: 0,
            what,
        }));
        self.next_serial += 1;
        while log.entries.len() > MAX_ENTRIES {
            log.entries.pop_front();
            log.dropped += 1;
        }
    }

    /// The text that is being written, to be changed.
    fn open_text(&mut self) -> Option<&mut Text> {
        let last = Arc::make_mut(&mut self.log).entries.back_mut()?;
        if !last.is_open() {
            return None;
        }
        let last = Arc::make_mut(last);
        last.revision += 1;
        match &mut last.what {
            What::Words(text) => Some(text),
            _ => None,
        }
    }

    /// Adds to the text that is being written.
    fn write(&mut self, piece: &str) {
        if let Some(open) = self.open_text() {
            return open.push(piece);
        }
        let mut text = Text::default();
        text.push(piece);
        self.add(What::Words(text));
    }

    /// Removes the text that is being written: it is void, or comes again in one piece.
    fn take_back(&mut self) {
        let log = Arc::make_mut(&mut self.log);
        if log.entries.back().is_some_and(|last| last.is_open()) {
            log.entries.pop_back();
        }
    }

    /// Keeps a text that was cut off as it is.
    fn seal(&mut self) {
        if let Some(open) = self.open_text() {
            open.finish();
        }
    }

    fn edit_activity(&mut self, call_id: &str, edit: impl FnOnce(&mut Activity)) {
        let log = Arc::make_mut(&mut self.log);
        let of_call = |entry: &&mut Arc<Entry>| matches!(&entry.what, What::Activity(own) if own.is_of(call_id));
        if let Some(entry) = log.entries.iter_mut().rev().find(of_call) {
            let entry = Arc::make_mut(entry);
            entry.revision += 1;
            if let What::Activity(activity) = &mut entry.what {
                edit(activity);
            }
        }
    }
}
