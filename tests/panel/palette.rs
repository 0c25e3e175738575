//! Actions without a model.
