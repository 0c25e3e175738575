//! One pass's declarations, and how they become a snapshot.
//!
//! The plugin opens a [`Pass`] when a pass begins and somebody waits for facts, and closes it when the pass
//! ends. In between, declarations write into it: it is thread-local, so nothing is locked, and when it is not
//! there nothing is done. What has to be done to the page in this pass, the [`Errand`], travels along.

mod assemble;
#[cfg(feature = "panel")]
mod coverage;
mod facts;
mod nesting;
mod pass;
mod registry;
mod scope;
mod visibility;

use std::cell::{Cell, RefCell};

use egui::{Context, Id, Rect, Response, Ui, ViewportId};
use pling_core::model::{Feedback, Input, RegionPath, StateView};
use serde::Serialize;
use serde_json::Value;

pub(crate) use assemble::assemble;
#[cfg(feature = "panel")]
pub(crate) use coverage::{Bare, BareKind, bare};
pub(crate) use facts::{Kind, Part, read as read_widget, tidy};
pub(crate) use nesting::{Key, Scope};
pub(crate) use pass::{Pass, SeenSource, SeenWidget, WidgetRef};
pub(crate) use registry::{LastSeen, Registry};
#[cfg(feature = "table")]
pub(crate) use scope::{open_cell, open_row};
pub(crate) use scope::{open_record, open_region, within_record};
pub(crate) use visibility::{is_free, share_inside};

use crate::{
    act::Errand,
    declare::{Page, Tool},
};

thread_local! {
    /// Who reads the innermost pass of this thread: [`COLLECTED`], [`DESCRIBED`]. Asked by every declaration.
    static READERS: Cell<u8> = const { Cell::new(0) };
    /// How much the last pass declared: the room that the next one needs.
    static ROOM: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    /// The passes under way on this thread, outermost first; more than one when viewports nest.
    /// `None`: a pass that nobody waits for.
    static PASSES: RefCell<Vec<Option<Pass>>> = const { RefCell::new(Vec::new()) };
    /// What has to be done in the passes under way.
    static ERRAND: RefCell<Option<Errand>> = const { RefCell::new(None) };
}

/// Somebody waits for the facts of the pass.
const COLLECTED: u8 = 1;
/// A screen reader reads the pass.
const DESCRIBED: u8 = 2;

/// Whether somebody waits for the facts of this pass.
#[inline]
pub(crate) fn collecting() -> bool {
    READERS.get() & COLLECTED != 0
}

/// Whether a screen reader reads this pass.
#[inline]
pub(crate) fn describing() -> bool {
    READERS.get() & DESCRIBED != 0
}

/// Whether nobody reads this pass, in either way.
#[inline]
pub(crate) fn unread() -> bool {
    READERS.get() == 0
}

fn readers(collect: bool, describe: bool) -> u8 {
    u8::from(collect) * COLLECTED + u8::from(describe) * DESCRIBED
}

/// Opens a pass. `errand` is kept until the outermost pass of this thread ends.
pub(crate) fn begin(viewport: ViewportId, collect: bool, describe: bool, errand: impl FnOnce() -> Option<Errand>) {
    let outermost = PASSES.with_borrow_mut(|passes| {
        if viewport == ViewportId::ROOT {
            // It is never nested: what is still open was left by a panic in the application's code.
            passes.clear();
        }
        passes.push(collect.then(|| Pass::new(viewport, ROOM.get())));
        passes.len() == 1
    });
    READERS.set(readers(collect, describe));
    if outermost {
        ERRAND.set(if collect { errand() } else { None });
    }
}

/// A pass begins for the errand.
pub(crate) fn begin_errand(ctx: &Context, viewport: ViewportId) {
    with_errand(|_, errand| errand.begin_pass(ctx, viewport));
}

/// A pass ends for the errand, kept or not.
pub(crate) fn end_errand(ctx: &Context, viewport: ViewportId) {
    with_errand(|_, errand| errand.end_pass(ctx, viewport));
}

/// Closes the innermost pass. The errand comes back with the outermost.
pub(crate) fn end() -> (Option<Pass>, Option<Errand>) {
    let (pass, outermost, outer_collects) = PASSES.with_borrow_mut(|passes| {
        let pass = passes.pop().flatten();
        let collects = passes.last().is_some_and(Option::is_some);
        (pass, passes.is_empty(), collects)
    });
    READERS.set(readers(outer_collects, describing() && !outermost));
    if let Some(pass) = &pass {
        ROOM.set((pass.widgets.len(), pass.records.len()));
    }
    (pass, if outermost { ERRAND.take() } else { None })
}

/// Runs Pling's own code on the innermost pass. No application code may run inside.
fn with<R>(work: impl FnOnce(&mut Pass, &mut Option<Errand>) -> R) -> Option<R> {
    if !collecting() {
        return None;
    }
    PASSES.with_borrow_mut(|passes| {
        let pass = passes.last_mut()?.as_mut()?;
        ERRAND.with_borrow_mut(|errand| Some(work(pass, errand)))
    })
}

/// Like [`with`], for what only concerns the errand.
pub(crate) fn with_errand<R>(work: impl FnOnce(&mut Pass, &mut Errand) -> R) -> Option<R> {
    with(|pass, errand| errand.as_mut().map(|errand| work(pass, errand))).flatten()
}

/// A declared value as JSON; one that cannot be serialized becomes `null` and a fault.
pub(crate) fn to_value(name: &str, value: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(value).unwrap_or_else(|error| {
        fault(format!("the value of \"{name}\" cannot be serialized: {error}"));
        Value::Null
    });
    facts::tidy_all(&mut value);
    value
}

/// Reports a mistake in declarations.
pub(crate) fn fault(text: String) {
    with(|pass, _| pass.faults.push(text));
}

/// Tells a screen reader more about a widget than its own words, where nothing else does.
pub(crate) fn describe(ctx: &Context, id: Id, text: &str) {
    if describing() && !text.is_empty() && ctx.has_accesskit_node(id) {
        ctx.accesskit_node_builder(id, |node| {
            if node.description().is_none() {
                node.set_description(text);
            }
        });
    }
}

/// What is drawn in this `Ui` is Pling's own, and none of the page.
#[cfg(feature = "panel")]
pub(crate) fn own(ui: &Ui) {
    with(|pass, _| pass.own.push(ui.unique_id()));
}

/// A widget was added and declared.
pub(crate) fn tool(mut response: Response, tool: Tool) -> Response {
    let declared = tool.into_action(Input::Click);
    with(|pass, errand| {
        let widget = pass.widget(&response, declared);
        if let Some(errand) = errand {
            errand.at_widget(pass, &widget, &mut response);
        }
        pass.hook(&response.ctx, errand, response.id);
        pass.widgets.push(widget);
    });
    response
}

/// A declared widget is about to be added here.
pub(crate) fn before_widget(ui: &Ui, tool: &Tool) {
    with(|pass, errand| pass.hook_of_widget(ui, errand, tool));
}

/// Declarations follow in this `Ui`, which may be that of a popup.
pub(crate) fn within_popup(ui: &Ui) {
    with(|pass, _| pass.within_popup(ui));
}

/// An operation whose widget is not drawn.
pub(crate) fn unavailable(tool: Tool, reason: &str) {
    let mut declared = tool.into_action(Input::Click);
    declared.requires = Some(reason.to_owned());
    with(|pass, _| {
        let widget = pass.function(declared);
        pass.widgets.push(widget);
    });
}

/// An operation without a widget. Returns the arguments of a call that is to be carried out now.
pub(crate) fn function(ui: &Ui, tool: Tool, schema: Value) -> Option<crate::act::FunctionCall> {
    let mut declared = tool.into_action(Input::Schema(schema));
    // It has no widget that could be covered or disabled; its place on the page can.
    let in_the_way = out_of_use(ui).map(str::to_owned);
    declared.requires = in_the_way.or(declared.requires);
    with(|pass, errand| {
        let widget = pass.function(declared);
        let call = errand.as_mut().and_then(|errand| errand.at_function(&widget));
        pass.widgets.push(widget);
        call
    })
    .flatten()
}

/// Why a user could do nothing at this place of the page.
fn out_of_use(ui: &Ui) -> Option<&'static str> {
    if !ui.memory(|memory| memory.allows_interaction(ui.layer_id())) {
        return Some("the dialog in front of it has to be answered first");
    }
    if !ui.is_visible() {
        return Some("its part of the page is hidden");
    }
    (!ui.is_enabled()).then_some("its part of the page is disabled")
}

/// A widget shows a field of the record around it. One that is drawn invisible shows nothing.
pub(crate) fn field(response: &Response, name: &str) {
    with(|pass, errand| {
        if response.visible() {
            pass.field(response.id, name);
        }
        pass.hook(&response.ctx, errand, response.id);
    });
}

/// A widget shows a message of the page. One that is drawn invisible shows none.
pub(crate) fn widget_feedback(response: &Response, feedback: impl FnOnce() -> Feedback) {
    with(|pass, errand| {
        if response.visible() {
            pass.feedback(feedback(), Some(response.id));
        }
        pass.hook(&response.ctx, errand, response.id);
    });
}

/// The page shows a message.
pub(crate) fn feedback(feedback: impl FnOnce() -> Feedback, text: &str) {
    with(|pass, _| {
        let mut feedback = feedback();
        text.clone_into(&mut feedback.text);
        pass.feedback(feedback, None);
    });
}

/// A read-only value; `None` when it is withheld.
pub(crate) fn state(id: &str, description: &str, value: Option<&impl Serialize>) {
    if !collecting() {
        return;
    }
    let value = value.map(|value| to_value(id, value));
    with(|pass, _| {
        let mut view = StateView::new(id, description, value);
        view.region = pass.nesting.path();
        pass.state.push(view);
    });
}

/// Where the user is.
pub(crate) fn page(page: Page) {
    with(|pass, _| pass.page = page.into_facts().or(pass.page.take()));
}

/// The app waits for something.
pub(crate) fn busy(reason: &str) {
    with(|pass, _| pass.busy.push(reason.to_owned()));
}

/// A set of records of which only a part is drawn.
pub(crate) fn source(source: SeenSource) {
    with(|pass, _| pass.sources.push(source));
}

/// Where a declaration stands now; `None` while nobody observes.
pub(crate) fn region_here() -> Option<RegionPath> {
    with(|pass, _| pass.nesting.path())
}

/// A scroll area of Pling's own ends.
pub(crate) fn rows_end(source: &SeenSource, parent: &Ui, area: Rect) {
    with_errand(|_, errand| errand.at_rows_end(source, parent, area));
}

/// Takes the errand out of the pass, to run application code with it. It must be put back.
pub(crate) fn take_errand() -> Option<Errand> {
    if collecting() { ERRAND.take() } else { None }
}

/// Puts the errand back.
pub(crate) fn put_errand(errand: Errand) {
    ERRAND.set(Some(errand));
}
