//! What has to look at many orders, done in slices: one in each pass, so that the window never stands still.

mod bulk;
mod export;
mod merge;
mod query;
mod rows;
mod selection;
mod totals;
mod view;

pub use bulk::Bulk;
pub use export::{Export, Sink};
pub use query::{Column, Query, Sort};
pub use rows::Rows;
pub use selection::Selection;
pub use totals::Totals;
pub use view::View;

/// Orders looked at in one pass: a few milliseconds' worth, without optimizations.
const SLICE: usize = 32_768;

/// A part of a whole, 0 to 1.
fn share(done: usize, all: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a progress bar is not that long")]
    if all == 0 { 1.0 } else { done as f32 / all as f32 }
}
