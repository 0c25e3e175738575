//! The palette on the screen, by keyboard first.

use egui::{
    Align2, Area, Button, ComboBox, Context, Event, EventFilter, Frame, Id, Key, Order, Popup, Response, ScrollArea,
    TextEdit, Ui, vec2,
};

use super::{
    Choosing, Step,
    fuzzy::score,
    items::{Field, FieldKind, Form},
};
use crate::panel::{
    composer::{caret_to_end, is_composed, keep_typing},
    look::{aside, detail},
    strings::Strings,
    visible::visible,
};

/// Points at most.
const WIDTH: f32 = 460.0;
/// Points from the top of the window.
const FROM_TOP: f32 = 48.0;
/// Points before the list scrolls.
const LIST_HEIGHT: f32 = 260.0;
/// Lines that are shown of what fits.
const MAX_SHOWN: usize = 60;

/// Draws the list. Enter runs what is selected.
pub(super) fn choosing_ui(ctx: &Context, say: &Strings, id: Id, choosing: &mut Choosing) -> Option<Step> {
    let query = id.with("query");
    let escape = takes(ctx, Key::Escape);
    // A row that has the keyboard answers to it as any button does.
    let is_typing = choosing.fresh || ctx.memory(|memory| memory.focused().is_none_or(|focused| focused == query));
    let keys = [Key::ArrowDown, Key::ArrowUp, Key::Enter];
    let [down, up, enter] = keys.map(|key| is_typing && takes(ctx, key));
    let fitting = fitting(choosing);
    let last = fitting.len().saturating_sub(1);
    choosing.selected = match (down, up) {
        (true, _) => (choosing.selected + 1).min(last),
        (_, true) => choosing.selected.min(last).saturating_sub(1),
        _ => choosing.selected.min(last),
    };
    let mut step = None;
    let has_moved = down || up;
    let outside = popup_ui(ctx, id, |ui| {
        if choosing.fresh {
            caret_to_end(ctx, query, &choosing.query);
        }
        let field = TextEdit::singleline(&mut choosing.query)
            .id(query)
            .hint_text(say.find_hint())
            .desired_width(f32::INFINITY)
            .event_filter(EventFilter {
                tab: false,
                horizontal_arrows: true,
                vertical_arrows: true,
                escape: true,
            });
        let field = ui.add(field).accessible_name(say.find());
        if std::mem::take(&mut choosing.fresh) {
            field.request_focus();
        }
        if field.changed() {
            choosing.selected = 0;
        }
        if field.has_focus() {
            keep_typing(ui);
        }
        if let Err(message) = &choosing.seen {
            ui.colored_label(ui.visuals().error_fg_color, visible(&say.no_page(message)));
        } else if fitting.is_empty() {
            ui.label(aside(ui, say.nothing_fits()));
        }
        ScrollArea::vertical()
            .max_height(LIST_HEIGHT)
            .auto_shrink([false, true])
            .show(ui, |ui| {
                for (row, index) in fitting.iter().enumerate() {
                    if row_ui(ui, say, choosing, row, *index, has_moved) {
                        step = Some(Step::Pick(*index));
                    }
                }
            });
        ui.label(aside(ui, say.find_keys()));
    });
    if enter
        && let Some(index) = fitting.get(choosing.selected)
        && choosing.items[*index].reason.is_none()
    {
        step = Some(Step::Pick(*index));
    }
    if escape || outside { Some(Step::Close) } else { step }
}

/// The items that fit what was typed, the best first.
fn fitting(choosing: &Choosing) -> Vec<usize> {
    let query = choosing.query.trim();
    let items = choosing.items.iter().enumerate();
    let mut found: Vec<_> = items
        .filter_map(|(index, item)| Some((item.reason.is_some(), -score(query, &item.line)?, index)))
        .collect();
    found.sort_unstable();
    found.truncate(MAX_SHOWN);
    found.into_iter().map(|(_, _, index)| index).collect()
}

fn row_ui(ui: &mut Ui, say: &Strings, choosing: &Choosing, row: usize, index: usize, has_moved: bool) -> bool {
    let item = &choosing.items[index];
    let is_selected = row == choosing.selected;
    let text = match &item.reason {
        Some(reason) => say.item_reason(&item.line, reason),
        None => item.line.clone(),
    };
    let button = Button::selectable(is_selected, text)
        .truncate()
        .min_size(vec2(ui.available_width(), 0.0));
    let id = ui.scope_id().with(("row", index));
    let builder = egui::UiBuilder::new().scope_id(id);
    let response = ui
        .scope_builder(builder, |ui| ui.add_enabled(item.reason.is_none(), button))
        .inner;
    if is_selected && has_moved {
        response.scroll_to_me(None);
    }
    response.clicked()
}

/// Takes a key for the palette. What is open in it, such as a choice, has it first; an input method's is not the user's, and
/// a key that is held down was meant for what was there before, unless it is an arrow.
fn takes(ctx: &Context, key: Key) -> bool {
    if Popup::is_any_open(ctx) {
        return false;
    }
    ctx.input_mut(|input| {
        let is_of_user = !is_composed(input);
        let mut is_taken = false;
        input.events.retain(|event| match event {
            Event::Key {
                key: pressed,
                pressed: true,
                repeat,
                modifiers,
                ..
            } if *pressed == key && modifiers.is_none() => {
                is_taken |= !repeat || matches!(key, Key::ArrowDown | Key::ArrowUp);
                false
            }
            _ => true,
        });
        is_taken && is_of_user
    })
}

/// Draws the form of an action. Enter in one of its fields runs it, Esc goes back.
pub(super) fn form_ui(ctx: &Context, say: &Strings, id: Id, form: &mut Form) -> Option<Step> {
    let escape = takes(ctx, Key::Escape);
    let field_id = |index: usize| id.with(("field", index));
    let mut texts = form.fields.iter().enumerate().filter(|(_, field)| field.is_written());
    let focused = ctx.memory(|memory| memory.focused());
    let is_typing = !form.fresh && texts.any(|(index, _)| focused == Some(field_id(index)));
    let enter = is_typing && takes(ctx, Key::Enter);
    let mut step = None;
    let outside = popup_ui(ctx, id.with("form"), |ui| {
        ui.strong(&form.item.line);
        let fresh = std::mem::take(&mut form.fresh);
        for (index, field) in form.fields.iter_mut().enumerate() {
            field_ui(ui, say, field_id(index), field, fresh && index == 0);
        }
        let arguments = form.arguments(say);
        ui.horizontal(|ui| {
            let run = ui.add_enabled(arguments.is_ok(), Button::new(say.run()));
            let can_run = run.clicked() || enter;
            match &arguments {
                Ok(arguments) if can_run => step = Some(Step::Run(arguments.clone())),
                Ok(_) => {}
                Err(missing) => drop(ui.label(detail(ui, visible(missing)))),
            }
            if ui.button(say.back()).clicked() {
                step = Some(Step::Back);
            }
        });
        if ui.memory(|memory| memory.focused().is_some()) {
            keep_typing(ui);
        }
    });
    match (escape, outside) {
        (true, _) => Some(Step::Back),
        (_, true) => Some(Step::Close),
        _ => step,
    }
}

fn field_ui(ui: &mut Ui, say: &Strings, id: Id, field: &mut Field, focus: bool) {
    let name = if field.required {
        field.name.clone()
    } else {
        say.optional(&field.name)
    };
    let label = ui.label(detail(ui, visible(&name)));
    if !field.description.is_empty() {
        ui.label(aside(ui, &field.description));
    }
    let response = match &field.kind {
        FieldKind::Flag => {
            let mut checked = field.said.unwrap_or(true);
            let shown = ui.checkbox(&mut checked, say.yes()).labelled_by(label.id);
            field.said = Some(checked);
            shown
        }
        FieldKind::OptionalFlag => {
            let word = |said: Option<bool>| said.map_or_else(String::new, |yes| if yes { say.yes() } else { say.no() });
            choice_ui(ui, id, word(field.said), |ui| {
                for said in [None, Some(true), Some(false)] {
                    ui.selectable_value(&mut field.said, said, word(said));
                }
            })
            .labelled_by(label.id)
        }
        FieldKind::Choice(choices) => choice_ui(ui, id, visible(&field.text), |ui| {
            for choice in choices {
                ui.selectable_value(&mut field.text, choice.clone(), visible(choice));
            }
        })
        .labelled_by(label.id),
        FieldKind::Text | FieldKind::Secret | FieldKind::Number | FieldKind::Json => {
            let edit = TextEdit::singleline(&mut field.text)
                .id(id)
                .password(field.kind == FieldKind::Secret)
                .desired_width(f32::INFINITY);
            ui.add(edit).labelled_by(label.id)
        }
    };
    if focus {
        response.request_focus();
    }
}

fn choice_ui(ui: &mut Ui, id: Id, chosen: String, choices_ui: impl FnOnce(&mut Ui)) -> Response {
    let choice = ComboBox::from_id_salt(id)
        .selected_text(chosen)
        .width(ui.available_width());
    choice.show_ui(ui, choices_ui).response
}

/// Draws the palette's frame. Whether the user clicked somewhere else.
fn popup_ui(ctx: &Context, id: Id, add_contents: impl FnOnce(&mut Ui)) -> bool {
    // A choice that is open lies beside the palette.
    let has_popup = Popup::is_any_open(ctx);
    let screen = ctx.content_rect();
    let width = WIDTH.min(screen.width() - 24.0);
    let area = Area::new(id)
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, FROM_TOP))
        .show(ctx, |ui| {
            Frame::popup(ui.style()).inner_margin(10.0).show(ui, |ui| {
                ui.set_width(width - 20.0);
                add_contents(ui);
            });
        });
    area.response.clicked_elsewhere() && !has_popup
}
