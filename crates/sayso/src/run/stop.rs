//! Requests to stop, from the keyboard or from another program.

use crate::exit;

/// Such requests, from when they are listened to.
pub(crate) struct Stop {
    #[cfg(unix)]
    signals: Vec<(tokio::signal::unix::Signal, u8)>,
}

impl Stop {
    /// From here on such a request no longer ends the program at once.
    #[cfg(unix)]
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};
        let wanted = [
            (SignalKind::interrupt(), exit::INTERRUPTED),
            (SignalKind::terminate(), exit::TERMINATED),
        ];
        // A signal that cannot be listened to ends the program as it always does.
        let signals = wanted
            .into_iter()
            .filter_map(|(kind, code)| Some((signal(kind).ok()?, code)));
        Self {
            signals: signals.collect(),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn listen() -> Self {
        Self {}
    }

    /// The exit code for the first request.
    #[cfg(unix)]
    pub(crate) async fn received(&mut self) -> u8 {
        std::future::poll_fn(|context| {
            for (signal, code) in &mut self.signals {
                if signal.poll_recv(context).is_ready() {
                    return std::task::Poll::Ready(*code);
                }
            }
            std::task::Poll::Pending
        })
        .await
    }

    #[cfg(not(unix))]
    pub(crate) async fn received(&mut self) -> u8 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        exit::INTERRUPTED
    }
}
