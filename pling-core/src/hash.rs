//! Hashing of many short texts: a folded multiply over eight bytes at a time.
//!
//! Several times faster than the standard hasher, which would take half of an observation's time. Seeded for each
//! process, so that page data cannot be made to collide. No map with it is ever iterated, so the seed shows nowhere.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher, Hasher, RandomState},
    sync::LazyLock,
};

pub(crate) type FastMap<K, V> = HashMap<K, V, Seeded>;
pub(crate) type FastSet<K> = HashSet<K, Seeded>;

static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("pling"));

/// Digits of pi, as good as any.
const MULTIPLIER: u64 = 0x243f_6a88_85a3_08d3;

#[derive(Clone, Debug)]
pub(crate) struct Seeded(u64);

impl Default for Seeded {
    fn default() -> Self {
        Self(*SEED)
    }
}

impl BuildHasher for Seeded {
    type Hasher = FoldedMultiply;

    fn build_hasher(&self) -> FoldedMultiply {
        FoldedMultiply {
            state: self.0,
            seed: self.0 | 1,
        }
    }
}

#[derive(Debug)]
pub(crate) struct FoldedMultiply {
    state: u64,
    seed: u64,
}

impl FoldedMultiply {
    fn add(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(MULTIPLIER ^ self.seed);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are folded into one")]
        let folded = (product as u64) ^ ((product >> 64) as u64);
        self.state = folded.wrapping_add(self.seed);
    }
}

impl Hasher for FoldedMultiply {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, byte: u8) {
        self.add(u64::from(byte));
    }

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    fn finish(&self) -> u64 {
        // The map takes its bucket from the low bits and its tag from the high ones: both must depend on every word.
        self.state ^ self.state.rotate_left(26)
    }
}
