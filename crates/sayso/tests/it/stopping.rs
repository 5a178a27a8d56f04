//! A run that is stopped from outside takes its servers with it.

#[cfg(target_os = "linux")]
use crate::sayso::Sayso;

/// The processes with a text in their environment.
pub(crate) fn processes_with(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment
            .windows(marker.len())
            .any(|window| window == marker.as_bytes())
        {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

/// Whether it comes about within half a minute.
#[cfg(target_os = "linux")]
fn wait_for(mut condition: impl FnMut() -> bool) -> bool {
    (0..1200).any(|_| {
        let holds = condition();
        if !holds {
            std::thread::sleep(std::time::Duration::from_millis(25));
        }
        holds
    })
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_stops_everything() {
    use std::process::Command;

    for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
        let marker = format!("stopped{signal}-{}", std::process::id());
        // A server that never answers, in a shell that has a child of its own.
        let sayso = Sayso::new("audit --start-timeout 60s -- sh -c")
            .argument("echo ready >&2; sleep 1000; true")
            .env("SAYSO_TEST_MARKER", &marker);
        let child = sayso.command().spawn().unwrap();
        let started = wait_for(|| {
            processes_with(&marker)
                .iter()
                .any(|line| line.starts_with("sleep"))
        });
        assert!(started, "the server did not start");
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .unwrap()
                .success()
        );
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        // What supervises the server may end a moment after us.
        wait_for(|| processes_with(&marker).is_empty());
        assert_eq!(processes_with(&marker), Vec::<String>::new());
    }
}
