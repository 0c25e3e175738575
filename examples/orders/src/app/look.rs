//! Colors and distances.

use egui::{Align2, Color32, FontId, Frame, Response, Sense, Shape, Stroke, Style, Ui, Vec2, vec2};

use crate::data::Status;

/// Sets distances of the page.
pub(super) fn apply(ui: &mut Ui) {
    let spacing = ui.spacing_mut();
    spacing.item_spacing = vec2(8.0, 6.0);
    spacing.button_padding = vec2(8.0, 3.0);
}

/// Lets colored badges be read in rows that are checked.
pub(super) fn soften_selection(ui: &mut Ui) {
    let visuals = ui.visuals_mut();
    visuals.selection.bg_fill = visuals.selection.bg_fill.gamma_multiply(0.35);
    visuals.selection.stroke.color = visuals.strong_text_color();
}

/// The frame of a dialog.
pub(super) fn dialog(style: &Style) -> Frame {
    Frame::popup(style).inner_margin(16)
}

/// A triangle that points to where the greater values are. Painted, as the fonts have none.
pub(super) fn sort_mark(ui: &mut Ui, descending: bool) {
    let (rect, _) = ui.allocate_exact_size(vec2(8.0, 8.0), Sense::hover());
    let [base, tip] = if descending {
        [rect.top(), rect.bottom()]
    } else {
        [rect.bottom(), rect.top()]
    };
    let points = vec![
        egui::pos2(rect.left(), base),
        egui::pos2(rect.right(), base),
        egui::pos2(rect.center().x, tip),
    ];
    let color = ui.visuals().strong_text_color();
    ui.painter().add(Shape::convex_polygon(points, color, Stroke::NONE));
}

/// What a status looks like: green is money received, red is money paid back.
fn color(status: Status, dark: bool) -> Color32 {
    let (on_dark, on_light) = match status {
        Status::Pending => (0xf0_c0_60, 0x8a_5a_00),
        Status::Paid => (0x7c_b8_ff, 0x1c_5f_b8),
        Status::Shipped => (0xc0_a4_ff, 0x6a_3f_c4),
        Status::Delivered => (0x7d_d8_8f, 0x1d_7a_36),
        Status::Cancelled => (0xb0_b0_b0, 0x66_66_66),
        Status::Refunded => (0xff_94_8c, 0xb5_2a_20),
    };
    let [_, r, g, b] = u32::to_be_bytes(if dark { on_dark } else { on_light });
    Color32::from_rgb(r, g, b)
}

/// A status as a colored badge.
pub(super) fn badge(ui: &mut Ui, status: Status) -> Response {
    let color = color(status, ui.visuals().dark_mode);
    let galley = ui
        .painter()
        .layout_no_wrap(status.name().to_owned(), FontId::proportional(12.0), color);
    let size: Vec2 = galley.size() + vec2(14.0, 4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    if ui.is_rect_visible(rect) {
        ui.painter().rect_filled(rect, 8.0, color.gamma_multiply(0.16));
        let at = Align2::CENTER_CENTER.align_size_within_rect(galley.size(), rect);
        ui.painter().galley(at.min, galley, color);
    }
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, status.name()));
    response
}
