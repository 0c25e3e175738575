//! Markdown in blocks: finished ones are laid out once and keep their ids, only the last one still grows.

use std::sync::Arc;

use super::visible::visible;

/// A longer block is drawn in parts.
const MAX_BLOCK_BYTES: usize = 32 << 10;
/// The longest first line of fenced code that is told again in each part.
const MAX_OPENING_BYTES: usize = 200;

/// A part of a text that is drawn on its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// Markdown without fenced code and without images.
    Prose {
        /// What to draw.
        text: String,
        /// Whether it may be wider than the panel.
        wide: bool,
    },
    /// The inside of a code fence.
    Code(String),
}

/// A text as it comes in.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    /// Blocks that will not change any more.
    pub(super) done: Vec<Arc<Block>>,
    /// The block being written.
    pub(super) tail: Option<Arc<Block>>,
    /// Whether more comes.
    pub(super) open: bool,
    /// Its source; what is `done` was cut off.
    rest: String,
}

impl Text {
    /// A whole text.
    pub(super) fn whole(text: &str) -> Self {
        let mut whole = Self::default();
        whole.push(text);
        whole.finish();
        whole
    }

    /// Adds a piece.
    pub(super) fn push(&mut self, piece: &str) {
        self.open = true;
        self.rest.push_str(piece);
        let mut used = 0;
        while let Some(end) = first_block(&self.rest[used..]) {
            self.done.extend(block(&self.rest[used..used + end]));
            used += end;
        }
        self.rest.drain(..used);
        while self.rest.len() > MAX_BLOCK_BYTES {
            self.cut();
        }
        self.tail = block(&self.rest);
    }

    /// Ends a very long block at a line, so that what comes next is not read and laid out together with all of it.
    fn cut(&mut self) {
        // Blank lines are nobody's, and may be what a closed fence left.
        let blank = self.rest.len() - self.rest.trim_start_matches('\n').len();
        self.rest.drain(..blank);
        let first = self.rest.lines().next().unwrap_or_default();
        // Code goes on as code.
        let is_code = first.len() < MAX_OPENING_BYTES && Fence::opened_by(first).is_some_and(|fence| fence.indent == 0);
        let opening = if is_code { format!("{first}\n") } else { String::new() };
        let begin = &self.rest[..self.rest.floor_char_boundary(MAX_BLOCK_BYTES)];
        let line = begin.rfind('\n').map(|at| at + 1);
        let end = line.filter(|line| *line > opening.len()).unwrap_or(begin.len());
        self.done.extend(block(&self.rest[..end]));
        self.rest.replace_range(..end, &opening);
    }

    /// All of it again, in Markdown.
    pub(super) fn source(&self) -> String {
        self.beginning(usize::MAX)
    }

    /// Its first blocks in Markdown, until there are so many bytes.
    pub(super) fn beginning(&self, bytes: usize) -> String {
        let mut out = String::new();
        for block in self.done.iter().chain(&self.tail) {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            match &**block {
                Block::Prose { text, .. } => out.push_str(text),
                Block::Code(code) => out.extend(["```\n", code, "\n```"]),
            }
            if out.len() >= bytes {
                break;
            }
        }
        out
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        self.open = false;
        self.done.extend(self.tail.take());
        self.rest = String::new();
    }
}

/// Where the first block ends, once it is certain: in front of a line that begins another one.
fn first_block(text: &str) -> Option<usize> {
    let mut fence: Option<Fence> = None;
    let (mut at, mut blank, mut begun) = (0, false, false);
    for line in text.split_inclusive('\n') {
        let is_whole = line.ends_with('\n');
        if let Some(open) = &fence {
            let closes = is_whole && open.is_closed_by(line);
            at += line.len();
            if closes {
                if open.indent == 0 {
                    return Some(at);
                }
                fence = None;
            }
            continue;
        }
        if line.trim().is_empty() {
            blank = true;
            at += line.len();
            continue;
        }
        // An indented line belongs to what is above, such as an item of a list.
        if begun && blank && !line.starts_with([' ', '\t']) {
            return Some(at);
        }
        fence = Fence::opened_by(line);
        if begun && fence.as_ref().is_some_and(|fence| fence.indent == 0) {
            return Some(at);
        }
        (begun, blank) = (true, false);
        at += line.len();
    }
    None
}

/// The drawable form of one block; `None` for a blank one.
fn block(source: &str) -> Option<Arc<Block>> {
    let source = source.trim_matches('\n');
    if source.trim().is_empty() {
        return None;
    }
    let first = source.lines().next().unwrap_or_default();
    if let Some(fence) = Fence::opened_by(first).filter(|fence| fence.indent == 0) {
        let mut inside: Vec<_> = source.lines().skip(1).collect();
        if inside.last().is_some_and(|last| fence.is_closed_by(last)) {
            inside.pop();
        }
        return Some(Arc::new(Block::Code(visible(&inside.join("\n")))));
    }
    Some(Arc::new(Block::Prose {
        text: without_images(without_hidden_references(visible(source))),
        wide: source
            .lines()
            .any(|line| line.trim_start().starts_with('|') || Fence::opened_by(line).is_some()),
    }))
}

/// Names of characters that are not seen, as HTML knows them.
const HIDDEN_NAMES: &[(&str, u32)] = &[
    ("shy", 0xAD),
    ("ZeroWidthSpace", 0x200B),
    ("NegativeVeryThinSpace", 0x200B),
    ("NegativeThinSpace", 0x200B),
    ("NegativeMediumSpace", 0x200B),
    ("NegativeThickSpace", 0x200B),
    ("zwnj", 0x200C),
    ("zwj", 0x200D),
    ("lrm", 0x200E),
    ("rlm", 0x200F),
    ("NoBreak", 0x2060),
    ("ApplyFunction", 0x2061),
    ("af", 0x2061),
    ("InvisibleTimes", 0x2062),
    ("it", 0x2062),
    ("InvisibleComma", 0x2063),
    ("ic", 0x2063),
];

/// Writes out references such as `&#x202E;`, which would be read as what [`visible`] writes out.
fn without_hidden_references(text: String) -> String {
    if !text.contains('&') {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split('&');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let reference = part
            .split_once(';')
            .and_then(|(name, rest)| Some((referred(name)?, rest)));
        match reference {
            Some((c, rest)) if pling_core::text::hides(None, c, None) => {
                out.push_str(&visible(c.encode_utf8(&mut [0; 4])));
                out.push_str(rest);
            }
            _ => out.extend(["&", part]),
        }
    }
    out
}

/// The character that a reference stands for, if that may be one that is not seen.
fn referred(name: &str) -> Option<char> {
    let code = match name.strip_prefix('#') {
        None => HIDDEN_NAMES.iter().find(|(known, _)| *known == name)?.1,
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        },
    };
    char::from_u32(code)
}

/// Turns images into links: fetching one would tell its address, and all a model put into it, to a stranger.
/// A link or definition that could make one is always spelled with one of these, so code such as `vec![1]` stays.
fn without_images(text: String) -> String {
    if cfg!(not(feature = "markdown")) {
        return text; // it is shown as it was written
    }
    let may_be_image = ["](", "][", "]:"].iter().any(|sign| text.contains(sign));
    if may_be_image && text.contains("![") {
        text.replace("![", "! [")
    } else {
        text
    }
}

/// The first line of fenced code.
struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

impl Fence {
    fn opened_by(line: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        let mark = rest.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let length = rest.chars().take_while(|c| *c == mark).count();
        let info = &rest[length..];
        (length >= 3 && !(mark == '`' && info.contains('`'))).then_some(Self {
            mark,
            length,
            indent: line.len() - rest.len(),
        })
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &Text) -> Vec<String> {
        let tail = text.tail.iter();
        text.done
            .iter()
            .chain(tail)
            .map(|block| match &**block {
                Block::Prose { text, .. } => text.clone(),
                Block::Code(code) => format!("code: {code}"),
            })
            .collect()
    }

    const SAMPLE: &str = "# Title\n\nSome *words*\nand more.\n\n- one\n\n  more of one\n- two\n\nBefore:\n```rust\nlet x = 1;\n\nlet y;\n```\nAfter\n";

    #[test]
    fn blocks_end_where_another_begins() {
        let expected = [
            "# Title",
            "Some *words*\nand more.",
            "- one\n\n  more of one\n- two",
            "Before:",
            "code: let x = 1;\n\nlet y;",
            "After",
        ];
        assert_eq!(blocks(&Text::whole(SAMPLE)), expected);
    }

    #[test]
    fn pieces_of_any_size_come_to_the_same_and_done_stays_done() {
        for size in 1..SAMPLE.len() {
            let mut text = Text::default();
            for piece in SAMPLE.as_bytes().chunks(size) {
                let before: Vec<_> = text.done.iter().map(Arc::as_ptr).collect();
                text.push(std::str::from_utf8(piece).unwrap());
                let after: Vec<_> = text.done.iter().map(Arc::as_ptr).collect();
                assert!(after.starts_with(&before));
            }
            text.finish();
            assert_eq!(blocks(&text), blocks(&Text::whole(SAMPLE)), "pieces of {size}");
        }
    }

    #[cfg(feature = "markdown")]
    #[test]
    fn no_image_survives() {
        for source in [
            "![a](http://x/?q=secret)",
            "`\\`![a](http://x)",
            "![a][b]\n[b]: http://x",
            "![b]\n[b]: http://x",
            "![b]\n\n[b]: http://x",
        ] {
            // Each block is parsed on its own: a definition in another one does not count.
            for block in blocks(&Text::whole(source)) {
                let makes_image = ["](", "][", "]:"].iter().any(|sign| block.contains(sign));
                assert!(!(makes_image && block.contains("![")), "{block}");
            }
        }
        assert_eq!(blocks(&Text::whole("use `vec![1]`")), ["use `vec![1]`"]);
    }

    #[test]
    fn references_hide_nothing() {
        for (source, shown) in [
            (
                "pay &#x202E;001&#8238; &rlm;now&shy;",
                "pay ‹U+202E›001‹U+202E› ‹U+200F›now‹U+00AD›",
            ),
            (
                "R&amp;D &lt;b&gt; &#65; a & b; &unknown; &",
                "R&amp;D &lt;b&gt; &#65; a & b; &unknown; &",
            ),
            ("&#xFFFFFFFF; &#; &#x;", "&#xFFFFFFFF; &#; &#x;"),
        ] {
            assert_eq!(blocks(&Text::whole(source)), [shown]);
        }
    }

    #[test]
    fn a_very_long_block_is_cut_at_lines_and_nothing_is_lost() {
        for (opening, line) in [("```rust\n", "let x = 1;\n"), ("", "words ä of one paragraph\n")] {
            let mut text = Text::default();
            text.push(opening);
            for _ in 0..200 {
                text.push(&line.repeat(100));
            }
            text.finish();
            assert!(text.done.len() > 5);
            let all: String = text
                .done
                .iter()
                .map(|block| match &**block {
                    Block::Code(code) => format!("{code}\n"),
                    Block::Prose { text, .. } => format!("{text}\n"),
                })
                .collect();
            assert_eq!(all, line.repeat(20_000), "{opening}");
        }
        // Not a line in sight.
        let streamed = |source: String| {
            let mut text = Text::default();
            for piece in source.as_bytes().chunks(1000) {
                text.push(std::str::from_utf8(piece).unwrap());
            }
            text.finish();
            text
        };
        let text = streamed("ä".repeat(100_000));
        assert_eq!(blocks(&text).concat(), "ä".repeat(100_000));
        let text = streamed(format!("```\n{}\n```\nafter", "ä".repeat(100_000)));
        let code = "code: ".to_owned();
        assert_eq!(
            blocks(&text).concat().replace(&code, ""),
            format!("{}after", "ä".repeat(100_000))
        );
        assert!(matches!(&*text.done[1], Block::Code(_)));
        let text = streamed(format!("```\na\n```\n\n```\n{}```\n", "let x;\n".repeat(20_000)));
        assert!(text.done.len() > 3 && text.done.iter().all(|block| matches!(&**block, Block::Code(_))));
        let text = streamed(format!("```{}\nx\n```\n", "i".repeat(100_000)));
        assert!(blocks(&text).len() < 10);
    }

    #[test]
    fn an_open_fence_is_shown_as_code_at_once() {
        let mut text = Text::default();
        text.push("```\nlet x");
        assert_eq!(blocks(&text), ["code: let x"]);
        text.push(" = 1;\n``");
        assert_eq!(blocks(&text), ["code: let x = 1;\n``"]);
        text.push("`\n");
        assert_eq!(text.done.len(), 1);
        assert_eq!(blocks(&text), ["code: let x = 1;"]);
    }
}
