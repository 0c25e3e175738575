//! Names that every model endpoint accepts: `[a-zA-Z0-9_-]{1,40}`, unique, and the same whenever the page is the same.

use std::{borrow::Cow, collections::HashSet};

use super::{fold::Entry, regions::Regions};
use crate::hash::FastMap;

/// The longest name that endpoints accept with room to spare.
const MAX_NAME: usize = 40;
/// Digits of a short hash.
const HASH: usize = 6;

/// A name for each entry. An id that is legal and alone stands for itself; an id used in several regions gets its
/// region's; whatever is left gets a short hash of what it is.
pub(super) fn tool_names<'a>(entries: &[Entry<'a>], regions: &Regions<'_>) -> Vec<Cow<'a, str>> {
    let mut of_id: FastMap<&str, usize> = FastMap::default();
    of_id.reserve(entries.len());
    for entry in entries {
        *of_id.entry(entry.action().id.as_str()).or_default() += 1;
    }
    let mut of_place: FastMap<(&str, usize), usize> = FastMap::default();
    for entry in entries {
        let id = entry.action().id.as_str();
        if of_id.get(id) != Some(&1) {
            *of_place.entry((id, entry.region)).or_default() += 1;
        }
    }
    let is_plain = |id: &str| of_id.get(id) == Some(&1) && is_legal(id);
    let made_up = |entry: &Entry<'_>| {
        let action = entry.action();
        let id = action.id.as_str();
        let region = &regions.rows[entry.region].name;
        let alone_here = of_place.get(&(id, entry.region)) == Some(&1);
        if of_id.get(id) == Some(&1) {
            return hashed(id, &[id]);
        }
        let with_region = format!("{id}-{region}");
        if alone_here && is_legal(&with_region) {
            return with_region;
        }
        if alone_here {
            return hashed(id, &[id, region]);
        }
        let record = if entry.takes_record() { "record" } else { "" };
        let shape = format!("{:?} {:?} {:?}", action.effect, action.confirm, action.input);
        hashed(id, &[id, region, record, &action.description, &shape])
    };
    let mut taken: HashSet<String> = HashSet::new();
    (entries.iter())
        .map(|entry| match entry.action().id.as_str() {
            id if is_plain(id) => Cow::Borrowed(id),
            _ => Cow::Owned(claim(&made_up(entry), &mut taken, is_plain)),
        })
        .collect()
}

/// The name itself, or where it is taken one made from it.
pub(super) fn claim(name: &str, taken: &mut HashSet<String>, is_plain: impl Fn(&str) -> bool) -> String {
    let mut unique = name.to_owned();
    let mut again = 1_u32;
    while is_plain(&unique) || !taken.insert(unique.clone()) {
        again += 1;
        unique = hashed(name, &[name, &again.to_string()]);
    }
    unique
}

fn is_legal(id: &str) -> bool {
    (1..=MAX_NAME).contains(&id.len()) && id.bytes().all(is_legal_byte)
}

fn is_legal_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// What is legible of `id`, and a hash of `parts`.
fn hashed(id: &str, parts: &[&str]) -> String {
    let mut name: String = (id.chars().filter(char::is_ascii))
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(MAX_NAME - HASH - 1)
        .collect();
    if !name.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        "action".clone_into(&mut name);
    }
    format!("{name}-{:06x}", short_hash(parts))
}

/// 24 bits of FNV-1a: the same on every platform and in every release.
fn short_hash(parts: &[&str]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    (hash ^ (hash >> 24) ^ (hash >> 48)) & 0xff_ffff
}
