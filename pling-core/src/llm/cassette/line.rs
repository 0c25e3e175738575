//! One line of a recording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One attempt: what was sent, and what came.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::llm) struct Line {
    pub(super) request: Asked,
    pub(super) reply: Recorded,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    /// Of the body, whatever the order of its fields.
    pub(super) hash: String,
    pub(super) body: Value,
}

/// What came: an answer, or none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::llm) struct Recorded {
    /// The HTTP status; none where no answer came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::llm) status: Option<u16>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(in crate::llm) headers: BTreeMap<String, String>,
    #[serde(with = "chunks", skip_serializing_if = "Vec::is_empty")]
    pub(in crate::llm) chunks: Vec<Vec<u8>>,
    /// How the connection broke, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::llm) broken: Option<String>,
}

impl Line {
    /// `mask` takes out what nobody may see.
    pub(in crate::llm) fn new(body: &Value, reply: Recorded, mask: impl Fn(&str) -> String) -> Self {
        let text = body.to_string();
        let masked = mask(&text);
        let body = if masked == text {
            body.clone()
        } else {
            serde_json::from_str(&masked).unwrap_or(Value::String(masked))
        };
        Self {
            request: Asked {
                hash: hash(&body),
                body,
            },
            reply: reply.masked(mask),
        }
    }
}

impl Recorded {
    fn masked(mut self, mask: impl Fn(&str) -> String) -> Self {
        // A key may be cut in two between chunks: then the cuts are given up.
        let whole = self.chunks.concat();
        let text = String::from_utf8_lossy(&whole);
        let masked = mask(&text);
        if masked != text {
            self.chunks = vec![masked.into_bytes()];
        }
        self.broken = self.broken.map(|words| mask(&words));
        self
    }
}

/// 64 bits of FNV-1a over the fields in alphabetical order: it tells requests apart, and protects nothing.
pub(super) fn hash(body: &Value) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    walk(body, &mut add);
    format!("{hash:016x}")
}

fn walk(value: &Value, add: &mut dyn FnMut(&[u8])) {
    match value {
        Value::Object(map) => {
            let mut names: Vec<_> = map.keys().collect();
            names.sort_unstable();
            add(b"{");
            for name in names {
                add(name.as_bytes());
                add(b":");
                walk(&map[name], add);
            }
            add(b"}");
        }
        Value::Array(items) => {
            add(b"[");
            for item in items {
                walk(item, add);
                add(b",");
            }
            add(b"]");
        }
        other => add(other.to_string().as_bytes()),
    }
}

/// Text where the bytes are text, else `{"hex":"…"}`.
mod chunks {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Chunk {
        Text(String),
        Bytes { hex: String },
    }

    pub(super) fn serialize<S: Serializer>(chunks: &[Vec<u8>], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(chunks.iter().map(|bytes| match std::str::from_utf8(bytes) {
            Ok(text) => Chunk::Text(text.to_owned()),
            Err(_) => Chunk::Bytes {
                hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
            },
        }))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Vec<u8>>, D::Error> {
        let chunks = Vec::<Chunk>::deserialize(deserializer)?;
        let bytes = |chunk| match chunk {
            Chunk::Text(text) => Some(text.into_bytes()),
            Chunk::Bytes { hex } => hex
                .as_bytes()
                .chunks(2)
                .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect(),
        };
        let bytes: Option<Vec<_>> = chunks.into_iter().map(bytes).collect();
        bytes.ok_or_else(|| D::Error::custom("a chunk with bytes that are not hexadecimal"))
    }
}
