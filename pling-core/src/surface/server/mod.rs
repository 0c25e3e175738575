//! The Surface over loopback HTTP, inside the application: the Model Context Protocol at `/mcp`, and plain JSON.
//!
//! Nothing listens until [`Surface::serve`](super::Surface::serve) is called. Every run has a port (unless one is
//! asked for) and a token of its own, written to a file that only this user can read ([`running`] finds them).
//!
//! Each request passes, in this order: `Host` is this listener, under a loopback name and with its port; `Origin`,
//! where a browser sends one, is this listener or allowed; the bearer token is that of this run; the rate; the body
//! has an end, in size and in time. The rest is up to the limits of the client, which is who it says it is.
//!
//! | request | answer |
//! | --- | --- |
//! | `POST /mcp` | Streamable HTTP, revisions 2024-11-05 to 2026-07-28 |
//! | `POST /describe` | a [`Description`](super::Description) |
//! | `POST /search` `{"query","skip"?}` | [`Found`](super::Found) |
//! | `POST /invoke` `{"action","arguments"}` | an [`Answer`](super::Answer) |
//! | `POST /wait` `{"handle"}` | an [`Answer`](super::Answer) |
//!
//! A client of the plain form names itself in the header `X-Pling-Client`. Whoever closes the connection before the
//! answer has left: what was not delivered never is.

mod departure;
mod door;
mod guard;
mod listen;
mod mcp;
mod per_action;
mod plain;
mod rendezvous;
mod rooms;
mod tools;

pub use listen::{ServeError, ServeOptions, Serving};
pub use rendezvous::{Running, running};
