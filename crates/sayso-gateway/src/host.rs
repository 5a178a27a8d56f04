//! The hosts in front of the gate.
