//! A column of which only what is in view is drawn.

use std::{collections::HashMap, fmt::Debug, hash::Hash};

use egui::{Rect, TextStyle, Ui, UiBuilder, vec2};

/// Points beyond the view in which items are drawn, so that a scroll meets them.
const AHEAD: f32 = 60.0;

/// Heights of items as they were drawn, so that items out of view need not be.
pub(super) struct Heights<K, V> {
    /// What they were drawn for.
    layout: Option<(u32, u32)>,
    /// Version and height of each item.
    known: HashMap<K, (V, f32)>,
}

impl<K, V> Default for Heights<K, V> {
    fn default() -> Self {
        Self {
            layout: None,
            known: HashMap::new(),
        }
    }
}

/// A column being drawn.
pub(super) struct Column<'a, K, V> {
    heights: &'a mut Heights<K, V>,
    view: Rect,
    width: f32,
    gap: f32,
    /// Room of items out of view that has not been left yet.
    skipped: f32,
}

impl<'a, K: Debug + Eq + Hash, V: PartialEq> Column<'a, K, V> {
    /// Begins a column from the heights of the last pass. They are forgotten when width or text size differ, and when
    /// there are more than `most`: items that went leave theirs behind, and a fresh start now and then is cheap.
    pub(super) fn begin(ui: &Ui, heights: &'a mut Heights<K, V>, most: usize) -> Self {
        let width = ui.available_width();
        let layout = Some((width.to_bits(), ui.text_style_height(&TextStyle::Body).to_bits()));
        if heights.layout != layout || heights.known.len() > most {
            heights.known.clear();
            heights.layout = layout;
        }
        let view = ui.clip_rect();
        // With a screen reader a screen more on each side, so that what it turns to is there.
        let has_reader = ui
            .ctx()
            .viewport(|viewport| viewport.this_pass.accesskit_state.is_some());
        let ahead = if has_reader { view.height() } else { AHEAD };
        Self {
            heights,
            view: view.expand2(vec2(0.0, ahead)),
            width,
            gap: ui.spacing().item_spacing.y,
            skipped: 0.0,
        }
    }

    /// Draws an item if it is in view, or changed since it was drawn.
    pub(super) fn item(&mut self, ui: &mut Ui, key: K, version: V, draw: impl FnOnce(&mut Ui)) {
        let known = self.heights.known.get(&key);
        if let Some((_, height)) = known.filter(|(known, _)| *known == version) {
            let at = ui.cursor().min + vec2(0.0, self.skipped);
            if !self.view.intersects(Rect::from_min_size(at, vec2(self.width, *height))) {
                self.skipped += height + self.gap;
                return;
            }
        }
        self.leave(ui);
        let id = ui.scope_id().with(&key);
        let drawn = ui.scope_builder(UiBuilder::new().scope_id(id), |ui| {
            ui.set_width(self.width);
            draw(ui);
        });
        self.heights.known.insert(key, (version, drawn.response.rect.height()));
    }

    /// Ends the column.
    pub(super) fn end(mut self, ui: &mut Ui) {
        self.leave(ui);
    }

    fn leave(&mut self, ui: &mut Ui) {
        if self.skipped > 0.0 {
            ui.allocate_space(vec2(self.width, self.skipped - self.gap));
            self.skipped = 0.0;
        }
    }
}
