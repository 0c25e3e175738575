//! The page's actions without a model: found by a few letters, filled in where they take something, and run by the
//! same executor, with the same questions and receipts.
//!
//! The page is looked at before the palette is drawn: what would lie under it is not taken for covered.

mod fuzzy;
mod items;
mod view;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use egui::{Context, Event, Id, ImeEvent, Key, KeyboardShortcut, Modifiers};
use parking_lot::Mutex;
use pling_core::{
    act::{ActionRef, ApprovalEvent, Arguments, Call, CancellationToken, Executor, Origin, Receipt},
    observe::{Budget, Observation},
};
use serde_json::{Map, Value};
use tokio::sync::broadcast::error::RecvError;

use self::items::{Form, Item};
use super::{composer::is_typing, strings::Strings, transcript::Transcript};
use crate::Pling;

/// Opens and closes it.
const SHORTCUT: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::K);

/// Makes the ids of its calls unique.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// What the palette keeps between passes.
#[derive(Debug, Default)]
pub(super) struct Palette {
    stage: Stage,
    /// Its calls that may not be over, with what ends them.
    calls: Vec<(String, CancellationToken)>,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Closed,
    /// The page is being looked at, and the user begins to type.
    Looking {
        seen: Arc<Mutex<Option<Seen>>>,
        typed: String,
    },
    /// An action is being chosen.
    Choosing(Box<Choosing>),
    /// Its arguments are being written.
    Filling { choosing: Box<Choosing>, form: Box<Form> },
}

/// What came of the look at the page.
type Seen = Result<Arc<Observation>, String>;

/// The list of what can be done, and what was typed to find it.
#[derive(Debug)]
struct Choosing {
    seen: Seen,
    items: Vec<Item>,
    query: String,
    selected: usize,
    fresh: bool,
}

/// What the user did in the palette in this pass.
#[derive(Debug)]
enum Step {
    Close,
    Back,
    /// This item was picked.
    Pick(usize),
    /// The form is to be sent.
    Run(Map<String, Value>),
}

impl Palette {
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.stage, Stage::Closed)
    }

    /// Whether a call of its is not over.
    pub(super) fn is_at_work(&mut self, transcript: &Transcript) -> bool {
        self.calls.retain(|(id, _)| transcript.is_at_work(id));
        !self.calls.is_empty()
    }

    /// Ends its calls at the next safe point.
    pub(super) fn stop(&self) {
        for (_, ends) in &self.calls {
            ends.cancel();
        }
    }
}

/// Takes the shortcut, from wherever the keyboard is, and what is typed before the palette can be drawn.
pub(super) fn keys(ctx: &Context, pling: &Pling, palette: &mut Palette) {
    if takes_shortcut(ctx) {
        palette.toggle(ctx, pling);
    }
    let typed = match &mut palette.stage {
        Stage::Looking { typed, .. } => typed,
        // Its field has not got the keyboard yet.
        Stage::Choosing(choosing) if choosing.fresh => &mut choosing.query,
        _ => return,
    };
    ctx.input_mut(|input| {
        for event in &input.events {
            type_ahead(typed, event);
        }
        input.events.retain(|event| !is_typing(event));
    });
}

/// Enter is left out: what it would run has not been seen.
fn type_ahead(typed: &mut String, event: &Event) {
    match event {
        Event::Text(text) | Event::Paste(text) | Event::Ime(ImeEvent::Commit(text)) => typed.push_str(text),
        Event::Key {
            key: Key::Backspace,
            pressed: true,
            ..
        } => drop(typed.pop()),
        _ => {}
    }
}

/// With exactly its modifiers: an app may have another shortcut with more of them.
fn takes_shortcut(ctx: &Context) -> bool {
    ctx.input_mut(|input| {
        let is_it = |event: &Event| match event {
            Event::Key {
                key,
                pressed: true,
                modifiers,
                ..
            } => *key == SHORTCUT.logical_key && modifiers.matches_exact(SHORTCUT.modifiers),
            _ => false,
        };
        let before = input.events.len();
        input.events.retain(|event| !is_it(event));
        input.events.len() < before
    })
}

impl Palette {
    fn toggle(&mut self, ctx: &Context, pling: &Pling) {
        self.stage = match self.is_open() {
            true => Stage::Closed,
            false => look(ctx, pling),
        };
    }
}

fn look(ctx: &Context, pling: &Pling) -> Stage {
    let seen = Arc::new(Mutex::new(None));
    let seen_later = Arc::clone(&seen);
    let (executor, ctx) = (pling.executor().clone(), ctx.clone());
    pling.spawn(async move {
        let page = executor.host().snapshot().await;
        *seen_later.lock() = Some(match page {
            Ok(snapshot) => Ok(Arc::new(Observation::new(&snapshot, &everything()))),
            Err(refusal) => Err(refusal.message),
        });
        ctx.request_repaint();
    });
    Stage::Looking {
        seen,
        typed: String::new(),
    }
}

/// Draws the palette, if it is open.
pub(super) fn palette_ui(ctx: &Context, pling: &Pling, palette: &mut Palette, id: Id) {
    let (id, say) = (id.with("palette"), pling.say());
    palette.stage = match std::mem::take(&mut palette.stage) {
        Stage::Closed => Stage::Closed,
        Stage::Looking { seen, typed } => {
            let come = seen.lock().take();
            let is_left = ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape));
            match come {
                _ if is_left => Stage::Closed,
                Some(seen) => Stage::Choosing(Box::new(Choosing::new(say, seen, typed))),
                None => Stage::Looking { seen, typed },
            }
        }
        Stage::Choosing(mut choosing) => match view::choosing_ui(ctx, say, id, &mut choosing) {
            None => Stage::Choosing(choosing),
            Some(Step::Pick(index)) => pick(ctx, pling, &mut palette.calls, choosing, index),
            Some(_) => Stage::Closed,
        },
        Stage::Filling { mut choosing, mut form } => match view::form_ui(ctx, say, id, &mut form) {
            None => Stage::Filling { choosing, form },
            Some(Step::Back) => {
                choosing.fresh = true;
                Stage::Choosing(choosing)
            }
            Some(Step::Run(arguments)) => {
                palette.calls.extend(run(ctx, pling, &choosing, &form.item, arguments));
                Stage::Closed
            }
            Some(_) => Stage::Closed,
        },
    };
}

impl Choosing {
    fn new(say: &Strings, seen: Seen, query: String) -> Self {
        let items = seen.as_ref().map_or_else(|_| Vec::new(), |seen| items::all(say, seen));
        Self {
            seen,
            items,
            query,
            selected: 0,
            fresh: true,
        }
    }
}

/// An item was picked: it runs at once if it takes nothing more.
fn pick(
    ctx: &Context,
    pling: &Pling,
    calls: &mut Vec<(String, CancellationToken)>,
    choosing: Box<Choosing>,
    index: usize,
) -> Stage {
    let Some(item) = choosing.items.get(index).cloned() else {
        return Stage::Choosing(choosing);
    };
    let form = Box::new(Form::new(item));
    if form.is_needed() {
        return Stage::Filling { choosing, form };
    }
    calls.extend(run(ctx, pling, &choosing, &form.item, form.fixed()));
    Stage::Closed
}

/// Sends the call on its way, and returns its id and what ends it. Its story is told in the conversation, as that of a
/// model's call is.
fn run(
    ctx: &Context,
    pling: &Pling,
    choosing: &Choosing,
    item: &Item,
    arguments: Map<String, Value>,
) -> Option<(String, CancellationToken)> {
    let seen = choosing.seen.clone().ok()?;
    let id = format!("palette-{}", CALLS.fetch_add(1, Ordering::Relaxed));
    let shown = if item.sensitive { Map::new() } else { arguments.clone() };
    let record = item.record.as_ref().map(|(id, _)| id.clone());
    let action = ActionRef::new(item.action.clone(), item.description.clone(), record);
    let transcript = Arc::clone(pling.transcript());
    transcript.began(&id, &action, &item.tool, &Arguments::Object(shown));
    let mut call = Call::new(id.clone(), item.tool.clone(), Arguments::Object(arguments), seen);
    call.origin = Origin::User;
    let ends = CancellationToken::new();
    let (executor, ctx, told, ended) = (pling.executor().clone(), ctx.clone(), id.clone(), ends.clone());
    // The user may ask again for what they said no to.
    executor.forget_denials();
    pling.spawn(async move {
        let receipt = invoke(&executor, call, &ended, &transcript).await;
        transcript.ended(&told, &receipt);
        ctx.request_repaint();
    });
    Some((id, ends))
}

/// Runs a call, and tells of its questions. The session tells of its own only.
async fn invoke(executor: &Executor, call: Call, ends: &CancellationToken, transcript: &Transcript) -> Receipt {
    let id = call.id.clone();
    let mut questions = executor.approvals().subscribe();
    let mut receipt = std::pin::pin!(executor.invoke(call, ends));
    loop {
        tokio::select! {
            biased;
            event = questions.recv() => match event {
                Ok(event) if is_about(&event, &id) => transcript.asked(&event),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return receipt.await,
            },
            receipt = &mut receipt => return receipt,
        }
    }
}

fn is_about(event: &ApprovalEvent, id: &str) -> bool {
    match event {
        ApprovalEvent::Asked(approval) => approval.call_id == id,
        ApprovalEvent::Decided { call_id, .. } => call_id == id,
    }
}

/// A budget under which every action has a tool of its own.
fn everything() -> Budget {
    let mut budget = Budget::default();
    budget.max_actions = usize::MAX;
    budget
}
