//! Results against the output schema.
