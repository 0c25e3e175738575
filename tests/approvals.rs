//! The user's decision: once, bound to what was shown, gone with the call.

mod grants;

use pling_core::{
    act::{
        ApprovalEvent, ApprovalMode, ApprovalOutcome, CancellationToken, Code, Decision, DefaultApproval, Origin,
        Policy,
    },
    model::Effect,
    platform::{Duration, sleep},
    snapshot::Availability,
};
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::{Value, json};

use crate::support::{App, Asking, Bench, fence::unseen, message};

const DENY: Decision = Decision::Deny { message: None };

/// Asks for a deletion of t2.
async fn ask_to_delete(bench: &Bench) -> Asking {
    let seen = bench.observe().await;
    bench.ask(&seen, "delete", json!({ "record": "t2" })).await
}

#[tokio::test(start_paused = true)]
async fn the_card_shows_exactly_what_would_run() {
    let bench = Bench::new();
    let asking = ask_to_delete(&bench).await;
    let pending = bench.executor.approvals().pending();
    let [card] = &pending[..] else {
        panic!("one card: {pending:?}");
    };
    assert_eq!(card.call_id, asking.id);
    assert_eq!(card.action.id.as_str(), "delete");
    assert_eq!(card.action.record.as_ref().map(|id| id.as_str()), Some("t2"));
    assert_eq!(card.record_label.as_deref(), Some("Bread"));
    assert_eq!(card.effect, Effect::Danger);
    assert_eq!(Value::from(card.arguments.clone()), json!({ "record": "t2" }));
    assert_eq!(card.handoff, None);
    assert_eq!((card.irreversible, &card.origin), (false, &Origin::Assistant));
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    assert!(asking.receipt.await.unwrap().is_ok());
    assert_eq!(bench.host.handled(), ["delete t2"]);
}

#[tokio::test(start_paused = true)]
async fn the_card_says_what_cannot_be_undone_and_who_asks() {
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("clear_done", |action| action.irreversible = true));
    let mut call = bench.call(&bench.observe().await, "clear_done", json!({}));
    call.origin = Origin::Code;
    let executor = bench.executor.clone();
    let asking = tokio::spawn(async move { executor.invoke(call, &CancellationToken::new()).await });
    let mut events = bench.executor.approvals().subscribe();
    let Ok(ApprovalEvent::Asked(card)) = events.recv().await else {
        panic!("a question comes first");
    };
    assert!(card.irreversible);
    assert_eq!(card.origin, Origin::Code);
    assert!(bench.executor.approvals().decide(&card.call_id, DENY));
    assert_eq!(asking.await.unwrap().code(), Some(Code::ApprovalDenied));
}

#[tokio::test(start_paused = true)]
async fn d16_what_is_approved_is_what_runs_to_the_byte() {
    let text = format!(
        "pay \u{202e}001\u{200b}\u{e0041}{}now שלום 👩\u{200d}🚀 {}",
        " ".repeat(400),
        "x".repeat(50_000)
    );
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.tweak_action("add_todo", |action| action.confirm = Some(true)));
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "add_todo", json!({ "text": text })).await;
    let card = bench.executor.approvals().pending().remove(0);
    assert_eq!(
        card.arguments["text"], text,
        "the card has all of it; the panel makes it visible"
    );
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    assert!(receipt.is_ok(), "{receipt:?}");
    assert_eq!(bench.host.with(|app| app.todos.last().unwrap().title.clone()), text);
    // What comes back of it is cut, and nothing of it hides.
    let line = receipt.to_text(1000);
    assert!(line.len() < 4000 && unseen(&line).is_empty(), "{line}");
    let seen = bench.observe().await;
    assert_eq!(unseen(&seen.text), "");
    assert!(
        seen.text.contains("now שלום 👩\u{200d}🚀") || seen.text.contains("chars)"),
        "{}",
        seen.text
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_follows_the_action_then_the_policy() {
    let check = async |default: DefaultApproval, confirm: Option<bool>, effect: Effect, asks: bool| {
        let bench = Bench::with(Policy::default(), ApprovalMode::DenyAll);
        bench.executor.set_default_approval(default);
        bench.host.with(|app| {
            app.tweak_action("sort", move |action| {
                action.confirm = confirm;
                action.effect = effect;
            });
        });
        let receipt = bench.invoke("sort", json!({ "choice": "Oldest" })).await;
        let code = asks.then_some(Code::ApprovalDenied);
        assert_eq!(receipt.code(), code, "{default:?} {confirm:?} {effect:?}");
    };
    check(DefaultApproval::Never, None, Effect::Danger, false).await;
    check(DefaultApproval::Danger, None, Effect::Danger, true).await;
    check(DefaultApproval::Danger, None, Effect::Write, false).await;
    check(DefaultApproval::Write, None, Effect::Write, true).await;
    check(DefaultApproval::Write, None, Effect::Read, false).await;
    check(DefaultApproval::Always, None, Effect::Read, true).await;
    check(DefaultApproval::Always, Some(false), Effect::Danger, false).await;
    check(DefaultApproval::Never, Some(true), Effect::Read, true).await;
}

#[tokio::test(start_paused = true)]
async fn d07_the_first_decision_wins_and_runs_it_once() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "clear_done", json!({})).await;
    let approvals = bench.executor.approvals();
    assert!(approvals.decide(&asking.id, Decision::Allow));
    assert!(
        !approvals.decide(&asking.id, Decision::Allow),
        "a double click decides nothing"
    );
    assert!(!approvals.decide(&asking.id, DENY), "nor does a change of mind");
    assert!(!approvals.clone().expire(&asking.id));
    assert!(asking.receipt.await.unwrap().is_ok());
    assert!(!approvals.decide(&asking.id, Decision::Allow));
    bench.observe().await;
    assert_eq!(bench.host.handled(), ["clear_done"]);
}

#[tokio::test(start_paused = true)]
async fn d08_what_changed_since_it_was_asked_does_not_run() {
    let check = async |edit: fn(&mut App), code: Code, words: &str| {
        let bench = Bench::new();
        let asking = ask_to_delete(&bench).await;
        bench.host.with(edit);
        assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
        let receipt = asking.receipt.await.unwrap();
        assert_eq!(receipt.code(), Some(code), "{receipt:?}");
        assert!(message(&receipt).contains(words), "{}", message(&receipt));
        assert_eq!(bench.host.handled(), [""; 0]);
    };
    let renamed: fn(&mut App) = |app| app.todo("t2").title = "Wine".to_owned();
    check(renamed, Code::ApprovalStale, "was \"Bread\" and is \"Wine\" now").await;
    check(
        |app| app.todo("t2").done = true,
        Code::ApprovalStale,
        "the field `done` of the record changed",
    )
    .await;
    let declared: fn(&mut App) = |app| app.tweak_action("delete", |action| action.description = "Burn it".into());
    check(declared, Code::ApprovalStale, "declared differently").await;
    let previewed: fn(&mut App) = |app| app.tweak_action("delete", |action| action.preview = Some("all".into()));
    check(previewed, Code::ApprovalStale, "described differently").await;
    check(|app| app.remove("t2"), Code::RecordGone, "\"t2\"").await;
    check(
        |app| app.set_availability("delete", Availability::Disabled),
        Code::Unavailable,
        "disabled",
    )
    .await;
    check(|app| app.dialog = true, Code::Unavailable, "covered by \"Settings\"").await;
    check(|app| app.hidden = true, Code::WindowHidden, "hidden").await;
}

#[tokio::test(start_paused = true)]
async fn d08_rules_that_tighten_while_a_call_waits_its_turn_hold_for_it() {
    let mut policy = Policy::default();
    policy.min_action_interval = Duration::from_secs(5);
    let bench = Bench::with(policy.clone(), ApprovalMode::Ask);
    assert!(bench.invoke("toggle", json!({ "record": "t1" })).await.is_ok());
    let seen = bench.observe().await;
    let waiting = bench.call(&seen, "toggle", json!({ "record": "t2" }));
    let (executor, id) = (bench.executor.clone(), waiting.id.clone());
    let receipt = tokio::spawn(async move { executor.invoke(waiting, &CancellationToken::new()).await });
    sleep(Duration::from_secs(1)).await;
    policy.default_approval = DefaultApproval::Write;
    bench.executor.configure(&policy);
    sleep(Duration::from_secs(10)).await;
    let approvals = bench.executor.approvals();
    assert_eq!(approvals.pending().len(), 1, "the user is asked after all");
    assert!(approvals.decide(&id, DENY));
    assert_eq!(receipt.await.unwrap().code(), Some(Code::ApprovalDenied));
    assert_eq!(bench.host.handled(), ["toggle t1"]);
}

#[tokio::test(start_paused = true)]
async fn d08_a_flip_that_the_user_made_meanwhile_is_not_undone() {
    let bench = Bench::new();
    bench.host.with(|app| {
        app.tweak_action("toggle", |action| action.confirm = Some(true));
        // The check mark is only the widget's value here, not a field as well.
        app.tweak(|page| {
            for facts in &mut page.records {
                std::sync::Arc::make_mut(&mut facts.record).fields.clear();
            }
        });
    });
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "toggle", json!({ "record": "t1" })).await;
    bench.host.with(|app| app.todo("t1").done = true);
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    assert_eq!(receipt.code(), Some(Code::ApprovalStale), "{receipt:?}");
    // With a stated end there is nothing to undo.
    let asking = bench
        .ask(&seen, "toggle", json!({ "record": "t2", "checked": true }))
        .await;
    bench.host.with(|app| app.todo("t2").done = true);
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    assert!(asking.receipt.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn d08_a_scrolled_list_does_not_void_an_approval() {
    let bench = Bench::new();
    let asking = ask_to_delete(&bench).await;
    bench.host.with(|app| app.scrolled_out.insert("t2".to_owned()));
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    assert!(asking.receipt.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn d09_a_decision_after_cancel_does_nothing() {
    let bench = Bench::new();
    let asking = ask_to_delete(&bench).await;
    asking.cancel.cancel();
    // At once, before the call had a chance to notice.
    assert!(bench.executor.approvals().pending().is_empty());
    assert!(!bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    assert_eq!(receipt.code(), Some(Code::Cancelled));
    assert!(receipt.stops_batch());

    let asking = ask_to_delete(&bench).await;
    asking.receipt.abort();
    assert!(asking.receipt.await.unwrap_err().is_cancelled());
    assert!(bench.executor.approvals().pending().is_empty());
    assert!(!bench.executor.approvals().decide(&asking.id, Decision::Allow));
    bench.observe().await;
    assert_eq!(bench.host.handled(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn d09_cancelled_right_after_it_was_allowed_it_does_not_run() {
    let bench = Bench::new();
    let asking = ask_to_delete(&bench).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    asking.cancel.cancel();
    assert_eq!(asking.receipt.await.unwrap().code(), Some(Code::Cancelled));
    assert_eq!(bench.host.handled(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn d17_a_denied_call_is_not_asked_about_again_until_the_user_speaks() {
    let bench = Bench::new();
    let asking = ask_to_delete(&bench).await;
    let words = Decision::Deny {
        message: Some("keep the bread".to_owned()),
    };
    assert!(bench.executor.approvals().decide(&asking.id, words));
    let receipt = asking.receipt.await.unwrap();
    assert_eq!(receipt.code(), Some(Code::ApprovalDenied));
    assert!(message(&receipt).contains("Do not retry") && message(&receipt).contains("keep the bread"));
    assert!(receipt.stops_batch());

    // The same again: no second card. Had there been one, this would wait for ever.
    let receipt = bench.invoke("delete", json!({ "record": "t2" })).await;
    assert_eq!(receipt.code(), Some(Code::ApprovalDenied));
    assert!(message(&receipt).contains("already said no"));
    // Another record is another question.
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "delete", json!({ "record": "t1" })).await;
    assert!(bench.executor.approvals().expire(&asking.id));
    let receipt = asking.receipt.await.unwrap();
    assert_eq!(receipt.code(), Some(Code::ApprovalExpired));
    assert!(message(&receipt).contains("no denial"), "{}", message(&receipt));
    // Nobody said no to that one, and after a new message both may be asked about.
    let asking = bench.ask(&seen, "delete", json!({ "record": "t1" })).await;
    assert!(bench.executor.approvals().decide(&asking.id, DENY));
    asking.receipt.await.unwrap();
    bench.executor.forget_denials();
    let asking = ask_to_delete(&bench).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    assert!(asking.receipt.await.unwrap().is_ok());
    assert_eq!(bench.host.handled(), ["delete t2"]);
}

#[tokio::test(start_paused = true)]
async fn modes_answer_at_once_and_never_stand_in_for_the_user() {
    let bench = Bench::with(Policy::default(), ApprovalMode::DenyAll);
    let receipt = bench.invoke("clear_done", json!({})).await;
    assert_eq!(receipt.code(), Some(Code::ApprovalDenied));
    let approvals = bench.executor.approvals();
    approvals.set_mode(ApprovalMode::AllowAll);
    assert!(
        bench.invoke("clear_done", json!({})).await.is_ok(),
        "nobody's denial is remembered"
    );
    let receipt = bench.invoke("pay", json!({})).await;
    assert_eq!(receipt.code(), Some(Code::HandoffDeclined));
    assert!(receipt.stops_batch());
    assert_eq!(bench.host.handled(), ["clear_done"]);
}

#[tokio::test(start_paused = true)]
async fn a_handoff_is_done_by_the_user_and_read_from_the_page() {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "pay", json!({})).await;
    let card = bench.executor.approvals().pending().remove(0);
    assert_eq!(card.handoff.as_deref(), Some("only you know the card"));
    bench.host.with(|app| app.remove("t1"));
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    let receipt = asking.receipt.await.unwrap();
    assert!(receipt.is_ok(), "{receipt:?}");
    assert!(receipt.changed.as_ref().unwrap().observed());
    assert!(receipt.warning.as_deref().unwrap().contains("the user did this step"));
    assert!(receipt.stops_batch(), "the page is not what the batch was made for");
    assert_eq!(bench.host.handled(), [""; 0], "the executor clicks nothing");

    let asking = bench.ask(&seen, "pay", json!({})).await;
    assert!(bench.executor.approvals().decide(&asking.id, DENY));
    let receipt = asking.receipt.await.unwrap();
    assert_eq!(receipt.code(), Some(Code::HandoffDeclined));

    // Declared where it is drawn, by the host.
    let bench = Bench::new();
    bench
        .host
        .with(|app| app.set_availability("sort", Availability::Handoff("your taste".into())));
    let seen = bench.observe().await;
    let asking = bench.ask(&seen, "sort", json!({ "choice": "Oldest" })).await;
    assert!(bench.executor.approvals().decide(&asking.id, Decision::Allow));
    assert!(asking.receipt.await.unwrap().is_ok());
    assert_eq!(bench.host.handled(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn every_question_is_told_of_and_so_is_how_it_ended() {
    async fn outcomes(bench: &Bench, mut drive: impl AsyncFnMut(&Asking)) -> Vec<&'static str> {
        let mut events = bench.executor.approvals().subscribe();
        let asking = ask_to_delete(bench).await;
        drive(&asking).await;
        let id = asking.id;
        drop(asking.receipt.await);
        let mut told = Vec::new();
        while let Ok(event) = events.try_recv() {
            match event {
                ApprovalEvent::Asked(approval) => {
                    assert_eq!(approval.call_id, id);
                    told.push("asked");
                }
                ApprovalEvent::Decided {
                    call_id,
                    action,
                    outcome,
                } => {
                    assert_eq!((call_id.as_str(), action.id.as_str()), (id.as_str(), "delete"));
                    told.push(outcome.as_str());
                }
            }
        }
        bench.executor.forget_denials();
        told
    }
    let bench = Bench::new();
    let approvals = bench.executor.approvals().clone();
    let decide = |decision: Decision| {
        let approvals = approvals.clone();
        async move |asking: &Asking| assert!(approvals.decide(&asking.id, decision.clone()))
    };
    assert_eq!(outcomes(&bench, decide(DENY)).await, ["asked", "denied"]);
    assert_eq!(
        outcomes(&bench, async |asking| assert!(approvals.expire(&asking.id))).await,
        ["asked", "expired"]
    );
    assert_eq!(
        outcomes(&bench, async |asking| asking.cancel.cancel()).await,
        ["asked", "cancelled"]
    );
    assert_eq!(
        outcomes(&bench, async |asking| asking.receipt.abort()).await,
        ["asked", "cancelled"]
    );
    assert_eq!(outcomes(&bench, decide(Decision::Allow)).await, ["asked", "allowed"]);

    let bench = Bench::trusted();
    let mut events = bench.executor.approvals().subscribe();
    assert!(bench.invoke("clear_done", json!({})).await.is_ok());
    assert!(matches!(events.try_recv(), Ok(ApprovalEvent::Asked(_))));
    let decided = events.try_recv();
    assert!(
        matches!(
            decided,
            Ok(ApprovalEvent::Decided {
                outcome: ApprovalOutcome::Allowed,
                ..
            })
        ),
        "{decided:?}"
    );
}

/// What happens to a waiting call, and when.
#[derive(Clone, Debug)]
enum Step {
    Allow,
    Deny,
    Expire,
    Cancel,
    Rename,
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        Just(Step::Allow),
        Just(Step::Deny),
        Just(Step::Expire),
        Just(Step::Cancel),
        Just(Step::Rename),
        (0..60_u64).prop_map(Step::Wait),
    ];
    proptest::collection::vec(step, 0..12)
}

proptest! {
    #[test]
    fn every_call_has_one_receipt_and_at_most_one_execution(calls in proptest::collection::vec(steps(), 1..4)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let bench = Bench::new();
            let seen = bench.observe().await;
            // All are queued at once; decisions on those that are not open yet must do nothing.
            let mut waiting = Vec::new();
            for (record, steps) in ["t1", "t2", "t3"].into_iter().zip(calls) {
                let call = bench.call(&seen, "delete", json!({ "record": record }));
                let cancel = CancellationToken::new();
                let (executor, token, id) = (bench.executor.clone(), cancel.clone(), call.id.clone());
                let receipt = tokio::spawn(async move { executor.invoke(call, &token).await });
                waiting.push((record, id, cancel, receipt, steps));
            }
            for (record, id, cancel, receipt, steps) in waiting {
                let approvals = bench.executor.approvals();
                let mut allowed = false;
                let mut decided = 0;
                for step in steps {
                    let counts = match step {
                        Step::Allow => {
                            let counts = approvals.decide(&id, Decision::Allow);
                            allowed |= counts;
                            counts
                        }
                        Step::Deny => approvals.decide(&id, DENY),
                        Step::Expire => approvals.expire(&id),
                        Step::Cancel => {
                            cancel.cancel();
                            false
                        }
                        Step::Rename => {
                            bench.host.with(|app| {
                                let renamed = app.todos.iter_mut().find(|todo| todo.id == record);
                                renamed.into_iter().for_each(|todo| todo.title.push('!'));
                            });
                            false
                        }
                        Step::Wait(millis) => {
                            sleep(Duration::from_millis(millis)).await;
                            false
                        }
                    };
                    decided += usize::from(counts);
                }
                prop_assert!(decided <= 1, "one decision at most");
                // Whatever is still open ends here.
                sleep(Duration::from_secs(5)).await;
                cancel.cancel();
                let receipt = receipt.await.unwrap();
                prop_assert_eq!(&receipt.call_id, &id);
                let handler = format!("delete {record}");
                let ran = bench.host.handled().iter().filter(|handled| **handled == handler).count();
                prop_assert!(ran <= 1);
                prop_assert!(ran == 0 || allowed, "nothing runs unapproved");
                prop_assert_eq!(ran == 1, receipt.changed.is_some(), "{:?}", receipt);
            }
            Ok(())
        })?;
    }
}
