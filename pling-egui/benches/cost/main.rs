//! What Pling costs, against the same app without it, in one run. One line for each bound:
//! name, median, bound, `ok` or `over`.
//!
//! `cargo bench -p pling-egui`. The frame nobody observes is counted in instructions, which do not depend on
//! what else the machine does; that needs `valgrind` on the path. Times are medians of passes of both apps
//! drawn in turn.

mod app;
mod fold;
mod frames;
mod instructions;
mod latency;
mod panel;
mod report;
mod stage;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(frames) = instructions::asked_for(&arguments) {
        instructions::draw(&frames);
        return;
    }
    report::heading();
    instructions::rows();
    frames::rows();
    latency::rows();
    fold::rows();
    panel::rows();
}
