//! What the repository promises about itself.

#![expect(clippy::expect_used, reason = "a test may panic")]

mod dependencies;
