//! What an author writes: small declarations on the widgets, rows and regions that already exist.
//!
//! Each method hands its declaration to the pass being collected ([`crate::collect`]). While nobody
//! observes there is none, and a declaration does nothing but (for records and regions) make the child
//! `Ui` that keeps widget ids stable.

mod context_ext;
mod function;
mod page;
mod record;
mod region;
mod response_ext;
mod rows;
mod source;
#[cfg(feature = "table")]
mod table_ext;
mod tool;
mod ui_ext;

pub use context_ext::ContextExt;
pub use function::ToolCall;
pub use page::Page;
pub use record::Record;
pub use region::Region;
pub use response_ext::ResponseExt;
pub use source::RecordSource;
#[cfg(feature = "table")]
pub use table_ext::{RecordRow, TableRowExt};
pub use tool::Tool;
pub(crate) use tool::{Declared, Manner};
pub use ui_ext::UiExt;
