//! What the repository promises about itself.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test may panic")]

mod dependencies;
