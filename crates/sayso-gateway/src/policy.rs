//! Policies: what may be called by whom.
