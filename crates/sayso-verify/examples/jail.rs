//! Becomes a jail, for the tests: `jail SOCKET`.

fn main() -> std::process::ExitCode {
    sayso_verify::jail::enter(std::env::args_os().skip(1))
}
