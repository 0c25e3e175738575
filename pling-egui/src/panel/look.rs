//! Colors and frames of the panel, made from the app's own style.

use egui::{Color32, CornerRadius, Frame, Margin, RichText, Ui};

/// Room between the panel's edge and what is in it, in points.
pub(super) const MARGIN: i8 = 12;

/// Something worked. egui's visuals have no such color.
pub(super) fn success(ui: &Ui) -> Color32 {
    if ui.visuals().dark_mode {
        Color32::from_rgb(0x6c, 0xc5, 0x8c)
    } else {
        Color32::from_rgb(0x1a, 0x7f, 0x37)
    }
}

/// What the user said.
pub(super) fn bubble(ui: &Ui) -> Frame {
    Frame::new()
        .fill(ui.visuals().widgets.inactive.weak_bg_fill)
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::symmetric(10, 6))
}

/// Something that waits for the user.
pub(super) fn card(ui: &Ui, accent: Color32) -> Frame {
    Frame::new()
        .fill(ui.visuals().window_fill)
        .stroke(egui::Stroke::new(1.0, accent))
        .corner_radius(CornerRadius::same(8))
        .inner_margin(Margin::same(10))
}

/// Text in its own typeface: code, and values that are shown exactly.
pub(super) fn sunken(ui: &Ui) -> Frame {
    Frame::new()
        .fill(ui.visuals().extreme_bg_color)
        .corner_radius(CornerRadius::same(4))
        .inner_margin(Margin::symmetric(8, 6))
}

/// Small text that stays behind.
pub(super) fn aside(text: impl Into<String>) -> RichText {
    RichText::new(text).small().weak()
}
