//! What a screen reader says by itself: the latest thing that happened in the conversation, in one line.
//!
//! An answer is many widgets, and what is out of view is not there at all; so it is told in a place of its own that
//! nobody sees. Cards and the status line speak for themselves.

use egui::{Rect, Role, Sense, Ui, Vec2, WidgetInfo, accesskit::Live};

use super::{
    activity::{Activity, State},
    card::announce,
    log::{Log, What},
    strings::Strings,
    visible::visible_line,
};

/// Characters that are said at most.
const MAX_CHARS: usize = 600;

/// Says what the last entry says, once that is complete.
pub(super) fn voice_ui(ui: &mut Ui, say: &Strings, log: &Log) {
    if ui
        .ctx()
        .viewport(|viewport| viewport.this_pass.accesskit_state.is_none())
    {
        return;
    }
    let words = log.entries.back().and_then(|last| match &last.what {
        // The user's own words need no echo.
        What::User(_) => None,
        What::Words(text) => (!text.open).then(|| visible_line(&text.beginning(MAX_CHARS), MAX_CHARS)),
        What::Activity(activity) => Some(of_activity(say, activity)),
        What::Notice(message) => Some(message.clone()),
        What::Error { message, fix, .. } => Some(say.list(message, fix)),
    });
    let Some(words) = words else { return };
    // It takes no room.
    let place = Rect::from_min_size(ui.min_rect().left_bottom(), Vec2::ZERO);
    let response = ui.interact(place, ui.scope_id().with("voice"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words.clone()));
    announce(&response, Live::Polite);
}

fn of_activity(say: &Strings, activity: &Activity) -> String {
    let title = match &activity.record {
        Some(record) => say.item_record(&activity.title, record),
        None => activity.title.clone(),
    };
    let state = match &activity.state {
        State::Running => return title,
        State::Waiting => say.call_waiting(),
        State::Done { changed, warning: None } => changed.clone(),
        State::Done {
            changed,
            warning: Some(warning),
        } => say.list(changed, warning),
        State::Failed { message, .. } => message.clone(),
    };
    say.changed(&title, &state)
}
