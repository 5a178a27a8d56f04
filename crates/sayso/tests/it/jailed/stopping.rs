//! A run that is stopped leaves nothing behind.

use std::process::Command;
use std::time::{Duration, Instant};

use super::{modes, server};
use crate::sayso::Sayso;

const TOOLS: &str = r#"
def leaves_programs():
    subprocess.Popen(["sleep", "MARK"], start_new_session=True)
    subprocess.Popen(["sh", "-c", "while true; do : > scratch-$$; sleep 0.01; done; sleep MARK"])
    time.sleep(600)
"#;

/// The processes with a word in their command line.
fn with_word(word: &str) -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(word))
        .collect()
}

#[test]
fn a_signal_ends_the_run_and_everything_in_the_jail() {
    for mode in modes() {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let mark = format!("600.{}{code}{}", std::process::id(), mode.len());
            let temporary = tempfile::tempdir().unwrap();
            let tools = TOOLS.replace("MARK", &mark);
            let sayso = Sayso::new(&format!(
                "verify --settle 300 --jail {mode} -- python3 server.py"
            ))
            .file("server.py", server(&tools))
            .env("TMPDIR", temporary.path().to_str().unwrap());
            let child = sayso.command().spawn().unwrap();
            let begun = Instant::now();
            while with_word(&mark).len() < 2 {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "{mode}: nothing started"
                );
                std::thread::sleep(Duration::from_millis(20));
            }
            let sent = Command::new("kill")
                .args(["-s", signal, &child.id().to_string()])
                .status();
            assert!(sent.unwrap().success());
            let asked = Instant::now();
            let output = child.wait_with_output().unwrap();
            assert!(asked.elapsed() < Duration::from_secs(2), "{mode} {signal}");
            assert_eq!(output.status.code(), Some(code), "{mode} {output:?}");
            assert_eq!(with_word(&mark), [""; 0], "{mode} {signal}");
            let left: Vec<_> = std::fs::read_dir(temporary.path())
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            assert!(left.is_empty(), "{mode} {signal} {left:?}");
        }
    }
}
