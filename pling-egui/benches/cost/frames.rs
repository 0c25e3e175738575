//! Times of passes, as ratios: both apps draw in turn, so that whatever slows the machine slows both.

use pling_core::{platform::Duration, snapshot::Snapshot};

use super::{
    app::App,
    report::{self, median},
    stage::{Stage, WithPling},
};

const ROUNDS: usize = 120;
/// Passes before anything counts.
const WARM_UP: usize = 10;
const MANY_ROWS: usize = 1_000_000;
const FEW_ROWS: usize = 1_000;

pub(crate) fn rows() {
    report::ratio("the same, observing, between snapshots (time)", observing(false), 1.05);
    report::ratio("the same, a pass that makes a snapshot (time)", observing(true), 1.75);
    report::count("frames drawn by an idle app because of Pling", idle(), 0);
    report::ratio("a source of 1,000,000 rows against 1,000 (time)", source(false), 1.05);
    report::ratio("the same, a pass that makes a snapshot (time)", source(true), 1.05);
}

/// The page of 1,000 widgets. A session is there; with `snapshots`, every pass makes one.
fn observing(snapshots: bool) -> f64 {
    let (mut plain, mut with) = (Stage::new(), WithPling::new());
    let (mut plain_app, mut app) = (App::new(0), App::new(0));
    // The first pass only shows Pling whether a screen reader is there.
    with.stage.pass(|ui| app.page_ui::<true>(ui));
    let base = || plain.pass(|ui| plain_app.page_ui::<false>(ui)).0;
    let other = || timed(&mut with, snapshots, |ui| app.page_ui::<true>(ui));
    in_turn(base, other)
}

fn source(snapshots: bool) -> f64 {
    let (mut few, mut many) = (WithPling::new(), WithPling::new());
    let (mut few_app, mut app) = (App::new(FEW_ROWS), App::new(MANY_ROWS));
    few.stage.pass(|ui| few_app.source_ui::<true>(ui));
    many.stage.pass(|ui| app.source_ui::<true>(ui));
    let base = || timed(&mut few, snapshots, |ui| few_app.source_ui::<true>(ui));
    let other = || timed(&mut many, snapshots, |ui| app.source_ui::<true>(ui));
    in_turn(base, other)
}

/// One pass; a waiting snapshot is what makes Pling collect it.
pub(crate) fn timed(with: &mut WithPling, snapshot: bool, ui: impl FnMut(&mut egui::Ui)) -> Duration {
    let mut waiting = snapshot.then(|| with.pling.executor().host().snapshot());
    if let Some(waiting) = &mut waiting {
        with.begin(waiting);
    }
    let took = with.stage.pass(ui).0;
    if let Some(waiting) = waiting {
        // Its facts are there: the future is ready without another pass.
        let (facts, passes) = with.passes_until(|_| {}, waiting);
        let actions = facts.map_or(0, |facts: std::sync::Arc<Snapshot>| facts.actions.len());
        assert!(passes == 0 && actions > 0, "the pass was not collected");
    }
    took
}

/// How much longer `other` takes than `base`.
fn in_turn(mut base: impl FnMut() -> Duration, mut other: impl FnMut() -> Duration) -> f64 {
    for _ in 0..WARM_UP {
        base();
        other();
    }
    let ratios = (0..ROUNDS).map(|round| {
        // Whoever draws second finds warmer caches: they change places.
        let (base, other) = if round % 2 == 0 {
            let base = base();
            (base, other())
        } else {
            let other = other();
            (base(), other)
        };
        other.as_secs_f64() / base.as_secs_f64()
    });
    median(ratios.collect()).unwrap_or(f64::NAN)
}

/// Passes that an app at rest asks for, beyond those that it asks for without Pling.
fn idle() -> usize {
    let (mut plain, mut with) = (Stage::new(), WithPling::new());
    let (mut plain_app, mut app) = (App::new(0), App::new(0));
    let without = asked(|| plain.pass(|ui| plain_app.page_ui::<false>(ui)).1);
    asked(|| with.stage.pass(|ui| app.page_ui::<true>(ui)).1).saturating_sub(without)
}

/// Passes drawn until none is asked for.
fn asked(mut pass: impl FnMut() -> Duration) -> usize {
    (0..100).take_while(|_| pass() != Duration::MAX).count()
}
