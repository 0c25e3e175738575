//! The assistant panel.
