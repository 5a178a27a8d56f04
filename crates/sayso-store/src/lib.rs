//! What the gate keeps: the journal, approvals, first pins.
