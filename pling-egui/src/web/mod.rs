//! What a page in a browser can give the app in it: a place to keep the conversation, and doors for outside agents.
//!
//! Nothing here happens by itself: each function is called by the app, once, and what it returns ends it when dropped.
//! The chapter is [`crate::doc::web`].

mod conversation;
mod keys;
mod offer;
mod post_message;
mod script;

pub use conversation::{Kept, keep_conversation};
pub use keys::{Claimed, claim_shortcut};
pub use offer::{Offered, offer_tools};
pub use post_message::{BadOrigin, Listening, listen};
