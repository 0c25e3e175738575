//! The assistant panel: a view of the session and a desk to answer it from.
//!
//! The model is the [`Transcript`]. It hears the session's events, on whatever thread they come, and keeps entries
//! that are ready to draw; nothing is formatted in a pass. [`AssistantPanel`] draws what is in view of them, the
//! open question to the user if there is one, and the composer. What the user does goes to the session, and comes
//! back as events. What the user has typed lives in the [`desk`], beside egui's own memory of the panel.
//!
//! Everything a model or a page wrote passes [`visible`] before it is drawn. No image is ever loaded, and no link
//! is followed before the user agreed to its address.

mod activity;
mod approval_card;
mod assistant;
mod card;
mod column;
mod composer;
mod conversation;
mod desk;
mod entry;
mod handoff_card;
mod header;
mod inspector;
mod link_card;
mod log;
mod look;
mod markdown;
mod names;
mod outline;
mod palette;
mod permissions;
mod presence;
mod prose;
mod settings;
mod strings;
mod suggestions;
mod transcript;
mod visible;
mod voice;
mod words;

pub use assistant::AssistantPanel;
pub(crate) use outline::{Outline, Outlines, draw as draw_outlines};
pub use strings::PanelText;
pub(crate) use strings::Strings;
pub(crate) use transcript::Transcript;
