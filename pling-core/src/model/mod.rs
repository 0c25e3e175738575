//! The nouns: what a page is made of, as its author declared it.
//!
//! Everything here is plain data. Facts observed in a pass (where a widget is, whether it can be used)
//! belong to [`crate::snapshot`]. Two kinds of text meet in these types, and each field says which it is:
//! *authored* text was written by the application's developer; *page data* may come from anyone.

mod action;
mod expect;
mod feedback;
mod id;
mod input;
mod page;
mod record;
mod region;
mod state_view;

pub use action::{Action, Effect};
pub use expect::Expect;
pub use feedback::{Feedback, Level};
pub use id::{ActionId, RecordId, RegionId, RegionPath};
pub use input::{Input, InputDoc};
pub use page::PageIdentity;
pub use record::Record;
pub use region::{Region, RegionRole};
pub use state_view::StateView;
