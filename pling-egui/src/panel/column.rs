//! A column of which only what is in view is drawn.

use std::{collections::HashMap, fmt::Debug, hash::Hash};

use egui::{Rect, TextStyle, Ui, UiBuilder, vec2};

/// Points beyond the view in which items are drawn, so that a scroll meets them.
const AHEAD: f32 = 60.0;

/// Heights of items as they were drawn, so that items out of view need not be.
pub(super) struct Heights<K, V> {
    /// What they are drawn for.
    layout: Layout,
    known: HashMap<K, Known<V>>,
}

/// Width and text size, bit for bit.
type Layout = (u32, u32);

struct Known<V> {
    version: V,
    height: f32,
    layout: Layout,
}

impl<K, V> Default for Heights<K, V> {
    fn default() -> Self {
        Self {
            layout: Layout::default(),
            known: HashMap::new(),
        }
    }
}

/// How much of a column is drawn that is not in view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Items of which heights are kept. Ones that went leave theirs behind, and a fresh start now and then is cheap.
    pub(super) most: usize,
    /// Points on each side for a screen reader, so that what it turns to is there.
    pub(super) for_reader: f32,
    /// Items in a pass that are measured again out of view when width or text size changed. Until it is their turn they
    /// keep their room.
    pub(super) afresh: usize,
    /// Whether those above the view do not wait, so that what is in view does not move again and again.
    pub(super) above_at_once: bool,
}

/// A column being drawn.
pub(super) struct Column<'a, K, V> {
    heights: &'a mut Heights<K, V>,
    view: Rect,
    width: f32,
    gap: f32,
    /// Room of items out of view that has not been left yet.
    skipped: f32,
    afresh: usize,
    above_at_once: bool,
    is_stale: bool,
}

impl<'a, K: Debug + Eq + Hash, V: PartialEq> Column<'a, K, V> {
    /// Begins a column from the heights of the last pass.
    pub(super) fn begin(ui: &Ui, heights: &'a mut Heights<K, V>, extent: Extent) -> Self {
        let width = ui.available_width();
        heights.layout = (width.to_bits(), ui.text_style_height(&TextStyle::Body).to_bits());
        if heights.known.len() > extent.most {
            heights.known.clear();
        }
        let has_reader = ui
            .ctx()
            .viewport(|viewport| viewport.this_pass.accesskit_state.is_some());
        let ahead = if has_reader { extent.for_reader } else { AHEAD };
        Self {
            heights,
            view: ui.clip_rect().expand2(vec2(0.0, ahead)),
            width,
            gap: ui.spacing().item_spacing.y,
            skipped: 0.0,
            afresh: extent.afresh,
            above_at_once: extent.above_at_once,
            is_stale: false,
        }
    }

    /// Draws an item if it is in view, or changed since it was drawn.
    pub(super) fn item(&mut self, ui: &mut Ui, key: K, version: V, draw: impl FnOnce(&mut Ui)) {
        if let Some(height) = self.room(ui, &key, &version) {
            self.skipped += height + self.gap;
            return;
        }
        self.leave(ui);
        let id = ui.scope_id().with(&key);
        let drawn = ui.scope_builder(UiBuilder::new().scope_id(id), |ui| {
            ui.set_width(self.width);
            draw(ui);
        });
        let known = Known {
            version,
            height: drawn.response.rect.height(),
            layout: self.heights.layout,
        };
        self.heights.known.insert(key, known);
    }

    /// The room to leave for an item that need not be drawn.
    fn room(&mut self, ui: &Ui, key: &K, version: &V) -> Option<f32> {
        let known = self.heights.known.get(key).filter(|known| known.version == *version)?;
        let at = ui.cursor().min + vec2(0.0, self.skipped);
        let place = Rect::from_min_size(at, vec2(self.width, known.height));
        if self.view.intersects(place) {
            return None;
        }
        if known.layout != self.heights.layout {
            if self.above_at_once && place.bottom() < self.view.top() {
                return None;
            }
            if self.afresh > 0 {
                self.afresh -= 1;
                return None;
            }
            self.is_stale = true;
        }
        Some(known.height)
    }

    /// Ends the column.
    pub(super) fn end(mut self, ui: &mut Ui) {
        self.leave(ui);
        if self.is_stale {
            ui.ctx().request_repaint();
        }
    }

    fn leave(&mut self, ui: &mut Ui) {
        if self.skipped > 0.0 {
            ui.allocate_space(vec2(self.width, self.skipped - self.gap));
            self.skipped = 0.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use egui::{Context, RawInput, Rect, ScrollArea, Vec2, pos2};

    use super::*;

    /// Draws a hundred items of 30 points, the view 90 points high; which were drawn, and the height of all.
    fn pass(ctx: &Context, heights: &mut Heights<usize, u32>, version: u32, for_reader: f32) -> (Vec<usize>, f32) {
        pass_at(200.0, ctx, heights, version, for_reader)
    }

    fn pass_at(
        width: f32,
        ctx: &Context,
        heights: &mut Heights<usize, u32>,
        version: u32,
        for_reader: f32,
    ) -> (Vec<usize>, f32) {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_max(pos2(0.0, 0.0), pos2(width, 90.0))),
            ..RawInput::default()
        };
        let mut drawn = Vec::new();
        let mut height = 0.0;
        let mut output = ctx.run_ui(input, |ui| {
            drawn.clear();
            let shown = ScrollArea::vertical().show(ui, |ui| {
                let extent = Extent {
                    most: 1000,
                    for_reader,
                    afresh: 8,
                    above_at_once: true,
                };
                let mut column = Column::begin(ui, heights, extent);
                for index in 0..100 {
                    let version = if index == 50 { version } else { 0 };
                    column.item(ui, index, version, |ui| {
                        drawn.push(index);
                        ui.allocate_space(Vec2::new(10.0, 30.0));
                    });
                }
                column.end(ui);
            });
            height = shown.content_size.y;
        });
        output.textures_delta.clear(); // nobody paints
        (drawn, height)
    }

    #[test]
    fn what_is_out_of_view_and_the_same_is_not_drawn_and_keeps_its_room() {
        let (ctx, mut heights) = (Context::default(), Heights::default());
        let (all, height) = pass(&ctx, &mut heights, 0, 0.0);
        assert_eq!(all.len(), 100, "the first time nobody knows the heights");
        let (some, same) = pass(&ctx, &mut heights, 0, 0.0);
        assert!(some.len() < 10 && some[0] == 0, "{some:?}");
        assert_eq!(same, height);
        let (with_changed, same) = pass(&ctx, &mut heights, 1, 0.0);
        assert_eq!(
            with_changed,
            [some.clone(), vec![50]].concat(),
            "what changed is drawn once"
        );
        assert_eq!(same, height);
        assert_eq!(pass(&ctx, &mut heights, 1, 0.0).0, some);
    }

    #[test]
    fn another_width_is_taken_in_a_few_items_at_a_time() {
        let (ctx, mut heights) = (Context::default(), Heights::default());
        let (_, height) = pass(&ctx, &mut heights, 0, 0.0);
        let (some, _) = pass(&ctx, &mut heights, 0, 0.0);
        let mut passes = 0;
        loop {
            let (drawn, same) = pass_at(150.0, &ctx, &mut heights, 0, 0.0);
            assert_eq!(same, height);
            assert!(drawn.len() <= some.len() + 8, "{drawn:?}");
            if drawn == some {
                break;
            }
            assert!(passes == 0 || ctx.has_requested_repaint() || drawn.last() == Some(&99));
            passes += 1;
        }
        assert!((11..=13).contains(&passes), "{passes}");
    }

    #[test]
    fn a_screen_reader_finds_more() {
        let (ctx, mut heights) = (Context::default(), Heights::default());
        ctx.enable_accesskit();
        for _ in 0..2 {
            pass(&ctx, &mut heights, 0, 300.0);
        }
        let (some, _) = pass(&ctx, &mut heights, 0, 300.0);
        assert!((10..20).contains(&some.len()), "{some:?}");
        assert_eq!(pass(&ctx, &mut heights, 0, f32::INFINITY).0.len(), 100);
    }
}
