//! One call of any caller, straight to the executor.

use pling_core::{
    act::{CancellationToken, Code, Decision},
    platform::{Duration, sleep},
};
use serde_json::json;

use super::{block_on, sequences};
use crate::support::Bench;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Happening {
    Allow,
    AllowForSession,
    Deny,
    Expire,
    Cancel,
    /// The client went away: nobody waits for the receipt any more.
    Gone,
    /// The window is minimized, or comes back.
    Hide,
    /// The user does in the application what the call was to do.
    Overtake,
    /// A pass goes by.
    Pass,
}

const ALL: [Happening; 9] = [
    Happening::Allow,
    Happening::AllowForSession,
    Happening::Deny,
    Happening::Expire,
    Happening::Cancel,
    Happening::Gone,
    Happening::Hide,
    Happening::Overtake,
    Happening::Pass,
];

#[test]
fn a_call_runs_at_most_once_and_never_unapproved() {
    let (mut ran, mut refused) = (0, 0);
    for sequence in sequences(&ALL, 3) {
        for is_open in [false, true] {
            match block_on(play(&sequence, is_open)) {
                true => ran += 1,
                false => refused += 1,
            }
        }
    }
    assert!(ran > 100 && refused > 500, "{ran} {refused}");
}

/// Plays a sequence on a deletion, from before it begins or from when the card is open; whether it ran.
async fn play(sequence: &[Happening], is_open: bool) -> bool {
    let bench = Bench::new();
    let seen = bench.observe().await;
    let call = bench.call(&seen, "delete", json!({ "record": "t2" }));
    let (id, cancel) = (call.id.clone(), CancellationToken::new());
    let (executor, token) = (bench.executor.clone(), cancel.clone());
    let mut events = bench.executor.approvals().subscribe();
    let calling = tokio::spawn(async move { executor.invoke(call, &token).await });
    if is_open {
        events.recv().await.expect("a question");
    }
    let approvals = bench.executor.approvals();
    let (mut decisions, mut allowed) = (0, false);
    for happening in sequence {
        let counts = match happening {
            Happening::Allow => approvals.decide(&id, Decision::Allow),
            Happening::AllowForSession => approvals.decide(&id, Decision::AllowForSession),
            Happening::Deny => approvals.decide(&id, Decision::Deny { message: None }),
            Happening::Expire => approvals.expire(&id),
            Happening::Cancel => {
                cancel.cancel();
                false
            }
            Happening::Gone => {
                calling.abort();
                tokio::task::yield_now().await;
                false
            }
            Happening::Hide => {
                bench.host.with(|app| app.hidden = !app.hidden);
                false
            }
            Happening::Overtake => {
                bench.host.with(|app| app.remove("t2"));
                false
            }
            Happening::Pass => {
                sleep(Duration::from_millis(17)).await;
                false
            }
        };
        decisions += usize::from(counts);
        allowed |= counts && matches!(happening, Happening::Allow | Happening::AllowForSession);
    }
    bench.host.with(|app| app.hidden = false);
    // Whatever is still open when everybody has gone home is withdrawn.
    sleep(Duration::from_secs(60)).await;
    cancel.cancel();
    let receipt = calling.await.ok();
    assert_eq!(
        receipt.is_none(),
        sequence.contains(&Happening::Gone) && receipt.is_none()
    );
    assert!(decisions <= 1, "{sequence:?}: the first decision wins");
    assert!(approvals.pending().is_empty(), "{sequence:?}");
    let handled = bench.host.handled();
    assert!(handled.len() <= 1, "{sequence:?}: {handled:?}");
    assert!(
        handled.is_empty() || allowed,
        "{sequence:?}: ran without a word of the user"
    );
    if let Some(receipt) = receipt {
        assert_eq!(receipt.call_id, id);
        assert_eq!(
            receipt.changed.is_some(),
            !handled.is_empty(),
            "{sequence:?}: {receipt:?}"
        );
    }
    // Decided too late, nothing happens; and the next call has its turn.
    assert!(!approvals.decide(&id, Decision::Allow));
    let next = bench.invoke("toggle", json!({ "record": "t1" })).await;
    assert!(next.is_ok(), "{sequence:?}: {next:?}");
    let after = bench.host.handled();
    assert_eq!(after.len(), handled.len() + 1, "{sequence:?}: {after:?}");
    assert_ne!(next.code(), Some(Code::ApprovalDenied));
    !handled.is_empty()
}
