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

use egui::{Context, Id, Key, KeyboardShortcut, Modifiers};
use parking_lot::Mutex;
use pling_core::{
    act::{ActionRef, Arguments, Call, CancellationToken, Origin},
    agent::Event,
    observe::{Budget, Observation},
};
use serde_json::{Map, Value};

use self::items::{Form, Item};
use crate::Pling;

/// Opens and closes it.
const SHORTCUT: KeyboardShortcut = KeyboardShortcut::new(Modifiers::COMMAND, Key::K);

/// Makes the ids of its calls unique.
static CALLS: AtomicU64 = AtomicU64::new(1);

/// What the palette keeps between passes.
#[derive(Debug, Default)]
pub(super) struct Palette {
    stage: Stage,
}

#[derive(Debug, Default)]
enum Stage {
    #[default]
    Closed,
    /// The page is being looked at.
    Looking(Arc<Mutex<Option<Seen>>>),
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
}

/// Takes the shortcut, from wherever the keyboard is.
pub(super) fn shortcut(ctx: &Context, pling: &Pling, palette: &mut Palette) {
    if !ctx.input_mut(|input| input.consume_shortcut(&SHORTCUT)) {
        return;
    }
    if palette.is_open() {
        palette.stage = Stage::Closed;
        return;
    }
    let seen = Arc::new(Mutex::new(None));
    palette.stage = Stage::Looking(Arc::clone(&seen));
    let (executor, ctx) = (pling.executor().clone(), ctx.clone());
    pling.spawn(async move {
        let page = executor.host().snapshot().await;
        *seen.lock() = Some(match page {
            Ok(snapshot) => Ok(Arc::new(Observation::new(&snapshot, &everything()))),
            Err(refusal) => Err(refusal.message),
        });
        ctx.request_repaint();
    });
}

/// Draws the palette, if it is open.
pub(super) fn palette_ui(ctx: &Context, pling: &Pling, palette: &mut Palette, id: Id) {
    let id = id.with("palette");
    palette.stage = match std::mem::take(&mut palette.stage) {
        Stage::Closed => Stage::Closed,
        Stage::Looking(seen) => {
            let come = seen.lock().take();
            match come {
                Some(seen) => Stage::Choosing(Box::new(Choosing::new(seen))),
                None => Stage::Looking(seen),
            }
        }
        Stage::Choosing(mut choosing) => match view::choosing_ui(ctx, id, &mut choosing) {
            None => Stage::Choosing(choosing),
            Some(Step::Pick(index)) => pick(ctx, pling, choosing, index),
            Some(_) => Stage::Closed,
        },
        Stage::Filling { mut choosing, mut form } => match view::form_ui(ctx, id, &mut form) {
            None => Stage::Filling { choosing, form },
            Some(Step::Back) => {
                choosing.fresh = true;
                Stage::Choosing(choosing)
            }
            Some(Step::Run(arguments)) => {
                run(ctx, pling, &choosing, &form.item, arguments);
                Stage::Closed
            }
            Some(_) => Stage::Closed,
        },
    };
}

impl Choosing {
    fn new(seen: Seen) -> Self {
        let items = seen.as_ref().map_or_else(|_| Vec::new(), |seen| items::all(seen));
        Self {
            seen,
            items,
            query: String::new(),
            selected: 0,
            fresh: true,
        }
    }
}

/// An item was picked: it runs at once if it takes nothing more.
fn pick(ctx: &Context, pling: &Pling, choosing: Box<Choosing>, index: usize) -> Stage {
    let Some(item) = choosing.items.get(index).cloned() else {
        return Stage::Choosing(choosing);
    };
    let form = Box::new(Form::new(item));
    if form.is_needed() {
        return Stage::Filling { choosing, form };
    }
    run(ctx, pling, &choosing, &form.item, form.fixed());
    Stage::Closed
}

/// Sends the call on its way. Its story is told in the conversation, as that of a model's call is.
fn run(ctx: &Context, pling: &Pling, choosing: &Choosing, item: &Item, arguments: Map<String, Value>) {
    let Ok(seen) = choosing.seen.clone() else { return };
    let id = format!("palette-{}", CALLS.fetch_add(1, Ordering::Relaxed));
    let shown = if item.sensitive { Map::new() } else { arguments.clone() };
    let record = item.record.as_ref().map(|(id, _)| id.clone());
    pling.transcript().take(&Event::Call {
        id: id.clone(),
        action: Some(ActionRef::new(item.action.clone(), item.description.clone(), record)),
        tool: item.tool.clone(),
        arguments: Arguments::Object(shown),
    });
    let mut call = Call::new(id.clone(), item.tool.clone(), Arguments::Object(arguments), seen);
    call.origin = Origin::User;
    let (executor, own, ctx) = (pling.executor().clone(), pling.clone(), ctx.clone());
    // The user may ask again for what they said no to.
    executor.forget_denials();
    pling.spawn(async move {
        let receipt = executor.invoke(call, &CancellationToken::new()).await;
        own.transcript().take(&Event::Receipt {
            id,
            receipt: Arc::new(receipt),
        });
        ctx.request_repaint();
    });
}

/// A budget under which every action has a tool of its own.
fn everything() -> Budget {
    let mut budget = Budget::default();
    budget.max_actions = usize::MAX;
    budget
}
