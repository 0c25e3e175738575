//! The dialogue: one session, its runs, and the loop that drives them.
