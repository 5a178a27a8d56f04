//! The servers behind the gate.
