//! Near misses: a suggestion in words, never a repair.

/// Longer names are not compared: nobody mistypes a paragraph.
const MAX_NAME: usize = 64;

/// The candidate that the name was probably meant to be: the same but for case, `-` and `_`, or at most a
/// third of it mistyped, two letters at the most. The nearest, then the first in order of the alphabet.
pub(super) fn near_miss<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = fold(name)?;
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let candidate_folded = fold(candidate)?;
            let distance = edit_distance(&wanted, &candidate_folded);
            let allowed = (wanted.len().min(candidate_folded.len()) / 3).min(2);
            (distance <= allowed).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Lower case with `_` for `-` and blanks; `None` when it is too long to compare.
fn fold(name: &str) -> Option<Vec<char>> {
    let folded: Vec<char> = name
        .trim()
        .chars()
        .take(MAX_NAME + 1)
        .flat_map(char::to_lowercase)
        .map(|c| if c == '-' || c == ' ' { '_' } else { c })
        .collect();
    (folded.len() <= MAX_NAME).then_some(folded)
}

/// Levenshtein's: insertions, deletions and replacements.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_what_differs_in_case_separator_or_a_letter() {
        let names = ["add_todo", "clear_done", "open", "Open"];
        let check = |name, expect: Option<&str>| assert_eq!(near_miss(name, names), expect, "{name}");
        check("Add_Todo", Some("add_todo"));
        check("add-todo", Some("add_todo"));
        check("ad_todo", Some("add_todo"));
        check("claer_done", Some("clear_done"));
        check("OPEN", Some("Open"));
        check("delete_everything", None);
        check("", None);
        check(&"x".repeat(10_000), None);
    }
}
