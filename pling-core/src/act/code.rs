//! The stable names of everything that can go wrong with a call.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Why a call was refused or failed: a closed set with stable names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[$doc])* $variant,)* }

        impl Code {
            /// Every code, in the order of the gates.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The stable name, such as `UNKNOWN_ACTION`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

codes! {
    /// No action of this name was ever offered here.
    UnknownAction = "UNKNOWN_ACTION",
    /// The action was offered before and is not on the page now.
    ActionGone = "ACTION_GONE",
    /// The session does not allow this action.
    NotPermitted = "NOT_PERMITTED",
    /// The arguments do not fit; the message names the argument.
    InvalidArguments = "INVALID_ARGUMENTS",
    /// No record of this id was ever seen here.
    UnknownRecord = "UNKNOWN_RECORD",
    /// The record was here before and is not now.
    RecordGone = "RECORD_GONE",
    /// More than one widget answers to this action and record.
    AmbiguousTarget = "AMBIGUOUS_TARGET",
    /// It exists but cannot be used now; the reason says why.
    Unavailable = "UNAVAILABLE",
    /// A pre-hook of the application blocked it.
    HookBlocked = "HOOK_BLOCKED",
    /// The user said no.
    ApprovalDenied = "APPROVAL_DENIED",
    /// Nobody answered in time. Not a denial.
    ApprovalExpired = "APPROVAL_EXPIRED",
    /// What was approved is not what would run now.
    ApprovalStale = "APPROVAL_STALE",
    /// The user has not decided yet.
    ApprovalPending = "APPROVAL_PENDING",
    /// The user did not do the step only the user can do.
    HandoffDeclined = "HANDOFF_DECLINED",
    /// The run was cancelled before this ran.
    Cancelled = "CANCELLED",
    /// An earlier call of the same reply stopped the batch.
    Skipped = "SKIPPED",
    /// A bounded wait ended.
    Timeout = "TIMEOUT",
    /// No pass was drawn: the window is hidden or minimized.
    WindowHidden = "WINDOW_HIDDEN",
    /// The widget did not report the click or change.
    NotDelivered = "NOT_DELIVERED",
    /// There is no way to operate this widget.
    Unsupported = "UNSUPPORTED",
    /// It ran, and what its author expects was not seen.
    ExpectationFailed = "EXPECTATION_FAILED",
    /// The application's own code reported a failure.
    HandlerFailed = "HANDLER_FAILED",
    /// The same call on an unchanged page, again and again.
    NoProgress = "NO_PROGRESS",
}

impl Code {
    /// Whether the call itself was the mistake: another one, made with a look at the page, may do.
    #[must_use]
    pub fn is_mistaken_call(self) -> bool {
        matches!(
            self,
            Self::UnknownAction
                | Self::ActionGone
                | Self::NotPermitted
                | Self::InvalidArguments
                | Self::UnknownRecord
                | Self::RecordGone
                | Self::AmbiguousTarget
                | Self::Unavailable
        )
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
