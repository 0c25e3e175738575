//! Pling's tests: behavior of the whole, through public doors only. One binary, one module for each topic.
//! Cases are named after their ids in the list of failures that users of similar products reported.

mod support;

// What a model sees, and what a receipt may claim.
mod diff; // the difference of two snapshots
mod observation; // golden text, folding, budgets, trust
mod observation_props; // the same for any snapshot
mod receipt_props; // any receipt is bounded and honest; any difference is told

// What the executor refuses, runs and says about it, over a fake app.
mod approvals; // the user's decision: once, bound to what was shown, gone with the call
mod audit; // who called what, on whose word, and what came of it
mod discovery; // ways to see more, and actions without a tool of their own
mod executor; // the gates: what is refused before anything runs
mod expectations; // what an author expects to see afterwards, each kind met and unmet
mod handoff; // a step that only the user can do
mod receipts; // what is said of a call that ran
mod turns; // one call at a time: order, distance, cancel, batches

// The model client, against a loopback server that misbehaves as servers do.
mod cassette; // real replies, recorded once and played back
mod llm_cases; // the same through a whole session: what runs, and what is sent next
mod llm_client; // requests, errors, retries, replies in one piece
mod llm_stream; // replies in pieces
mod offline; // the offline planner, as any other model sees a page
mod peers; // servers that others wrote, from their recordings
mod probe; // every outcome of a settings page's test button
mod profiles; // what differs between providers
mod tokens; // the estimate, held to a tokenizer's counts

// The dialogue.
mod budgets; // what one message may spend
mod checkpoint; // a conversation that outlives its process
mod compaction; // a conversation that does not fit any more
mod config; // where configuration comes from, and every complaint about it
mod interleavings; // every order of everything that can happen to a waiting call
mod run; // the step machine of a run, fed by hand
mod session; // the handle and its driver, with a scripted model and a fake app

// Outside agents.
mod crowd; // many clients and the assistant at once: nothing lost, nothing twice, nothing kept
mod gateway; // the example that holds a provider's key for an app in a browser
mod mcp; // the same over HTTP: who is let in, the protocol, its official client
mod surface; // clients of the Surface: limits, handles, approvals, clients that leave

// An egui app with an agent.
mod adopt; // three tools as people have them: what declaring costs, and what it gives
mod canary; // what is declared sensitive is in nothing that leaves the app
mod deliver; // one widget of each sort, operated through its own handler
mod hazards; // moving rows, endless repaints, other threads, egui's own lock
mod lists; // lists of every make and size: revealed, then operated by their own widgets
mod orders_app; // the orders example: a million rows, forms, approvals, work that takes long, two windows
mod page_facts; // what a page says of itself: values, regions, availability, feedback
mod panel; // the assistant panel: keyboard, cards, streaming, looks
mod plain; // the to-do example with and without its declarations
mod regions; // windows, dialogs, closed sections, records without a place of their own
mod screen_reader; // what a screen reader is told, and that it is never cut off
mod sources; // record sets of which only a few rows are drawn
mod todo_app; // the to-do example: what the first slice must show
mod viewports; // windows of their own: one page, closed and hidden at any time
mod widgets; // every standard widget, in every place it can stand in
