//! Every order of everything that can happen to a call that waits for its user.
//!
//! Whatever the order: a call runs at most once and never without its user's word, every call has one result, and the
//! next message is answered. Nothing is drawn by chance: all sequences of a length are gone through.

mod caller;
mod dialogue;

/// All sequences of this length.
fn sequences<T: Copy>(of: &[T], length: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for _ in 0..length {
        all = all
            .iter()
            .flat_map(|sequence| of.iter().map(|next| [sequence.as_slice(), &[*next]].concat()))
            .collect();
    }
    all
}

/// Runs a future on paused time.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(future)
}
