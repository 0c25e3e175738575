//! What the panel remembers from pass to pass: the user's unsent words above all.

use std::{mem, sync::Arc};

use egui::{Context, Id, OpenUrl};
use parking_lot::Mutex;

use super::{
    column::Heights, composer::Composer, entry::Drawn, inspector::Inspector, palette::Palette, presence::Presence,
    settings::Draft, suggestions::Suggestions,
};

/// What the panel remembers.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) view: View,
    pub(super) composer: Composer,
    pub(super) suggestions: Suggestions,
    /// The answer being written to the open question: its call and why it is denied.
    pub(super) denial: Denial,
    /// A link that the user clicked and has not agreed to follow.
    pub(super) link: Option<OpenUrl>,
    /// Whether a popup or modal that closes on Esc was open at the end of the last pass.
    pub(super) esc_is_taken: bool,
    /// Points of the composer and what is above it, as they were last.
    pub(super) bottom_height: f32,
    /// Whether the end of the conversation is to be shown.
    pub(super) jump: bool,
    /// Whether it was shown in the last pass.
    pub(super) at_end: bool,
    pub(super) inspector: Inspector,
    pub(super) settings: Draft,
    pub(super) palette: Palette,
    pub(super) presence: Presence,
    /// Heights of the entries, by serial; for a revision of each, and whether it was the last.
    pub(super) heights: Heights<u64, (u32, bool)>,
    pub(super) drawn: Drawn,
}

/// What the panel shows above the composer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum View {
    /// The conversation.
    #[default]
    Chat,
    /// What the assistant sees.
    Inspector,
    /// Who answers, and what it may spend.
    Settings,
}

/// Words of a denial.
#[derive(Default)]
pub(super) struct Denial {
    /// The call they are about.
    pub(super) call_id: String,
    /// The words.
    pub(super) why: String,
    /// When the question was first shown, in egui's seconds.
    pub(super) since: f64,
    /// Where they are written.
    pub(super) field: Option<Id>,
}

/// Lends the panel's memory to a closure. No lock is held meanwhile.
pub(super) fn with_desk<R>(ctx: &Context, id: Id, then: impl FnOnce(&mut Desk) -> R) -> R {
    let shared = ctx.data_mut(|data| Arc::clone(data.get_temp_mut_or_default::<Arc<Mutex<Desk>>>(id)));
    let mut desk = mem::take(&mut *shared.lock());
    let result = then(&mut desk);
    *shared.lock() = desk;
    result
}
