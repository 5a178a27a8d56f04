//! Arguments against the pinned input schema and what the operator allows.
