//! The Agent Surface: what an outside agent may do with a running application, whatever carries its words.
//!
//! A [`Surface`] stands over the one [`Executor`](crate::act::Executor), beside the assistant, and knows nothing of it.
//! Each [`Client`] has an identity, permissions and limits of its own, and four verbs: [`Client::describe`],
//! [`Client::search`], [`Client::invoke`], [`Client::wait`]. Everything they take and give is plain data ([`SCHEMA`]).
//!
//! A client cannot consent to anything: what the user has to be asked about is asked in the application's window.
//! A call that takes longer than a client should wait answers with a handle, and goes on as long as its client comes
//! back for it. A client that is gone takes its calls along: a dropped future of [`Client::invoke`] or
//! [`Client::wait`], a handle that nobody asks for, [`Client::leave`] each withdraw what was not delivered.
//!
//! With the feature `mcp`, the module `server` carries these verbs over the Model Context Protocol and as plain JSON.

mod calls;
mod client;
mod handle;
mod limits;
mod search;
#[cfg(all(feature = "mcp", not(target_arch = "wasm32")))]
pub mod server;
mod verb;
mod wire;

pub use client::Client;
pub use handle::Surface;
pub use limits::ClientLimits;
pub use verb::Verb;
pub use wire::{
    ActionInfo, Answer, Description, Failure, Found, InvokeRequest, Outcome, SCHEMA, SearchRequest, WaitRequest,
};
