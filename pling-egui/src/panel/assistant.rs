//! The panel: header, what is looked at, and at the bottom what waits for the user.

use egui::{
    Area, Context, Event, Frame, Id, Key, Margin, Order, Panel, Popup, Rect, Ui, UiBuilder, Window, pos2,
    text_edit::TextEditState, vec2,
};
use pling_core::{act::Origin, agent::Status};

use super::{
    approval_card::approval_ui,
    card::{Answer, is_read},
    composer::Wish,
    composer::keep_typing,
    conversation::conversation_ui,
    desk::{Denial, Desk, View, with_desk},
    handoff_card::handoff_ui,
    header::header_ui,
    inspector::inspector_ui,
    link_card::{keep_back_links, link_ui},
    look::{MARGIN, aside},
    palette::{self, palette_ui},
    presence::{give_way, presence_ui},
    settings::{restore, settings_ui},
    suggestions::suggestions_ui,
};
use crate::{Pling, collect};

/// Points at first.
const DEFAULT_WIDTH: f32 = 340.0;
/// Points at least.
const MIN_WIDTH: f32 = 260.0;
/// Points at first, as a window.
const DEFAULT_HEIGHT: f32 = 440.0;
/// Points that the composer and a little of the conversation keep beside a card.
const BESIDE_CARD: f32 = 160.0;
/// Points of a card that are shown at least.
const MIN_CARD: f32 = 120.0;

/// The assistant: conversation, questions to the user, and where to write; an inspector, and settings. With it come a
/// palette of the page's actions (Ctrl+K, on a Mac Cmd+K) and an outline around the widget that is operated. The chapter
/// is [`crate::doc::panel`].
///
/// ```
/// # use pling_egui::{AssistantPanel, Pling};
/// fn ui(ui: &mut egui::Ui, pling: &Pling) {
///     AssistantPanel::new(pling).show(ui);
///     egui::CentralPanel::default().show(ui, |ui| ui.label("The app"));
/// }
/// ```
#[derive(Debug)]
#[must_use = "nothing is drawn until `show(ui)`"]
pub struct AssistantPanel<'a> {
    pling: &'a Pling,
}

impl<'a> AssistantPanel<'a> {
    /// The panel of one Pling.
    pub fn new(pling: &'a Pling) -> Self {
        Self { pling }
    }

    /// Adds the panel to the right of a root `Ui`, before the central panel. Keys typed into it are kept from
    /// what is drawn after it.
    pub fn show(self, ui: &mut Ui) {
        let id = ui.scope_id().with("pling.assistant");
        let frame = Frame::side_top_panel(ui.style()).inner_margin(Margin::same(MARGIN));
        Panel::right(id)
            .resizable(true)
            .default_size(DEFAULT_WIDTH)
            .min_size(MIN_WIDTH)
            .frame(frame)
            .show(ui, |ui| self.contents_ui(ui, id));
    }

    /// Shows the assistant as a window inside the app's, as long as it is `open`.
    pub fn show_window(self, ctx: &Context, open: &mut bool) {
        let id = Id::unique("pling.window");
        // At the side: what lies under a window cannot be operated.
        let corner = ctx.content_rect().right_top() + vec2(-DEFAULT_WIDTH - 40.0, 16.0);
        Window::new(self.pling.say().assistant())
            .id(id)
            .open(open)
            .default_pos(corner)
            .default_size(vec2(DEFAULT_WIDTH, DEFAULT_HEIGHT))
            .min_width(MIN_WIDTH)
            // Folded up, it would work unseen, and nothing in it could be asked or stopped.
            .collapsible(false)
            .show(ctx, |ui| self.contents_ui(ui, id));
    }

    /// Draws the assistant into a `Ui` of the app's, and fills it.
    pub fn ui(self, ui: &mut Ui) {
        let id = ui.scope_id().with("pling.assistant");
        self.contents_ui(ui, id);
    }

    fn contents_ui(self, ui: &mut Ui, id: Id) {
        let ctx = ui.ctx().clone();
        let rect = ui.max_rect().expand(f32::from(MARGIN));
        with_desk(&ctx, id, |desk| {
            // Before anything takes the keys it is meant for.
            give_way(&ctx, self.pling, rect, desk.palette.is_open());
            restore(&ctx, self.pling, &mut desk.settings);
            palette::keys(&ctx, self.pling, &mut desk.palette);
            let typing = Typing::before(&ctx);
            in_front(ui, id, |ui| panel_ui(ui, self.pling, desk, id));
            // The palette lies over the panel, and keeps its own.
            if !desk.palette.is_open() && typing.is_ours(&ctx) {
                keep_typing(ui);
            }
            palette_ui(&ctx, self.pling, &mut desk.palette, id);
            presence_ui(&ctx, self.pling, desk);
        });
    }
}

/// Where the keyboard is before the panel is drawn.
struct Typing {
    /// The widget that has it, unless that was drawn already.
    field: Option<Id>,
    /// Whether anything of the app's that was drawn already has it.
    is_elsewhere: bool,
}

impl Typing {
    fn before(ctx: &Context) -> Self {
        let field = ctx.memory(|memory| memory.focused());
        let is_elsewhere = field.is_some_and(|id| is_drawn(ctx, id));
        Self {
            field: field.filter(|_| !is_elsewhere),
            is_elsewhere,
        }
    }

    /// Whether it was in a text field of what was drawn since. An Enter there has taken it away.
    fn is_ours(&self, ctx: &Context) -> bool {
        let now = ctx.memory(|memory| memory.focused()).filter(|_| !self.is_elsewhere);
        let mut fields = self.field.into_iter().chain(now);
        fields.any(|id| is_drawn(ctx, id) && TextEditState::load(ctx, id).is_some())
    }
}

fn is_drawn(ctx: &Context, id: Id) -> bool {
    ctx.viewport(|viewport| viewport.this_pass.widgets.contains(id))
}

/// A modal of the app takes all input that is not in front of it. While there is one, the panel is drawn in front:
/// the user must be able to stop the assistant, and to answer what it asks about the modal.
fn in_front(ui: &mut Ui, id: Id, add_contents: impl FnOnce(&mut Ui)) {
    if ui.memory(|memory| memory.top_modal_layer().is_none()) {
        return add_contents(ui);
    }
    let (rect, scope) = (ui.max_rect(), ui.scope_id());
    // The panel keeps its place and size.
    ui.expand_to_include_rect(rect);
    let area = Area::new(id.with("front"))
        .order(Order::Foreground)
        .movable(false)
        .constrain(false)
        .fixed_pos(rect.min);
    let layer = area.layer();
    area.show(ui.ctx(), |ui| {
        ui.painter()
            .rect_filled(rect.expand(f32::from(MARGIN)), 0.0, ui.visuals().panel_fill);
        ui.scope_builder(
            UiBuilder::new().scope_id(scope.with("front")).max_rect(rect),
            add_contents,
        );
    });
    ui.move_to_top(layer);
}

fn panel_ui(ui: &mut Ui, pling: &Pling, desk: &mut Desk, id: Id) {
    collect::own(ui);
    let (session, transcript) = (pling.session(), pling.transcript());
    let log = transcript.log();
    let clear = header_ui(ui, pling, &mut desk.view, log.is_empty());
    let is_running = session.status() == Status::Running || desk.palette.is_at_work(transcript);
    ui.add_space(4.0);
    let room = ui.available_rect_before_wrap();
    let cut = (room.bottom() - desk.bottom_height).max(room.top());
    let (above, below) = room.split_top_bottom_at_y(cut);
    let part = |name: &str, rect: Rect| UiBuilder::new().scope_id(id.with(name)).max_rect(rect);
    let max_card = (room.height() - BESIDE_CARD).max(MIN_CARD);
    let bottom = ui.scope_builder(part("bottom", below), |ui| {
        ui.add_space(8.0);
        bottom_ui(ui, pling, desk, id, max_card, is_running)
    });
    let height = bottom.response.rect.height();
    if (height - desk.bottom_height).abs() > 0.5 {
        // What is above it begins somewhere else: nothing of this pass is shown.
        desk.bottom_height = height;
        ui.ctx().request_discard("the height of Pling's composer");
    }
    let above = Rect::from_min_max(above.min, pos2(above.right(), above.bottom()));
    ui.scope_builder(part("view", above), |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(above.expand2(vec2(f32::from(MARGIN), 0.0))));
        match desk.view {
            View::Chat => {
                let ((), clicked) = keep_back_links(ui, |ui| conversation_ui(ui, pling, &log, desk));
                desk.link = clicked.or(desk.link.take());
            }
            View::Inspector => inspector_ui(ui, pling, &mut desk.inspector),
            View::Settings => settings_ui(ui, pling, &mut desk.settings),
        }
        ui.expand_to_include_rect(above);
    });
    // Another program's question is not the session's to withdraw. One that nobody has read yet is not answered.
    let foreign = session.waiting_for().into_iter().next();
    let foreign = foreign.filter(|card| !matches!(card.origin, Origin::Assistant | Origin::User));
    let foreign = foreign.filter(|card| card.call_id == desk.denial.call_id && is_read(ui, &desk.denial));
    let escape = esc_stops(ui.ctx(), desk, id.with("composer"), is_running || foreign.is_some());
    if escape && let Some(card) = &foreign {
        session.deny(&card.call_id, None);
    }
    let stop = bottom.inner || (escape && foreign.is_none());
    if stop {
        session.cancel();
    }
    if stop || clear {
        desk.palette.stop();
    }
    if clear {
        session.reset();
        session.reset_telemetry();
        transcript.clear();
    }
}

/// Whether Esc was pressed to stop what is running. What is in front of that goes first: something of the app's that
/// closes on Esc, the palette, the question about a link, the words of a denial.
fn esc_stops(ctx: &Context, desk: &mut Desk, composer: Id, is_running: bool) -> bool {
    let has_modal = ctx.memory(|memory| memory.top_modal_layer().is_some());
    let is_taken = Popup::is_any_open(ctx) || has_modal || desk.palette.is_open();
    let was_taken = std::mem::replace(&mut desk.esc_is_taken, is_taken);
    if is_taken || was_taken {
        return false;
    }
    // An input method closes what it offers with it.
    if desk.composer.is_composed() {
        return false;
    }
    let focused = ctx.memory(|memory| memory.focused());
    let is_writing_why = focused.is_some() && focused == desk.denial.field;
    if !is_running && desk.link.is_none() && !is_writing_why {
        return false;
    }
    let is_held = ctx.input(|input| input.events.iter().any(is_repeat));
    if !ctx.input_mut(|input| input.consume_key(egui::Modifiers::NONE, Key::Escape)) || is_held {
        return false;
    }
    if desk.link.take().is_some() {
        return false;
    }
    if is_writing_why {
        ctx.memory_mut(|memory| memory.request_focus(composer));
        return false;
    }
    true
}

/// Whether it is the Esc of a key that is held down: it was meant for what is gone.
fn is_repeat(event: &Event) -> bool {
    matches!(
        event,
        Event::Key {
            key: Key::Escape,
            pressed: true,
            repeat: true,
            ..
        }
    )
}

/// What waits for the user, and where to write. Whether they want to stop what is running.
fn bottom_ui(ui: &mut Ui, pling: &Pling, desk: &mut Desk, id: Id, max_card: f32, is_running: bool) -> bool {
    let (session, transcript, say) = (pling.session(), pling.transcript(), pling.say());
    let composer = id.with("composer");
    link_ui(ui, say, &mut desk.link);
    let open = session.waiting_for();
    if let Some(card) = open.first() {
        if desk.denial.call_id != card.call_id {
            desk.denial = Denial {
                call_id: card.call_id.clone(),
                why: String::new(),
                since: ui.input(|input| input.time),
                field: None,
            };
        }
        let area = egui::ScrollArea::vertical().id_salt("card").max_height(max_card);
        // A button of one card never takes what was meant for that of another.
        let card_ui = |ui: &mut egui::Ui| match card.handoff {
            Some(_) => handoff_ui(ui, say, card, &mut desk.denial, composer),
            None => approval_ui(ui, say, card, &mut desk.denial, composer),
        };
        let answer = area
            .auto_shrink([false, true])
            .show(ui, |ui| ui.push_id(&card.call_id, card_ui).inner);
        if answer.inner.is_some() {
            ui.memory_mut(|memory| memory.request_focus(composer));
        }
        // An answer to a question that is not open any more does nothing.
        match answer.inner {
            Some(Answer::Allow) => drop(session.approve(&card.call_id)),
            Some(Answer::AllowForSession) => drop(session.approve_for_session(&card.call_id)),
            Some(Answer::Done) => drop(session.complete(&card.call_id)),
            Some(Answer::Deny(why)) => drop(session.deny(&card.call_id, why)),
            None => {}
        }
        if open.len() > 1 {
            ui.label(aside(ui, say.more_questions(open.len() - 1)));
        }
        ui.add_space(4.0);
    }
    let hint = match open.first() {
        None => say.hint(),
        Some(card) if card.handoff.is_some() => say.hint_handoff(),
        Some(_) => say.hint_card(),
    };
    if desk.view == View::Chat
        && desk.composer.is_empty()
        && !is_running
        && transcript.log().is_empty()
        && let Some(text) = suggestions_ui(ui, pling, &mut desk.suggestions)
    {
        desk.composer.write(ui.ctx(), composer, text);
    }
    match desk.composer.ui(ui, composer, hint, is_running, pling) {
        Some(Wish::Send(text)) => {
            desk.view = View::Chat;
            desk.jump = true;
            // The session answers its own question; one of the palette or of a client is answered here.
            if let Some(card) = open.first().filter(|card| card.origin != Origin::Assistant) {
                session.deny(&card.call_id, Some(text.clone()));
            }
            transcript.sent(&text);
            // The run goes on without the future.
            drop(session.send(text));
        }
        Some(Wish::Stop) => return true,
        None => {}
    }
    false
}
