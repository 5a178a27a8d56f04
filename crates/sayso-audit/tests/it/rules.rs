//! What people read when a rule fires.
