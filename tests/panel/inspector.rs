//! What the assistant sees, shown to the user.
