//! What was added to the tools: shown in the example's README, and nothing but declarations.

use std::{fmt::Write as _, fs, ops::Range, path::PathBuf};

use similar::{ChangeTag, TextDiff};

const TOOLS: [&str; 3] = ["gallery", "modals", "table"];

/// Where the README's generated part begins and ends.
const MARKS: (&str, &str) = ("<!-- generated: begin -->\n", "<!-- generated: end -->\n");

/// Pling's words: every addition has at least one, or is punctuation.
const DECLARING: [&str; 21] = [
    "pling_egui",
    "serde",
    "page",
    "tool",
    "Tool",
    "read",
    "danger",
    "handoff",
    "input",
    "choices",
    "opens",
    "region",
    "record",
    "Record",
    "RecordRow",
    "source",
    "reveal",
    "state",
    "feedback",
    "for_field",
    "busy",
];

fn example() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/adopt")
}

/// A tool as it was, and as it is.
fn sources(tool: &str) -> (String, String) {
    let read = |path: String| fs::read_to_string(example().join(path)).expect("a source of the example");
    (read(format!("src/plain/{tool}.rs")), read(format!("src/{tool}.rs")))
}

/// The difference as `diff -u` has it, under a line that counts it.
fn section(tool: &str) -> String {
    let (plain, declared) = sources(tool);
    let diff = TextDiff::from_lines(&plain, &declared);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    let changed = format!(
        "`{tool}.rs`: {removed} of {} lines changed, {} added",
        plain.lines().count(),
        added - removed
    );
    let mut unified = diff.unified_diff();
    unified.header(&format!("src/plain/{tool}.rs"), &format!("src/{tool}.rs"));
    format!("<details>\n<summary>{changed}</summary>\n\n```diff\n{unified}```\n\n</details>\n\n")
}

#[test]
fn the_readme_shows_what_was_added() {
    let path = example().join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(MARKS.0).unwrap();
    let (shown, after) = rest.split_once(MARKS.1).unwrap();
    let mut generated = String::from("\n");
    for tool in TOOLS {
        let _infallible = write!(generated, "{}", section(tool));
    }
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(&path, format!("{before}{}{generated}{}{after}", MARKS.0, MARKS.1)).unwrap();
    } else {
        assert!(shown == generated, "out of date; run again with UPDATE_README=1");
    }
}

#[test]
fn nothing_was_taken_away_and_nothing_but_declarations_was_added() {
    for tool in TOOLS {
        let (plain, declared) = sources(tool);
        // The row of a record comes borrowed, and has the same methods under another name.
        let declared = declared.replace("row: &mut RecordRow<'_, '_, '_>", "row: &mut TableRow<'_, '_>");
        let declared = declared.replace("self.row_ui(row)", "self.row_ui(&mut row)");
        let (plain, declared) = (tokens(&plain), tokens(&declared));
        for added in additions(&plain, &declared).unwrap_or_else(|lost| panic!("{tool}: `{lost}` was taken away")) {
            let words = declared[added.clone()].join(" ");
            let is_punctuation = |token: &&str| !token.starts_with(|c: char| c.is_alphanumeric() || c == '"');
            let declares = declared[added.clone()].iter().any(|token| DECLARING.contains(token));
            assert!(
                declares || declared[added.clone()].iter().all(is_punctuation),
                "{tool}: `{words}` declares nothing"
            );
            let assigns = added.clone().any(|at| assigns(&declared, at));
            assert!(!assigns, "{tool}: `{words}` changes the tool's own state");
        }
    }
}

/// Where `new` has more than `old`; or the first token of `old` that it has not.
fn additions<'a>(old: &[&'a str], new: &[&str]) -> Result<Vec<Range<usize>>, &'a str> {
    let mut additions = Vec::new();
    let mut at = 0;
    for token in old {
        let found = new[at..].iter().position(|other| other == token).ok_or(*token)?;
        additions.push(at..at + found);
        at += found + 1;
    }
    additions.push(at..new.len());
    additions.retain(|range| !range.is_empty());
    Ok(additions)
}

/// Whether the token assigns to anything but a new name.
fn assigns(tokens: &[&str], at: usize) -> bool {
    let near = |at: usize| tokens.get(at).copied().unwrap_or_default();
    let (before, after) = (near(at.wrapping_sub(1)), near(at + 1));
    let is_assignment = tokens[at] == "=" && !["=", "!", "<", ">"].contains(&before) && !["=", ">"].contains(&after);
    is_assignment && near(at.wrapping_sub(2)) != "let"
}

#[test]
fn an_assignment_is_told_from_a_name_and_a_comparison() {
    for (text, expected) in [
        ("let source = ui.record(1);", false),
        ("if self.sort == sort { ui.state(1) }", false),
        ("match sort { Sort::Plant => tool }", false),
        ("|row| row <= 3 && row != 4", false),
        ("self.tank = 0.0;", true),
        ("self.photos += 1;", true),
    ] {
        let tokens = tokens(text);
        assert_eq!((0..tokens.len()).any(|at| assigns(&tokens, at)), expected, "{text}");
    }
}

/// Words, texts, comments and single signs; white space does not count.
fn tokens(source: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = source.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = match first {
            '"' => 2 + rest[1..].find('"').expect("a text ends"),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}
