//! From a performed operation to its receipt: what was seen, and whether it is what the author expects.

use std::sync::Arc;

use super::{
    Code, Performed, Receipt, SettleLimits,
    check::Checked,
    expectation::{self, can_still_come, is_met},
    gates::Passage,
};
use crate::{
    model::Expect,
    platform::{Duration, now, sleep},
    snapshot::Snapshot,
};

/// Between two looks at a quiet page whose expectation is open. Looking costs the app a few passes.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How the wait for an expectation ended.
enum Wait {
    Met,
    Unmet,
    Cancelled,
}

/// The receipt of an operation that reached its widget.
pub(super) async fn conclude(passage: &mut Passage<'_>, checked: &Checked, performed: Performed) -> Receipt {
    let Performed {
        after,
        mut settled,
        value,
        warning,
    } = performed;
    let sensitive = checked.action.sensitive;
    let mut warnings: Vec<String> = checked.warning.iter().cloned().collect();
    warnings.extend(warning.map(|words| match sensitive {
        // What a widget made of a secret says something about the secret.
        true => "the widget did not take exactly what was asked".to_owned(),
        false => words,
    }));

    passage.saw(&after);
    let wait = match &checked.action.expect {
        Some(expect) => wait_for(passage, expect, checked, after, &mut settled).await,
        None => Wait::Met,
    };
    let after = passage.latest(&checked.before);
    let changes = checked.before.changes_to(&after);
    if !settled {
        warnings.push("the page was still changing when this was read".to_owned());
    }
    if let Some(region) = &checked.action.opens
        && !expectation::has_region(&after, region.as_str())
    {
        warnings.push(format!("the region `{region}` did not open"));
    }
    if matches!(wait, Wait::Cancelled) {
        warnings.push("it ran, and was cancelled before what its author expects was seen".to_owned());
    }

    let mut receipt = Receipt::done(passage.call_id(), checked.action_ref(), changes);
    if let (Wait::Unmet, Some(expect)) = (wait, &checked.action.expect) {
        let expected = expectation::describe(expect);
        let message = format!("it ran, but {expected} was expected and not seen");
        receipt.error = Some((Code::ExpectationFailed, message));
        receipt.feedback = passage.feedback();
    }
    receipt.value = value.filter(|_| !sensitive);
    receipt.warning = (!warnings.is_empty()).then(|| warnings.join("; "));
    receipt
}

/// Looks at the page until the expectation is met, cannot come any more, or its time is over.
async fn wait_for(
    passage: &mut Passage<'_>,
    expect: &Expect,
    checked: &Checked,
    mut after: Arc<Snapshot>,
    settled: &mut bool,
) -> Wait {
    let limits = passage.settle_limits();
    let deadline = now() + limits.busy;
    loop {
        let changes = checked.before.changes_to(&after);
        if is_met(expect, &checked.before, &after, &changes) {
            return Wait::Met;
        }
        let left = deadline.saturating_duration_since(now());
        if left.is_zero() || !can_still_come(expect, &after, &changes) {
            return Wait::Unmet;
        }
        let limits = SettleLimits {
            idle: limits.idle.min(left),
            busy: left,
        };
        let host = passage.host();
        let look = async {
            sleep(LOOK_AGAIN.min(left)).await;
            host.settle(limits).await
        };
        match passage.unless_cancelled(look).await {
            Ok(Ok(page)) => {
                after = page.snapshot;
                *settled = page.settled;
                passage.saw(&after);
            }
            // No page to look at: what was seen before has to do.
            Ok(Err(_)) => return Wait::Unmet,
            Err(_) => return Wait::Cancelled,
        }
    }
}
