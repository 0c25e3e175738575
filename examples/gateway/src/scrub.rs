//! Takes a secret out of a stream, wherever the pieces are cut.

use axum::body::Bytes;

/// What stands in its place.
const MASK: &[u8] = b"***";

/// Passes everything on but the secret. Held back is only what could be the beginning of one.
pub(crate) struct Scrub {
    secret: Vec<u8>,
    held: Vec<u8>,
}

impl Scrub {
    pub(crate) fn new(secret: &str) -> Self {
        Self {
            secret: secret.as_bytes().to_vec(),
            held: Vec::new(),
        }
    }

    pub(crate) fn pass(&mut self, piece: &[u8]) -> Bytes {
        if self.secret.is_empty() {
            return Bytes::copy_from_slice(piece);
        }
        self.held.extend_from_slice(piece);
        let mut out = Vec::with_capacity(self.held.len());
        let mut at = 0;
        while at < self.held.len() {
            let rest = &self.held[at..];
            if rest.starts_with(&self.secret) {
                out.extend_from_slice(MASK);
                at += self.secret.len();
            } else if self.secret.starts_with(rest) {
                break;
            } else {
                out.push(rest[0]);
                at += 1;
            }
        }
        self.held.drain(..at);
        out.into()
    }

    /// What was held back, at the end.
    pub(crate) fn rest(&mut self) -> Option<Bytes> {
        let held = std::mem::take(&mut self.held);
        (!held.is_empty()).then(|| held.into())
    }
}
