//! How well a few letters fit a line.

/// Points for letters that fit in order: more at the begin of a word, and one right after the other. `None`: they do not
/// fit. Nothing typed fits everything alike.
pub(super) fn score(query: &str, line: &str) -> Option<i32> {
    let mut points = 0;
    for word in query.split_whitespace() {
        points += word_score(word, line)?;
    }
    Some(points)
}

fn word_score(word: &str, line: &str) -> Option<i32> {
    let line: Vec<char> = line.chars().flat_map(char::to_lowercase).collect();
    let word: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    if let Some(at) = line.windows(word.len()).position(|part| part == word) {
        // The letters as they stand are always better than the same letters scattered.
        let begins = at == 0 || !line[at - 1].is_alphanumeric();
        return Some(1000 + if begins { 100 } else { 0 } - i32::try_from(at).unwrap_or(99).min(99));
    }
    let (mut points, mut at, mut last) = (0, 0, None);
    for letter in word {
        let step = line[at..].iter().position(|c| *c == letter)?;
        let here = at + step;
        points += 1;
        if here == 0 || !line[here - 1].is_alphanumeric() {
            points += 8;
        }
        if last.is_some_and(|last: usize| last + 1 == here) {
            points += 4;
        }
        points -= i32::try_from(step).unwrap_or(20).min(20) / 4;
        last = Some(here);
        at = here + 1;
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::score;

    #[test]
    fn what_fits_better_has_more_points() {
        let better = |query, one, other| {
            let (one, other) = (score(query, one), score(query, other));
            assert!(one > other, "{query}: {one:?} > {other:?}");
        };
        better("del", "Delete the task", "Mark the old list");
        better("dt", "Delete task", "Edited");
        better("milk", "Delete the task · Buy milk", "Mark it looking back");
        better("task del", "Delete the task", "Delete the list");
    }

    #[test]
    fn letters_fit_in_order_or_not_at_all() {
        assert_eq!(score("xyz", "Delete the task"), None);
        assert_eq!(score("ksat", "Delete the task"), None);
        assert_eq!(score("", "anything"), Some(0));
        assert_eq!(score("delete the task and more", "Delete the task"), None);
    }
}
