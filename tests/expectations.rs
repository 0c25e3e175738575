//! What an author expects to see after an action: met at once, met late, and not met, each with its own time.

use std::ops::Range;

use pling_core::{
    act::{Code, Receipt},
    model::{Expect, Feedback, Level, RegionRole, StateView},
    platform::{Duration, now},
};
use serde_json::json;

use crate::support::{App, Bench, message, todo_page::region};

type Edit = fn(&mut App);

/// Passes until an edit comes that the page is at rest before: about a second, since a page at rest is looked at rarely.
const LATE: u32 = 24;

/// An expectation, what has to be so before, what meets it, and the words on it unmet.
struct Case {
    expect: Expect,
    before: Edit,
    meets: Edit,
    words: &'static str,
}

fn cases() -> Vec<Case> {
    let as_it_is: Edit = |_| {};
    let add: Edit = |app| app.add("Tea");
    let remove: Edit = |app| app.remove("t1");
    let rename: Edit = |app| app.todo("t1").title = "Oat milk".to_owned();
    let complain: Edit = |app| app.feedback = vec![Feedback::error()];
    let hinted: Edit = |app| {
        app.archived = 999;
        hint(app);
    };
    let case = |expect, before, meets, words| Case {
        expect,
        before,
        meets,
        words,
    };
    vec![
        case(
            Expect::changed(),
            as_it_is,
            add,
            "some change was expected and not seen: nothing differs",
        ),
        case(Expect::record_added(), as_it_is, add, "a record to be added"),
        case(
            Expect::record_added(),
            as_it_is,
            |app| app.archived += 1,
            "a record to be added",
        ),
        case(
            Expect::RecordAdded(Some("t4".into())),
            as_it_is,
            add,
            "the record \"t4\" to be added was expected and not seen: it is not there",
        ),
        case(Expect::record_removed(), as_it_is, remove, "a record to be removed"),
        case(
            Expect::RecordRemoved(Some("t1".into())),
            as_it_is,
            remove,
            "\"t1\" to be removed was expected and not seen: it was there before and still is",
        ),
        case(Expect::record_changed(), as_it_is, rename, "a record to change"),
        case(
            Expect::RecordChanged(Some("t1".into())),
            as_it_is,
            rename,
            "the record \"t1\" to change",
        ),
        case(
            Expect::region_opened("hint"),
            hint,
            |app| app.archived = 999,
            "the region `hint` to open was expected and not seen: it is not on the page",
        ),
        case(
            Expect::region_closed("hint"),
            hinted,
            |app| app.archived = 1000,
            "the region `hint` to close was expected and not seen: it is still on the page",
        ),
        case(
            Expect::state("filter", "i"),
            as_it_is,
            |app| app.filter = "i".to_owned(),
            "the state `filter` to be \"i\" was expected and not seen: it is \"\"",
        ),
        case(
            Expect::state("total", 3),
            as_it_is,
            |app| {
                app.tweak(|page| {
                    page.state.push(StateView::new("total", "All", Some(json!(3))));
                })
            },
            "it is not declared",
        ),
        case(
            Expect::feedback(Level::Success),
            as_it_is,
            |app| app.feedback = vec![Feedback::success()],
            "feedback of level success was expected and not seen: no feedback is shown",
        ),
        case(
            Expect::feedback(Level::Error),
            as_it_is,
            complain,
            "feedback of level error",
        ),
        case(
            Expect::no_error(),
            complain,
            |app| app.feedback.clear(),
            "no error was expected and not seen: shown are 1 of level error",
        ),
    ]
}

/// Declares a region `hint` that is there while the archive has fewer than a thousand tasks.
fn hint(app: &mut App) {
    app.tweak(|page| {
        if page.sources[0].len < 1000 {
            page.regions.push(region("hint", "Hint", RegionRole::Group));
        }
    });
}

/// Calls an action that expects this, on a page that is edited so many passes later, and how long it took.
async fn call(case: &Case, expect: Expect, edit_after: Option<u32>) -> (Receipt, Duration) {
    let bench = Bench::new();
    bench.host.with(case.before);
    bench
        .host
        .with(|app| app.tweak_action("sort", move |action| action.expect = Some(expect.clone())));
    let seen = bench.observe().await;
    if let Some(passes) = edit_after {
        bench.host.with(|app| app.later(passes, case.meets));
    }
    let start = now();
    let receipt = bench.invoke_seen(&seen, "sort", json!({ "choice": "Oldest" })).await;
    assert_eq!(bench.host.handled(), ["sort"], "it ran, whatever became of it");
    (receipt, now() - start)
}

fn millis(range: Range<u64>) -> Range<Duration> {
    Duration::from_millis(range.start)..Duration::from_millis(range.end)
}

#[tokio::test(start_paused = true)]
async fn each_kind_is_met_at_once_or_late() {
    for case in cases() {
        let (receipt, took) = call(&case, case.expect.clone(), Some(3)).await;
        assert!(receipt.is_ok(), "{:?}: {receipt:?}", case.expect);
        assert!(millis(0..500).contains(&took), "{:?}: {took:?}", case.expect);
        let within = case.expect.clone().within(Duration::from_secs(2));
        for expect in [case.expect.clone(), within] {
            let (receipt, took) = call(&case, expect, Some(LATE)).await;
            assert!(receipt.is_ok(), "{:?}: {receipt:?}", case.expect);
            assert!(receipt.changed.unwrap().observed(), "{:?}", case.expect);
            assert!(millis(700..2000).contains(&took), "{:?}: {took:?}", case.expect);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_kind_unmet_in_its_time_fails_and_says_what_was_seen_instead() {
    for case in cases() {
        let within = case.expect.clone().within(Duration::from_millis(500));
        let (receipt, took) = call(&case, within, Some(LATE)).await;
        assert_eq!(receipt.code(), Some(Code::ExpectationFailed), "{:?}", case.expect);
        assert!(
            message(&receipt).contains(case.words),
            "{:?}: {}",
            case.expect,
            message(&receipt)
        );
        assert!(receipt.changed.is_some() && receipt.stops_batch(), "{receipt:?}");
        assert!(millis(500..900).contains(&took), "{:?}: {took:?}", case.expect);
    }
}

#[tokio::test(start_paused = true)]
async fn its_time_is_bounded_and_may_be_none() {
    let case = &cases()[0];
    let (receipt, took) = call(case, Expect::changed().within(Duration::from_secs(3600)), None).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert!(millis(30_000..33_000).contains(&took), "{took:?}");
    let (receipt, took) = call(case, Expect::changed().within(Duration::ZERO), None).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert!(took < Duration::from_millis(200), "{took:?}");
    let (receipt, _) = call(case, Expect::changed().within(Duration::ZERO), Some(3)).await;
    assert!(receipt.is_ok(), "{receipt:?}");
    let last = Expect::changed().within(Duration::from_secs(9)).within(Duration::ZERO);
    assert_eq!(last, Expect::changed().within(Duration::ZERO), "the last word counts");
}

#[tokio::test(start_paused = true)]
async fn what_is_withheld_is_not_told_by_its_expectation() {
    let bench = Bench::new();
    bench.host.with(|app| {
        app.tweak(|page| page.state[0].value = None);
        let expect = Expect::state("filter", "hunter2").within(Duration::ZERO);
        app.tweak_action("sort", move |action| action.expect = Some(expect.clone()));
    });
    let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert!(message(&receipt).contains("`filter`") && message(&receipt).contains("withheld"));
    assert!(!message(&receipt).contains("hunter2"));
}

/// A bench whose button says that it opens `wizard`, and whether the dialog that it opens is called so.
fn opening(dialog_is_wizard: bool) -> Bench {
    let bench = Bench::new();
    bench.host.with(|app| {
        app.tweak_action("open_settings", |action| action.opens = Some("wizard".into()));
        app.tweak(move |page| {
            for facts in page.regions.iter_mut().filter(|_| dialog_is_wizard) {
                if facts.region.id.as_str() == "settings" {
                    facts.region.id = "wizard".into();
                }
            }
        });
    });
    bench
}

#[tokio::test(start_paused = true)]
async fn a_region_that_an_action_opens_is_expected_of_it() {
    assert!(opening(true).invoke("open_settings", json!({})).await.is_ok());
    let bench = opening(false);
    let seen = bench.observe().await;
    let start = now();
    let receipt = bench.invoke_seen(&seen, "open_settings", json!({})).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed), "{receipt:?}");
    assert!(
        message(&receipt).contains("the region `wizard` to open"),
        "{}",
        message(&receipt)
    );
    assert!(
        millis(2000..3000).contains(&(now() - start)),
        "as long as a page has to come to rest"
    );
    assert_eq!(
        receipt.changed.unwrap().opened,
        ["settings".into()],
        "what came instead is told"
    );
}

#[tokio::test(start_paused = true)]
async fn a_busy_app_has_longer_to_open_it() {
    let slow = async |busy: bool| {
        let bench = opening(true);
        let seen = bench.observe().await;
        bench.host.with(|app| {
            app.tweak_action("sort", |action| action.opens = Some("wizard".into()));
            app.busy.extend(busy.then(|| "loading".to_owned()));
            app.later(300, |app| {
                app.busy.clear();
                app.dialog = true;
            });
        });
        bench.invoke_seen(&seen, "sort", json!({ "choice": "Oldest" })).await
    };
    assert!(slow(true).await.is_ok());
    assert_eq!(slow(false).await.code(), Some(Code::ExpectationFailed));
}

#[tokio::test(start_paused = true)]
async fn what_is_expected_outright_and_what_is_opened_must_both_be_seen() {
    let both = async |expect: Expect| {
        let bench = opening(true);
        bench
            .host
            .with(|app| app.tweak_action("open_settings", move |action| action.expect = Some(expect.clone())));
        bench.invoke("open_settings", json!({})).await
    };
    assert!(both(Expect::changed()).await.is_ok());
    let receipt = both(Expect::record_added().within(Duration::from_secs(1))).await;
    assert!(message(&receipt).contains("a record to be added"), "{receipt:?}");
    let bench = opening(false);
    bench
        .host
        .with(|app| app.tweak_action("open_settings", |action| action.expect = Some(Expect::changed())));
    let receipt = bench.invoke("open_settings", json!({})).await;
    assert!(message(&receipt).contains("`wizard`"), "{receipt:?}");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_answers_with_an_error_is_not_waited_for() {
    let case = &cases()[1];
    let bench = Bench::new();
    let expect = case.expect.clone();
    bench
        .host
        .with(|app| app.tweak_action("add_todo", move |action| action.expect = Some(expect.clone())));
    let start = now();
    let receipt = bench.invoke("add_todo", json!({ "text": " " })).await;
    assert_eq!(receipt.code(), Some(Code::ExpectationFailed));
    assert_eq!(
        receipt.feedback.first().map(|item| item.text.as_str()),
        Some("Enter a task")
    );
    assert!(now() - start < Duration::from_secs(1));
}
