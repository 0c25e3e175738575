//! The assistant panel: keyboard, cards, streaming, looks.

mod bench; // the app under test, and its user
mod cards; // questions, handoffs, grants
mod composer; // keys, input methods, history
mod conversation; // streaming, links, errors, idle
mod film; // the README's animated picture
mod inspector; // what the assistant sees
mod keyboard; // everything without a pointer
mod looks; // images
mod palette; // actions without a model
mod presence; // the assistant beside the user
mod reader; // what is said aloud
mod settings; // who answers
mod strings; // another language
mod windows; // outlines elsewhere

use bench::{Bench, COMPOSER, Setup, Shown, delete_milk, is_painted, painted_texts};
