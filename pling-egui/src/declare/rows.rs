//! Rows of one height, any number of them, of which those in view are drawn.
//!
//! egui's positions are `f32`: beyond a million points they are not exact any more, and beyond sixteen million
//! rows fall onto one another. A taller list gets a scroll area of [`TALLEST`] points, and where it really is
//! scrolled to is kept apart, in `f64`. Scrolling by less than a few views moves the rows by as much; moving the
//! scroll bar moves them in proportion.

use std::ops::Range;

use egui::{Id, Rect, ScrollArea, Ui, UiBuilder, scroll_area};

/// The tallest content of a scroll area in which positions are exact to an eighth of a point.
const TALLEST: f64 = 1_048_576.0;
/// Scrolling by more points than this at once comes from the scroll bar. As much is kept free at both ends of a
/// tall list, so that the scroll area never stops what the list could still do.
const STEP: f64 = 4096.0;

/// A list of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) id: Id,
    /// Without spacing.
    pub(super) height: f32,
    pub(super) len: usize,
    /// The row to show in the middle.
    pub(super) reveal: Option<usize>,
}

/// Where a tall list is scrolled to.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    top: f64,
    /// What the last rows took beyond their height.
    over: f64,
}

impl Rows {
    /// Draws the rows in view, and returns the area taken.
    pub(super) fn show(self, ui: &mut Ui, add_rows: impl FnOnce(&mut Ui, Range<usize>)) -> Rect {
        let salt = ("pling.rows", self.id);
        let id = ui.make_persistent_id(salt);
        let area = ScrollArea::vertical().id_salt(salt).auto_shrink([false, true]);
        let pitch = self.pitch(ui);
        // What is above and below a row helps to see where one is.
        let margin = (f64::from(ui.available_height()) - f64::from(self.height)) / 2.0;
        let reveal = self.reveal.map(|row| (as_f64(row) * pitch - margin).max(0.0));
        let kept: Option<Place> = ui.data_mut(|data| data.get_temp(id));
        if as_f64(self.len) * pitch > TALLEST {
            let mut place = kept.unwrap_or_else(|| {
                // It may have become that tall while it was scrolled.
                let before = scroll_area::State::load(ui.ctx(), id);
                let top = before.map_or(0.0, |area| area.clamped_offset().y.into());
                Place { top, over: 0.0 }
            });
            place.top = reveal.unwrap_or(place.top);
            let (next, taken) = self.show_tall(ui, area, place, add_rows);
            ui.data_mut(|data| data.insert_temp(id, next));
            return taken;
        }
        if kept.is_some() {
            ui.data_mut(|data| data.remove::<Place>(id));
        }
        let area = match reveal.or(kept.map(|place| place.top)) {
            Some(top) => area.vertical_scroll_offset(as_f32(top)),
            None => area,
        };
        area.show_rows(ui, self.height, self.len, add_rows).inner_rect
    }

    /// From one row to the next.
    fn pitch(self, ui: &Ui) -> f64 {
        f64::from(self.height + ui.spacing().item_spacing.y)
    }

    /// Draws the rows in view of a tall list. Returns where it is scrolled to next, and the area taken.
    fn show_tall(
        self,
        ui: &mut Ui,
        area: ScrollArea,
        place: Place,
        add_rows: impl FnOnce(&mut Ui, Range<usize>),
    ) -> (Place, Rect) {
        let pitch = self.pitch(ui);
        let total = as_f64(self.len) * pitch - f64::from(ui.spacing().item_spacing.y) + place.over;
        let view = f64::from(ui.available_height());
        let far = (total - view).max(0.0);
        let scale = (TALLEST - view - 2.0 * STEP) / far;
        let top = place.top.min(far);
        let offset = if top <= 0.0 {
            0.0
        } else if top >= far {
            TALLEST - view + place.over
        } else {
            // Whole, so that it loses nothing on its way through `f32`.
            (STEP + top * scale).round()
        };
        let area = area.animated(false).vertical_scroll_offset(as_f32(offset));
        let mut is_end = false;
        let output = area.show_viewport(ui, |ui, viewport| {
            ui.set_height(as_f32(TALLEST));
            let first = as_row(top / pitch);
            let last = (as_row((top + f64::from(viewport.height())) / pitch) + 1).min(self.len);
            is_end = last == self.len;
            let origin = ui.max_rect().top() + viewport.min.y;
            let y = |row: usize| origin + as_f32(as_f64(row) * pitch - top);
            let rect = Rect::from_x_y_ranges(ui.max_rect().x_range(), y(first)..=y(last));
            ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| add_rows(ui, first..last));
        });
        let now = f64::from(output.state.clamped_offset().y);
        let next = if (now - offset).abs() < STEP {
            top + now - offset
        } else {
            (now - STEP) / scale
        };
        let over = f64::from(output.content_size.y) - TALLEST;
        let over = if is_end { over.max(0.0) } else { 0.0 };
        let far = (total - place.over + over - f64::from(output.inner_rect.height())).max(0.0);
        let top = next.clamp(0.0, far);
        (Place { top, over }, output.inner_rect)
    }
}

#[expect(clippy::cast_precision_loss, reason = "exact for any list that fits into memory")]
fn as_f64(rows: usize) -> f64 {
    rows as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "offsets within what is exact, see TALLEST"
)]
fn as_f32(points: f64) -> f32 {
    points as f32
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates; the caller keeps it below the number of rows"
)]
fn as_row(rows: f64) -> usize {
    rows.floor() as usize
}
