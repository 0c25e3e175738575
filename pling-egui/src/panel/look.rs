//! Colors and frames of the panel, made from the app's own style.

use egui::{
    Color32, CornerRadius, FontId, Frame, Margin, RichText, Role, Sense, Stroke, TextFormat, TextStyle, Ui, WidgetInfo,
    text::LayoutJob, vec2,
};

use super::strings::Strings;

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
        .stroke(Stroke::new(1.0, accent))
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

/// Smaller text, for what belongs to the line above it.
pub(super) fn detail(ui: &Ui, text: impl Into<String>) -> RichText {
    RichText::new(text).size(detail_size(ui))
}

/// Smaller text that stays behind.
pub(super) fn aside(ui: &Ui, text: impl Into<String>) -> RichText {
    detail(ui, text).weak()
}

/// [`detail`], with arrows: of egui's own fonts only the monospaced one has them.
pub(super) fn detail_with_arrows(ui: &Ui, text: &str) -> LayoutJob {
    let (size, color) = (detail_size(ui), ui.visuals().text_color());
    let mut job = LayoutJob::default();
    for (index, part) in text.split('→').enumerate() {
        if index > 0 {
            job.append("→", 0.0, TextFormat::simple(FontId::monospace(size), color));
        }
        job.append(part, 0.0, TextFormat::simple(FontId::proportional(size), color));
    }
    job
}

fn detail_size(ui: &Ui) -> f32 {
    0.9 * TextStyle::Body.resolve(ui.style()).size
}

/// How a call stands. Painted: egui's own fonts have no such signs.
#[derive(Clone, Copy)]
pub(super) enum Mark {
    /// It is under way.
    Open,
    /// It worked.
    Done,
    /// It was refused or failed.
    Failed,
}

impl Mark {
    /// Draws the mark at the size of the text beside it.
    pub(super) fn ui(self, ui: &mut Ui, say: &Strings) {
        let row = ui.text_style_height(&TextStyle::Body);
        let (rect, response) = ui.allocate_exact_size(vec2(0.8 * row, row), Sense::hover());
        let (name, color) = match self {
            Self::Open => (say.call_open(), ui.visuals().text_color()),
            Self::Done => (say.call_done(), success(ui)),
            Self::Failed => (say.call_failed(), ui.visuals().error_fg_color),
        };
        response.widget_info(|| WidgetInfo::labeled(Role::Image, true, name.clone()));
        let unit = 0.26 * row;
        let at = |x: f32, y: f32| rect.center() + unit * vec2(x, y);
        let stroke = Stroke::new(1.8, color);
        let painter = ui.painter();
        match self {
            Self::Open => drop(painter.circle_stroke(rect.center(), 0.8 * unit, stroke)),
            Self::Done => drop(painter.line(vec![at(-1.0, 0.1), at(-0.3, 0.8), at(1.0, -0.8)], stroke)),
            Self::Failed => {
                painter.line_segment([at(-0.8, -0.8), at(0.8, 0.8)], stroke);
                painter.line_segment([at(0.8, -0.8), at(-0.8, 0.8)], stroke);
            }
        }
    }
}
