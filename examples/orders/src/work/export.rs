//! Orders as CSV.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use super::{Rows, share};
use crate::data::Orders;

/// Lines written in one pass.
const LINES: usize = 4096;

/// Where the text goes.
#[derive(Debug)]
pub enum Sink {
    /// Kept in memory.
    Memory(Vec<u8>),
    /// Written to a file.
    File(BufWriter<File>),
}

impl Sink {
    /// Where the user said: a file, or nowhere in particular.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn at(path: &str) -> io::Result<Self> {
        if path.is_empty() {
            return Ok(Self::Memory(Vec::new()));
        }
        File::create(Path::new(path)).map(|file| Self::File(BufWriter::new(file)))
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Memory(bytes) => bytes,
            Self::File(file) => file,
        }
    }
}

/// An export, as far as it is written. Names, no other personal data.
#[derive(Debug)]
pub struct Export {
    rows: Rows,
    next: usize,
    /// What is written so far.
    pub sink: Sink,
}

impl Export {
    /// Begins with the line of column names.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(rows: Rows, mut sink: Sink) -> io::Result<Self> {
        writeln!(sink.writer(), "order,customer,date,status,items,total")?;
        Ok(Self { rows, next: 0, sink })
    }

    /// Writes for one pass. Whether it is done.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn advance(&mut self, orders: &Orders) -> io::Result<bool> {
        let out = self.sink.writer();
        for index in self.rows.slice(self.next, LINES) {
            let order = orders.get(index);
            let cents = order.total_cents();
            writeln!(
                out,
                "{},{},{},{},{},{}.{:02}",
                order.id(),
                order.customer.name(),
                order.placed,
                order.status.name(),
                order.quantity,
                cents / 100,
                cents % 100,
            )?;
        }
        self.next = self.rows.len().min(self.next + LINES);
        let is_done = self.next == self.rows.len();
        if is_done {
            out.flush()?;
        }
        Ok(is_done)
    }

    /// How many orders it is about.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it is about none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How far it is, 0 to 1.
    #[must_use]
    pub fn progress(&self) -> f32 {
        share(self.next, self.rows.len())
    }
}
