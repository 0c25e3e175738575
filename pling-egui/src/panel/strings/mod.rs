//! Every text that the panel says by itself, behind one table.
//!
//! The table in [`english`] makes a method of each text, so a text that is not in it cannot be said, and one that is not
//! said is a warning. An app's translation is a function: what it has no words for is said in English, and it is asked
//! each time, so a user may change the language while the app runs. How many forms a count has is its own affair.

mod english;

use std::{borrow::Cow, fmt, sync::Arc};

use pling_core::platform::{MaybeSend, MaybeSync};

/// One text of the panel, to be said in another language.
///
/// ```
/// use pling_egui::{PanelText, Pling};
///
/// fn german(text: &PanelText<'_>) -> Option<String> {
///     let words = match (text.id(), text.count()) {
///         ("send", _) => "Senden",
///         ("dropped", Some(1)) => "1 älterer Eintrag fehlt",
///         ("dropped", _) => "{count} ältere Einträge fehlen",
///         _ => return None,
///     };
///     Some(text.fill(words))
/// }
/// # let ctx = egui::Context::default();
/// let pling = Pling::builder().strings(german).install(&ctx);
/// # drop(pling);
/// # assert_eq!(PanelText::all().filter(|text| text.id() == "dropped").count(), 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct PanelText<'a> {
    id: &'static str,
    english: &'static str,
    arguments: &'a [(&'static str, Argument<'a>)],
}

/// What a text is said with.
#[derive(Clone, Copy, Debug)]
pub(in crate::panel) enum Argument<'a> {
    Count(usize),
    Word(&'a str),
}

impl PanelText<'_> {
    /// Every text there is, for whoever translates them. Their arguments are not known here.
    pub fn all() -> impl Iterator<Item = PanelText<'static>> {
        english::ALL.iter().map(|(id, english)| PanelText {
            id,
            english,
            arguments: &[],
        })
    }

    /// Its stable name, such as `send`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// The English, with each argument's name in braces, such as `{count} more`.
    #[must_use]
    pub fn english(&self) -> &'static str {
        self.english
    }

    /// How many things it speaks of, where it does.
    #[must_use]
    pub fn count(&self) -> Option<usize> {
        self.arguments.iter().find_map(|(_, value)| match value {
            Argument::Count(count) => Some(*count),
            Argument::Word(_) => None,
        })
    }

    /// Its arguments by name, as they are to be read; those of another program or the page are shown as they are.
    pub fn arguments(&self) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
        let words = |value: &Argument<'_>| match value {
            Argument::Count(count) => Cow::Owned(count.to_string()),
            Argument::Word(word) => Cow::Owned((*word).to_owned()),
        };
        self.arguments.iter().map(move |(name, value)| (*name, words(value)))
    }

    /// A sentence with the arguments in the place of their names in braces.
    #[must_use]
    pub fn fill(&self, sentence: &str) -> String {
        let mut out = String::with_capacity(sentence.len());
        let mut rest = sentence;
        // What an argument says is never taken for a name.
        while let Some(at) = rest.find('{') {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let named = rest.find('}').and_then(|end| {
                let (_, value) = self.arguments.iter().find(|(name, _)| *name == &rest[1..end])?;
                Some((end, value))
            });
            match named {
                Some((end, Argument::Word(word))) => {
                    out.push_str(word);
                    rest = &rest[end + 1..];
                }
                Some((end, Argument::Count(count))) => {
                    out.push_str(&count.to_string());
                    rest = &rest[end + 1..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// Says a text in another language. `None`: in English.
pub(crate) trait Translate: Fn(&PanelText<'_>) -> Option<String> + MaybeSend + MaybeSync {}

impl<F: Fn(&PanelText<'_>) -> Option<String> + MaybeSend + MaybeSync> Translate for F {}

/// The texts in the app's language; a cheap handle.
#[derive(Clone, Default)]
pub(crate) struct Strings {
    translate: Option<Arc<dyn Translate>>,
}

impl Strings {
    /// The texts as a function says them.
    pub(crate) fn new(translate: impl Translate + 'static) -> Self {
        Self {
            translate: Some(Arc::new(translate)),
        }
    }

    /// Says one; `one` is the English for a count of one, where that differs.
    fn say(&self, text: &PanelText<'_>, one: Option<&'static str>) -> String {
        let translated = self.translate.as_ref().and_then(|translate| translate(text));
        translated.unwrap_or_else(|| match one {
            Some(one) if text.count() == Some(1) => text.fill(one),
            _ => text.fill(text.english),
        })
    }
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Strings")
            .field("is_translated", &self.translate.is_some())
            .finish()
    }
}

impl From<usize> for Argument<'_> {
    fn from(count: usize) -> Self {
        Self::Count(count)
    }
}

impl<'a> From<&'a str> for Argument<'a> {
    fn from(word: &'a str) -> Self {
        Self::Word(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_argument_says_is_no_name() {
        let text = PanelText {
            id: "test",
            english: "{name}: {count} of {what}",
            arguments: &[("name", Argument::Word("{count}")), ("count", Argument::Count(2))],
        };
        assert_eq!(text.fill(text.english()), "{count}: 2 of {what}");
        assert_eq!(text.fill("{ {name"), "{ {name");
    }

    #[test]
    fn a_count_of_one_has_words_of_its_own() {
        let say = Strings::default();
        assert_eq!(say.dropped(1), "1 earlier entry is not kept");
        assert_eq!(say.dropped(2), "2 earlier entries are not kept");
    }

    #[test]
    fn what_is_not_translated_is_said_in_english() {
        let say = Strings::new(|text: &PanelText<'_>| (text.id() == "send").then(|| "Senden".to_owned()));
        assert_eq!((say.send(), say.stop()), ("Senden".to_owned(), "Stop".to_owned()));
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<_> = PanelText::all().map(|text| text.id()).collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
