//! Real replies, recorded once and played back in tests.
//!
//! ```text
//! OpenAi::record(Recorder) ─▶ file, one line for each attempt ─▶ Cassette ─▶ OpenAi::replay(Cassette)
//! ```
//!
//! A line is `{"request":{"hash","body"},"reply":{"status","headers","chunks"}}`: the body as it was sent and the bytes
//! as they came in, cut where they were cut, so that a replay goes through the whole reader. The URL, the headers of
//! the request and keys are never in it; a key that the server repeats is masked.
//!
//! Playing back is strict: the requests must come in the recorded order and be the recorded ones, apart from what
//! [`Cassette::ignore`] takes out. What differs is said in words.

mod difference;
mod line;

use std::{
    collections::VecDeque,
    fmt,
    fs::File,
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::Value;

pub(super) use line::{Line, Recorded};

/// Writes every attempt of a client as one line. Clones write to the same place.
#[derive(Clone)]
pub struct Recorder {
    sink: Arc<Mutex<Box<dyn Write + Send>>>,
}

impl Recorder {
    /// Records to a new file; one that is there is replaced.
    ///
    /// # Errors
    /// The file cannot be made.
    pub fn to_file(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self::to_writer(File::create(path)?))
    }

    /// Records to anything.
    pub fn to_writer(writer: impl Write + Send + 'static) -> Self {
        Self {
            sink: Arc::new(Mutex::new(Box::new(writer))),
        }
    }

    pub(super) fn write(&self, line: &Line) {
        let mut sink = self.sink.lock();
        let written = serde_json::to_string(line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(sink, "{line}"))
            .and_then(|()| sink.flush());
        if let Err(error) = written {
            tracing::warn!(%error, "a reply could not be recorded");
        }
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

/// Recorded replies, to be played back in order. Clones share the place they have come to.
#[derive(Clone, Debug)]
pub struct Cassette {
    tape: Arc<Mutex<Tape>>,
}

#[derive(Debug)]
struct Tape {
    lines: VecDeque<Line>,
    recorded: usize,
    played: usize,
    ignored: Vec<String>,
}

impl Cassette {
    /// Reads a recording.
    ///
    /// # Errors
    /// The file cannot be read, or a line of it is none of a recording; the message names the line.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::parse(&std::fs::read_to_string(path)?)
    }

    /// Reads the text of a recording.
    ///
    /// # Errors
    /// A line is none of a recording; the message names the line.
    pub fn parse(text: &str) -> io::Result<Self> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let lines = lines
            .map(|(index, line)| {
                let invalid = |error| {
                    let message = format!("line {} of the cassette: {error}", index + 1);
                    io::Error::new(io::ErrorKind::InvalidData, message)
                };
                serde_json::from_str(line).map_err(invalid)
            })
            .collect::<io::Result<VecDeque<Line>>>()?;
        let tape = Tape {
            recorded: lines.len(),
            lines,
            played: 0,
            ignored: Vec::new(),
        };
        Ok(Self {
            tape: Arc::new(Mutex::new(tape)),
        })
    }

    /// Leaves a part of the body out of the comparison, by its JSON pointer: `/messages/0/content` for a page that may
    /// change, `/tools` for the actions on it.
    #[must_use]
    pub fn ignore(self, pointer: impl Into<String>) -> Self {
        self.tape.lock().ignored.push(pointer.into());
        self
    }

    /// How many replies are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.tape.lock().lines.len()
    }

    /// The reply to a request.
    ///
    /// # Errors
    /// The request is not the recorded one, or there is none left; in words.
    pub(super) fn play(&self, body: &Value) -> Result<Recorded, String> {
        let mut tape = self.tape.lock();
        let number = tape.played + 1;
        let Some(line) = tape.lines.front() else {
            let recorded = tape.recorded;
            return Err(format!(
                "the cassette has {recorded} replies, and this is request {number}"
            ));
        };
        if line.request.hash != line::hash(body) {
            let mut expected = line.request.body.clone();
            let mut body = body.clone();
            for pointer in &tape.ignored {
                for side in [&mut expected, &mut body] {
                    if let Some(part) = side.pointer_mut(pointer) {
                        *part = Value::Null;
                    }
                }
            }
            let differences = difference::words(&expected, &body);
            if !differences.is_empty() {
                return Err(format!(
                    "request {number} is not the one on the cassette: {}",
                    differences.join("; ")
                ));
            }
        }
        tape.played = number;
        match tape.lines.pop_front() {
            Some(line) => Ok(line.reply),
            None => Err("the cassette is empty".to_owned()),
        }
    }
}
