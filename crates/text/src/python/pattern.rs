//! Compiles answer patterns and matches texts with them: in linear time with the crate `regex` if it supports the
//! pattern, and otherwise by backtracking with `fancy_regex`.

use super::translate::{Translated, translate};
use crate::error::Error;
use crate::nfd::decompose;

/// Maximum number of steps of a backtracking search.
const MAX_BACKTRACK_STEPS: usize = 10_000_000;

/// A compiled Python regular expression, in NFD like the texts that it is matched against.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// A pattern that is matched in time linear in the length of the text.
    Linear(regex::Regex),
    /// A pattern that needs backtracking, for example because of look-around, a back-reference or Python's `\b`.
    Backtracking {
        exact: Box<fancy_regex::Regex>,
        /// A linear pattern that matches every text that `exact` matches. It rules out most other texts.
        prefilter: Option<regex::Regex>,
    },
}

impl Pattern {
    /// Compiles a pattern that ignores case and whose `^` and `$` match at every line.
    pub(crate) fn new(pattern: &str) -> Result<Self, Error> {
        let to_error = |reason: String| Error::Pattern { pattern: pattern.to_owned(), reason };
        let translated = translate(&decompose(pattern.into())).map_err(to_error)?;
        Self::compile(translated, to_error)
    }

    /// Like [`new`](Self::new), but a match must begin at the start of the text, as with Python's `re.match`.
    pub(crate) fn at_start(pattern: &str) -> Result<Self, Error> {
        // The pattern must be valid by itself: an unbalanced parenthesis could close the group put around the pattern.
        Self::new(pattern)?;
        let to_error = |reason: String| Error::Pattern { pattern: pattern.to_owned(), reason };
        let Translated { pattern: translated, needs_backtracking, without_word_boundaries } =
            translate(&decompose(pattern.into())).map_err(to_error)?;
        let anchored = |pattern: String| format!(r"\A(?:{pattern})");
        let without_word_boundaries = without_word_boundaries.map(anchored);
        Self::compile(
            Translated { pattern: anchored(translated), needs_backtracking, without_word_boundaries },
            to_error,
        )
    }

    fn compile(translated: Translated, to_error: impl Fn(String) -> Error) -> Result<Self, Error> {
        if !translated.needs_backtracking {
            return linear(&translated.pattern)
                .map(Self::Linear)
                .map_err(|error| to_error(last_line(&error)));
        }
        let exact = fancy_regex::RegexBuilder::new(&translated.pattern)
            .case_insensitive(true)
            .multi_line(true)
            .backtrack_limit(MAX_BACKTRACK_STEPS)
            .build()
            .map_err(|error| to_error(error.to_string()))?;
        let prefilter = translated.without_word_boundaries.and_then(|pattern| linear(&pattern).ok());
        Ok(Self::Backtracking { exact: Box::new(exact), prefilter })
    }

    /// Whether the pattern occurs in a text in NFD. A search that exceeds [`MAX_BACKTRACK_STEPS`] counts as no match.
    pub(crate) fn is_match(&self, decomposed: &str) -> bool {
        match self {
            Self::Linear(regex) => regex.is_match(decomposed),
            Self::Backtracking { exact, prefilter } => {
                prefilter.as_ref().is_none_or(|prefilter| prefilter.is_match(decomposed))
                    && exact.is_match(decomposed).unwrap_or(false)
            }
        }
    }
}

/// Compiles a translated pattern that needs no backtracking.
fn linear(pattern: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build()
}

/// The last line of an error of the crate `regex`. The lines above it show the pattern.
fn last_line(error: &regex::Error) -> String {
    let message = error.to_string();
    let line = message.trim_end().lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
