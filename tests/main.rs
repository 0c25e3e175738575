//! Behaviour of the whole, through public doors only.

mod support;

// The model client, against a loopback server that misbehaves as servers do.
mod llm_client; // requests, errors, retries, replies in one piece
mod llm_stream; // replies in pieces

// The offline planner, as any other model sees a page.
mod offline;
