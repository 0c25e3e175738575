//! The frame nobody observes, counted in instructions: this program runs itself under `valgrind`, for few frames
//! and for many, so that starting up does not count.

use std::process::Command;

use super::{
    app::App,
    report,
    stage::{Stage, WithPling},
};

const FEW: usize = 10;
const MANY: usize = 30;
const WHAT: &str = "frame, 1,000 declared widgets, nobody observing (instructions)";
const FLAG: &str = "--draw-frames";

/// Frames to draw, of the app with declarations or of the one without.
pub(crate) struct Frames {
    declared: bool,
    count: usize,
}

/// What this program is asked for when it runs under `valgrind`.
pub(crate) fn asked_for(arguments: &[String]) -> Option<Frames> {
    let at = arguments.iter().position(|argument| argument == FLAG)?;
    Some(Frames {
        declared: arguments.get(at + 1)? == "declared",
        count: arguments.get(at + 2)?.parse().ok()?,
    })
}

/// Draws them and nothing else.
pub(crate) fn draw(frames: &Frames) {
    let mut app = App::new(0);
    if frames.declared {
        let mut with = WithPling::new();
        for _ in 0..frames.count {
            with.stage.pass(|ui| app.page_ui::<true>(ui));
        }
    } else {
        let mut stage = Stage::new();
        for _ in 0..frames.count {
            stage.pass(|ui| app.page_ui::<false>(ui));
        }
    }
}

pub(crate) fn rows() {
    let per_frame =
        |which| Some((counted(which, MANY)? - counted(which, FEW)?) / f64::from(u32::try_from(MANY - FEW).ok()?));
    match (per_frame("plain"), per_frame("declared")) {
        (Some(plain), Some(declared)) => report::ratio(WHAT, declared / plain, 1.01),
        _ => report::missing(WHAT, "`valgrind` does not run here"),
    }
}

/// Instructions of a whole run, from callgrind's last words: `Collected : 123`.
fn counted(which: &str, frames: usize) -> Option<f64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().ok()?)
        .args([FLAG, which, &frames.to_string()])
        .output()
        .ok()?;
    let words = String::from_utf8_lossy(&output.stderr);
    let (_, after) = words.split_once("Collected :")?;
    after.split_whitespace().next()?.parse().ok()
}
