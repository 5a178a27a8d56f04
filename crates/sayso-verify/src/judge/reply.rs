//! Whether two replies to one call say the same, beyond what no two replies share: times, ids,
//! durations, ports, and paths of temporary files.

use serde_json::Value;

use super::words::shown;
use crate::observation::Reply;

/// Members whose value is of the reply and not of what it tells.
const OF_THE_REPLY: [&str; 18] = [
    "id",
    "uuid",
    "time",
    "timestamp",
    "date",
    "now",
    "duration",
    "elapsed",
    "took",
    "latency",
    "nonce",
    "cursor",
    "nextcursor",
    "etag",
    "seq",
    "sequence",
    "port",
    "pid",
];

/// A number that stands for a moment is off another by so many seconds at most.
const NEAR: f64 = 86_400.0;

/// Where two replies differ; `None` where they say the same, or where one failed: what a second
/// call says that changes nothing is its own affair.
pub(super) fn difference(first: &Reply, second: &Reply) -> Option<String> {
    let (
        Reply::Answered {
            result: first,
            is_error: false,
        },
        Reply::Answered {
            result: second,
            is_error: false,
        },
    ) = (first, second)
    else {
        return None;
    };
    if first == second {
        return None;
    }
    match (serde_json::from_str(first), serde_json::from_str(second)) {
        (Ok(first), Ok(second)) => value("", &first, &second),
        _ => text("the reply", first, second),
    }
}

fn value(at: &str, first: &Value, second: &Value) -> Option<String> {
    match (first, second) {
        (Value::Object(one), Value::Object(other)) => {
            let missing = other.keys().find(|key| !one.contains_key(*key));
            if let Some(key) = missing {
                return Some(format!("`{at}/{}`", shown(key)));
            }
            one.iter().find_map(|(key, first)| {
                let at = format!("{at}/{}", shown(key));
                let Some(second) = other.get(key) else {
                    return Some(format!("`{at}`"));
                };
                if key == "_meta" || of_the_reply(key) && same_type(first, second) {
                    return None;
                }
                value(&at, first, second)
            })
        }
        (Value::Array(one), Value::Array(other)) => {
            if one.len() != other.len() {
                let (one, other) = (one.len(), other.len());
                return Some(format!("`{at}`: {one} items, then {other}"));
            }
            let pairs = one.iter().zip(other).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (first, second))| value(&format!("{at}/{index}"), first, second))
        }
        (Value::String(one), Value::String(other)) => string(at, one, other),
        (Value::Number(one), Value::Number(other)) => {
            let near = one.as_f64().zip(other.as_f64()).is_some_and(is_one_moment);
            (one != other && !near).then(|| format!("`{at}`: {one}, then {other}"))
        }
        _ => (first != second).then(|| format!("`{at}`")),
    }
}

/// A text, or JSON in a text.
fn string(at: &str, one: &str, other: &str) -> Option<String> {
    let container = |text: &str| {
        let read: Option<Value> = serde_json::from_str(text).ok();
        read.filter(|value| value.is_object() || value.is_array())
    };
    match (container(one), container(other)) {
        (Some(one), Some(other)) => value(at, &one, &other),
        _ => text(&format!("`{at}`"), one, other),
    }
}

fn text(at: &str, one: &str, other: &str) -> Option<String> {
    let (first, second) = (words(one), words(other));
    if first == second {
        return None;
    }
    let pair = first.iter().zip(&second).find(|(one, other)| one != other);
    Some(match pair {
        Some((one, other)) => format!("{at}: `{}`, then `{}`", shown(one), shown(other)),
        None => format!("{at}: one is longer"),
    })
}

const fn same_type(first: &Value, second: &Value) -> bool {
    matches!(
        (first, second),
        (Value::String(_), Value::String(_)) | (Value::Number(_), Value::Number(_))
    )
}

fn of_the_reply(key: &str) -> bool {
    const ENDS: [&str; 12] = [
        "_id",
        "Id",
        "_at",
        "At",
        "_time",
        "Time",
        "_ms",
        "Ms",
        "_seconds",
        "Timestamp",
        "_timestamp",
        "Duration",
    ];
    let plain: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect();
    OF_THE_REPLY.contains(&plain.as_str()) || ENDS.iter().any(|end| key.ends_with(end))
}

/// Whether two numbers are one moment or nearly: seconds, milliseconds, microseconds or nanoseconds
/// since 1970, from 2001 on.
fn is_one_moment((one, other): (f64, f64)) -> bool {
    [1.0, 1e3, 1e6, 1e9].iter().any(|scale| {
        let range = 1e9 * scale..1e10 * scale;
        range.contains(&one) && range.contains(&other) && (one - other).abs() <= NEAR * scale
    })
}

/// The words of a text, those that no two replies share replaced by what they are.
fn words(text: &str) -> Vec<String> {
    const AROUND: &[char] = &[
        '"', '\'', '`', '(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '=',
    ];
    let mut words: Vec<String> = Vec::new();
    let pieces =
        text.split(|character: char| character.is_whitespace() || AROUND.contains(&character));
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        let piece = piece.trim_end_matches(['.', ':', '!', '?']);
        let before = words.last().map(String::as_str);
        let word = match kind(piece) {
            Some(kind) => kind.to_owned(),
            None if before == Some("port") && is_number(piece) => "(port)".to_owned(),
            None => without_ports(piece),
        };
        let is_half = matches!(piece, "AM" | "PM" | "am" | "pm" | "a.m" | "p.m");
        if is_half && before == Some("(time)") {
            continue;
        }
        // A number before a unit of time.
        if is_unit(piece) && words.last().is_some_and(|last| is_number(last)) {
            words.pop();
            words.push("(duration)".to_owned());
        } else {
            words.push(word);
        }
    }
    words
}

/// What a word is that no two replies share.
fn kind(word: &str) -> Option<&'static str> {
    let temporary = ["/tmp/", "/var/tmp/", "/var/folders/"];
    if temporary.iter().any(|folder| word.contains(folder)) {
        return Some("(temporary path)");
    }
    if is_date(word) || is_time(word) || is_epoch(word) {
        return Some("(time)");
    }
    let digits = word.trim_end_matches(|character: char| character.is_alphabetic());
    let unit = word.strip_prefix(digits).unwrap_or_default();
    if is_number(digits) && is_unit(unit) {
        return Some("(duration)");
    }
    if is_id(word) {
        return Some("(id)");
    }
    None
}

/// A word without the ports in it: `http://127.0.0.1:41234/x`.
fn without_ports(word: &str) -> String {
    let part = |part: &str| match part.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.len() >= 4 && is_number(port) => {
            format!("{host}:(port)")
        }
        _ => part.to_owned(),
    };
    let parts: Vec<String> = word.split('/').map(part).collect();
    parts.join("/")
}

fn is_number(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn is_unit(text: &str) -> bool {
    matches!(
        text,
        "ns" | "us"
            | "µs"
            | "ms"
            | "s"
            | "sec"
            | "secs"
            | "second"
            | "seconds"
            | "min"
            | "minutes"
            | "milliseconds"
            | "microseconds"
    )
}

fn is_epoch(word: &str) -> bool {
    let read: Option<f64> = word.parse().ok();
    read.is_some_and(|number| is_number(word) && is_one_moment((number, number)))
}

/// `2026-12-01` and what may follow it.
fn is_date(word: &str) -> bool {
    let mut parts = word.splitn(3, ['-', '/']);
    let all_digits = |part: Option<&str>, length: usize| {
        part.is_some_and(|part| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let (year, month) = (parts.next(), parts.next());
    let day = parts
        .next()
        .map(|day| day.bytes().take(2).collect::<Vec<_>>());
    all_digits(year, 4)
        && all_digits(month, 2)
        && day.is_some_and(|day| day.len() == 2 && day.iter().all(u8::is_ascii_digit))
}

/// `12:30`, `9:30` and `12:30:01.5`.
fn is_time(word: &str) -> bool {
    let clock = word.trim_end_matches(['Z', 'z']);
    let mut parts = clock.split(':');
    let (hour, minute, second) = (parts.next(), parts.next(), parts.next());
    parts.next().is_none()
        && [hour, minute, second].into_iter().flatten().all(is_number)
        && hour.is_some_and(|hour| hour.len() <= 2)
        && minute.is_some_and(|minute| minute.len() == 2)
}

/// A UUID, the digits of a hash, or a long mix of letters and digits.
fn is_id(word: &str) -> bool {
    let plain: Vec<u8> = word
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_'))
        .collect();
    let digits = plain.iter().filter(|byte| byte.is_ascii_digit()).count();
    let hexadecimal = plain.iter().all(u8::is_ascii_hexdigit);
    let mixed = digits > 0 && digits < plain.len();
    mixed
        && plain.iter().all(u8::is_ascii_alphanumeric)
        && (hexadecimal && plain.len() >= 7 || digits >= 3 && plain.len() >= 20)
}
