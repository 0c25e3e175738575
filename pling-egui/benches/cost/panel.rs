//! The assistant panel with a long conversation.

use egui::Vec2;
use pling_core::{
    llm::{Scripted, Turn},
    platform::Duration,
};
use pling_egui::AssistantPanel;

use super::{
    report::{self, median},
    stage::WithPling,
};

/// Answers, and the bytes of each: 1 MB together.
const ANSWERS: usize = 200;
const ANSWER_BYTES: usize = 5_000;
const FRAMES: usize = 60;
/// Points of the screen.
const SIZE: Vec2 = Vec2::new(400.0, 800.0);

pub(crate) fn rows() {
    let paragraph = "Some **words** of an answer, a `name`, and a list of what was done:\n\n- one\n- two\n\n";
    let answer = paragraph.repeat(ANSWER_BYTES / paragraph.len());
    // Twice as many: some are summaries of what no longer fits.
    let model = Scripted::new((0..2 * ANSWERS).map(|_| Turn::text(answer.clone())));
    let mut with = WithPling::with(|builder| builder.llm(model));
    let session = with.pling.session().clone();
    for _ in 0..ANSWERS {
        let (outcome, _) = with.passes_until(|_| {}, session.send("Go on"));
        assert!(outcome.is_answered(), "{outcome:?}");
    }
    let pling = with.pling.clone();
    with.stage.size = SIZE;
    let mut frame = || with.stage.pass(|ui| AssistantPanel::new(&pling).show(ui)).0;
    for _ in 0..10 {
        frame();
    }
    let times = (0..FRAMES).map(|_| frame()).collect();
    let median = median(times).unwrap_or(Duration::MAX);
    report::time(
        "1 MB conversation in the panel: a frame",
        median,
        Duration::from_millis(2),
    );
}
