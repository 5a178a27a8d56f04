//! A server on standard input and output that says exactly what a script says.
//!
//! `scripted_server SCRIPT`: the script is a JSON object from methods to turns. The n-th
//! request with a method gets the n-th turn, later ones the last. A turn is an array of steps:
//! a string is a line on standard output; `{"stdout": …}` and `{"stderr": …}` are written as
//! they stand, `"times"` over; `{"sleep_ms": …}` and `{"exit": …}` do what they say. `$id` on
//! standard output stands for the id of the request. The turn of `start` comes before anything
//! is read, that of `end` when the input has ended. A call of a tool takes the turn of
//! `tools/call NAME`, a page of a list that of `tools/list CURSOR`, where there is one. What the script has no turn for is answered as an
//! ordinary server without tools would. `log` names a file that gets every line that came in,
//! `say` one whose lines are written on standard output as they come into it. The script is read
//! again for every message, so that it can be changed meanwhile.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, BufWriter, Result, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

struct Server {
    path: PathBuf,
    text: Vec<u8>,
    script: Value,
    turns_taken: HashMap<String, usize>,
    log: Option<File>,
}

fn main() -> Result<()> {
    let path = PathBuf::from(std::env::args_os().nth(1).unwrap_or_default());
    let text = std::fs::read(&path)?;
    let script: Value = serde_json::from_slice(&text)?;
    let file = |key: &str| script.get(key).and_then(Value::as_str).map(PathBuf::from);
    let log = file("log").map(|path| File::options().create(true).append(true).open(path));
    if let Some(said) = file("say") {
        std::thread::spawn(move || say(&said));
    }
    let mut server = Server {
        log: log.transpose()?,
        turns_taken: HashMap::new(),
        path,
        text,
        script,
    };
    server.take_turn("start", &Value::Null)?;
    for line in std::io::stdin().lock().lines() {
        server.hear(&line?)?;
    }
    server.take_turn("end", &Value::Null)?;
    Ok(())
}

/// Says what comes into a file.
fn say(path: &Path) -> Result<()> {
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut said = BufReader::new(File::open(path)?);
    let mut line = String::new();
    loop {
        said.read_line(&mut line)?;
        if line.ends_with('\n') {
            write(std::io::stdout(), &line, 1)?;
            line.clear();
        } else {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Server {
    fn hear(&mut self, line: &str) -> Result<()> {
        if let Some(log) = &mut self.log {
            log.write_all(format!("{line}\n").as_bytes())?;
        }
        let text = std::fs::read(&self.path)?;
        if text != self.text {
            self.script = serde_json::from_slice(&text)?;
            self.text = text;
        }
        let message: Value = serde_json::from_str(line)?;
        let method = message.get("method").and_then(Value::as_str);
        let id = message.get("id").unwrap_or(&Value::Null);
        let method = method.unwrap_or_default();
        let pointers = ["/params/name", "/params/cursor"];
        let what = pointers.iter().find_map(|pointer| message.pointer(pointer));
        let of_tool = format!(
            "{method} {}",
            what.and_then(Value::as_str).unwrap_or_default()
        );
        if self.take_turn(&of_tool, id)? || self.take_turn(method, id)? || id.is_null() {
            return Ok(());
        }
        write(std::io::stdout(), &ordinary(method, id, &message), 1)
    }

    /// Does what the script has for this method, if it has anything.
    fn take_turn(&mut self, method: &str, id: &Value) -> Result<bool> {
        let Some(turns) = self.script.get(method).and_then(Value::as_array) else {
            return Ok(false);
        };
        let taken = self.turns_taken.entry(method.to_owned()).or_default();
        let turn = turns.get(*taken).or(turns.last());
        *taken += 1;
        for step in turn.and_then(Value::as_array).into_iter().flatten() {
            do_step(step, id)?;
        }
        Ok(true)
    }
}

fn do_step(step: &Value, id: &Value) -> Result<()> {
    let text = |key| step.get(key).and_then(Value::as_str);
    let number = |key| step.get(key).and_then(Value::as_u64);
    let times = number("times").unwrap_or(1);
    if let Some(line) = step.as_str() {
        write(std::io::stdout(), &(with_id(line, id) + "\n"), 1)?;
    } else if let Some(piece) = text("stdout") {
        write(std::io::stdout(), &with_id(piece, id), times)?;
    } else if let Some(piece) = text("stderr") {
        write(std::io::stderr(), piece, times)?;
    } else if let Some(milliseconds) = number("sleep_ms") {
        std::thread::sleep(Duration::from_millis(milliseconds));
    } else if let Some(code) = number("exit") {
        std::process::exit(i32::try_from(code).unwrap_or(1));
    } else {
        return Err(std::io::Error::other(format!("no such step: {step}")));
    }
    Ok(())
}

fn ordinary(method: &str, id: &Value, message: &Value) -> String {
    let asked = message.pointer("/params/protocolVersion");
    let result = match method {
        "initialize" => json!({
            "protocolVersion": asked,
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        }),
        "tools/list" => json!({"tools": []}),
        _ => {
            let error = json!({"code": -32601, "message": "no such method"});
            return format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": id, "result": result})
    )
}

fn with_id(text: &str, id: &Value) -> String {
    text.replace("$id", &id.to_string())
}

fn write(stream: impl Write, text: &str, times: u64) -> Result<()> {
    let mut stream = BufWriter::with_capacity(1 << 16, stream);
    for _ in 0..times {
        stream.write_all(text.as_bytes())?;
    }
    stream.flush()
}
