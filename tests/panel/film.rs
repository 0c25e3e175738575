//! The README's animated picture, drawn by a run of the to-do list.

use std::{fs::File, io::BufWriter, path::Path};

use egui::{Key, Modifiers, Theme};
use pling_core::llm::Turn;
use png::{BitDepth, BlendOp, ColorType, Compression, DisposeOp, Encoder};
use serde_json::json;

use super::{Bench, COMPOSER, Setup, delete_milk};
use crate::support::Scripted;

/// Where it goes, from this crate.
const FILM: &str = "../assets/todo-run.png";
/// Bytes that a README's picture may have.
const MAX_BYTES: u64 = 1_500_000;

/// What was drawn, each with the milliseconds it stays.
#[derive(Default)]
struct Film {
    size: (usize, usize),
    frames: Vec<(Vec<u8>, u16)>,
}

impl Film {
    /// Takes what the app shows now.
    fn shoot(&mut self, bench: &mut Bench, millis: u16) {
        let image = bench.harness.kittest().render().expect("it can be drawn");
        self.size = (image.width() as usize, image.height() as usize);
        let pixels = image.pixels().flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        self.frames.push((pixels.collect(), millis));
    }

    /// Draws passes until something holds, and shoots them.
    fn follow(&mut self, bench: &mut Bench, what: &str, holds: impl Fn(&Bench) -> bool) {
        for _ in 0..400 {
            if holds(bench) {
                return;
            }
            bench.harness.run(tokio::task::yield_now());
            self.shoot(bench, 60);
        }
        panic!("waited for: {what}");
    }

    /// Writes it: of each frame only the rectangle that differs from the one before.
    fn write(mut self, to: &Path) {
        // What stays the same stays longer.
        self.frames.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        let (width, height) = self.size;
        let file = BufWriter::new(File::create(to).expect("a file"));
        let mut encoder = Encoder::new(file, width as u32, height as u32);
        encoder.set_color(ColorType::Rgb);
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::High);
        encoder.set_animated(self.frames.len() as u32, 0).expect("frames");
        encoder.set_blend_op(BlendOp::Source).expect("animated");
        encoder.set_dispose_op(DisposeOp::None).expect("animated");
        let mut writer = encoder.write_header().expect("a header");
        let mut before: Option<&[u8]> = None;
        for (pixels, millis) in &self.frames {
            let [left, top, right, bottom] =
                before.map_or([0, 0, width, height], |before| self.differing(before, pixels));
            // Back to nowhere first: place and size are checked against each other.
            writer.reset_frame_position().expect("animated");
            writer
                .set_frame_dimension((right - left) as u32, (bottom - top) as u32)
                .expect("inside");
            writer.set_frame_position(left as u32, top as u32).expect("inside");
            writer.set_frame_delay(*millis, 1000).expect("animated");
            let rows = (top..bottom).flat_map(|row| &pixels[3 * (row * width + left)..3 * (row * width + right)]);
            let rows: Vec<u8> = rows.copied().collect();
            writer.write_image_data(&rows).expect("a frame");
            before = Some(pixels);
        }
        writer.finish().expect("an end");
    }

    /// Left, top, right and bottom of what differs.
    fn differing(&self, before: &[u8], now: &[u8]) -> [usize; 4] {
        let (width, height) = self.size;
        let mut bounds = [width, height, 0, 0];
        for (at, (was, is)) in before.chunks(3).zip(now.chunks(3)).enumerate() {
            if was != is {
                let (x, y) = (at % width, at / width);
                bounds = [
                    bounds[0].min(x),
                    bounds[1].min(y),
                    bounds[2].max(x + 1),
                    bounds[3].max(y + 1),
                ];
            }
        }
        bounds
    }
}

#[test]
#[ignore = "draws the README's picture: cargo test -p tests -- --ignored film"]
fn film_of_a_run() {
    let turns = [
        Turn::call("toggle", json!({ "record": "t2", "checked": true })).saying("I will mark it first."),
        delete_milk().saying("Now the milk."),
        Turn::text("Both are done:\n\n- **Book the design review** is marked\n- **Buy milk** is gone"),
    ];
    let setup = Setup {
        size: Some([860.0, 470.0]),
        theme: Some(Theme::Dark),
        ..Setup::default()
    };
    let mut bench = Bench::with(Some(Scripted::new(turns)), setup);
    let mut film = Film::default();
    bench.tab_to(COMPOSER);
    film.shoot(&mut bench, 900);
    let message: Vec<char> = "Mark the design review as done and remove the milk".chars().collect();
    for letters in message.chunks(2) {
        bench.type_text(&letters.iter().collect::<String>());
        film.shoot(&mut bench, 70);
    }
    film.shoot(&mut bench, 500);
    bench.key(Key::Enter);
    film.shoot(&mut bench, 300);
    let is_asked = |bench: &Bench| !bench.harness.pling().session().waiting_for().is_empty();
    film.follow(&mut bench, "a card", is_asked);
    bench.until_asked();
    film.shoot(&mut bench, 2600);
    assert_eq!(bench.harness.state().app.handled.toggle, 1);
    assert_eq!(bench.deleted(), 0);
    bench.key_with(Modifiers::COMMAND, Key::Enter);
    film.follow(&mut bench, "the end", |bench| !bench.ends().is_empty());
    bench.until_idle();
    assert_eq!(bench.deleted(), 1);
    film.shoot(&mut bench, 400);
    bench.harness.kittest().run_steps(6);
    film.shoot(&mut bench, 4000);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILM);
    film.write(&path);
    let bytes = path.metadata().expect("what was just written").len();
    assert!(bytes <= MAX_BYTES, "{bytes} bytes");
}
