//! What tests share.

pub(crate) mod validate;
