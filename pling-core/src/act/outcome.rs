//! From a performed operation to its receipt: what was seen, and whether it is what the author expects.

use std::sync::Arc;

use super::{Code, Performed, Receipt, SettleLimits, check::Checked, expectation::Awaited, gates::Passage};
use crate::{
    platform::{Duration, now, sleep},
    snapshot::Snapshot,
};

/// Between two looks at a quiet page whose expectation is open. Looking costs the app a few passes.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// How the wait for what is expected ended.
enum Wait {
    Met,
    Unmet(Awaited),
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
    let wait = wait_for(passage, checked, after, &mut settled).await;
    let after = passage.latest(&checked.before);
    let changes = checked.before.changes_to(&after);
    if !settled {
        warnings.push("the page was still changing when this was read".to_owned());
    }
    if matches!(wait, Wait::Cancelled) {
        warnings.push("it ran, and was cancelled before what its author expects was seen".to_owned());
    }

    let mut receipt = Receipt::done(passage.call_id(), checked.action_ref(), changes);
    if let Wait::Unmet(awaited) = wait {
        let message = format!("it ran, but {}", awaited.unmet(&checked.before, &after));
        receipt.error = Some((Code::ExpectationFailed, message));
        receipt.feedback = passage.feedback();
    }
    receipt.value = value.filter(|_| !sensitive);
    receipt.warning = (!warnings.is_empty()).then(|| warnings.join("; "));
    receipt
}

/// Looks at the page until all that is expected was seen, or one of it cannot come any more or is out of time.
async fn wait_for(passage: &mut Passage<'_>, checked: &Checked, mut after: Arc<Snapshot>, settled: &mut bool) -> Wait {
    let limits = passage.settle_limits();
    let mut open = Awaited::of(&checked.action, limits);
    let rested = now();
    while !open.is_empty() {
        let changes = checked.before.changes_to(&after);
        open.retain(|awaited| !awaited.is_met(&checked.before, &after, &changes));
        let left = |awaited: &Awaited| (rested + awaited.time(&after)).saturating_duration_since(now());
        let lost = open
            .iter()
            .position(|awaited| left(awaited).is_zero() || !awaited.can_still_come(&after, &changes));
        if let Some(lost) = lost {
            return Wait::Unmet(open.swap_remove(lost));
        }
        let Some(left) = open.iter().map(left).min() else {
            break;
        };
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
            Ok(Err(_)) => return Wait::Unmet(open.swap_remove(0)),
            Err(_) => return Wait::Cancelled,
        }
    }
    Wait::Met
}
