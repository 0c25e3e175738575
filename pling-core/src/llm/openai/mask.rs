//! Keys in texts that people see: servers like to repeat them.

use secrecy::{ExposeSecret as _, SecretString};

/// A text without any of these secrets.
pub(super) fn masked(text: &str, secrets: &[SecretString]) -> String {
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| mask(&text, secret.expose_secret()))
}

/// Hides a key, and the beginning of a key of eight or more characters. A shorter key is hidden where it stands alone,
/// since keys such as `none` are also words.
fn mask(text: &str, key: &str) -> String {
    const ENOUGH: usize = 8;
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let common: usize = rest
            .chars()
            .zip(key.chars())
            .take_while(|(ours, theirs)| ours == theirs)
            .map(|(c, _)| c.len_utf8())
            .sum();
        let stands_alone = || {
            let joins = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            !joins(masked.chars().next_back()) && !joins(rest[common..].chars().next())
        };
        if !key.is_empty() && (common >= ENOUGH || (common == key.len() && stands_alone())) {
            masked.push_str("***");
            rest = &rest[common..];
        } else {
            masked.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_whole_cut_and_short() {
        assert_eq!(mask("bad key sk-12345678-x!", "sk-12345678-x"), "bad key ***!");
        assert_eq!(mask("bad key sk-123456…", "sk-12345678-x"), "bad key ***…");
        assert_eq!(mask("é sk-1 é", "sk-12345678-x"), "é sk-1 é");
        assert_eq!(
            mask("none is no key: nonetheless", "none"),
            "*** is no key: nonetheless"
        );
        assert_eq!(mask("text", ""), "text");
    }
}
