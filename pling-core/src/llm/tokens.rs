//! How many tokens a text costs, roughly.

/// Estimates the tokens of a text: about one for four ASCII characters, one for each other character.
/// Errs on the high side for Chinese and emoji, and is within about a third for English and JSON.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(4) + other
}
