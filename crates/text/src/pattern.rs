use crate::error::Error;
use crate::prepared::decompose;
use crate::python_pattern::{Translated, translate};

/// Steps after which a search that backtracks is given up.
const BACKTRACK_LIMIT: usize = 10_000_000;

/// A compiled answer pattern: a Python regular expression, decomposed as the texts are.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// Runs in time linear in the text.
    Linear(regex::Regex),
    /// Uses what only backtracking can do: look-around, back-references, Python's `\b`.
    Backtracking {
        exact: Box<fancy_regex::Regex>,
        /// Linear, and in every text that `exact` is in; most texts need no more.
        loose: Option<regex::Regex>,
    },
}

impl Pattern {
    /// Compiles a pattern, ignoring case, with `^` and `$` at every line.
    pub(crate) fn new(pattern: &str) -> Result<Self, Error> {
        let refuse = |reason: String| Error::Pattern { pattern: pattern.to_owned(), reason };
        let translated = translate(&decompose(pattern.into())).map_err(refuse)?;
        Self::compile(translated, refuse)
    }

    /// The same, but a match has to begin where the text begins, as with `match` of Python's `re`.
    pub(crate) fn at_start(pattern: &str) -> Result<Self, Error> {
        // Alone first: parentheses that do not belong together could close those put around the pattern.
        Self::new(pattern)?;
        let refuse = |reason: String| Error::Pattern { pattern: pattern.to_owned(), reason };
        let Translated { pattern: alone, backtracks, without_boundaries } =
            translate(&decompose(pattern.into())).map_err(refuse)?;
        let anchored = |alone: String| format!(r"\A(?:{alone})");
        let without_boundaries = without_boundaries.map(anchored);
        Self::compile(Translated { pattern: anchored(alone), backtracks, without_boundaries }, refuse)
    }

    fn compile(translated: Translated, refuse: impl Fn(String) -> Error) -> Result<Self, Error> {
        if !translated.backtracks {
            return linear(&translated.pattern).map(Self::Linear).map_err(|error| refuse(last_line(&error)));
        }
        let exact = fancy_regex::RegexBuilder::new(&translated.pattern)
            .case_insensitive(true)
            .multi_line(true)
            .backtrack_limit(BACKTRACK_LIMIT)
            .build()
            .map_err(|error| refuse(error.to_string()))?;
        let loose = translated.without_boundaries.and_then(|pattern| linear(&pattern).ok());
        Ok(Self::Backtracking { exact: Box::new(exact), loose })
    }

    /// Whether the pattern occurs in a decomposed text; a search given up counts as no.
    pub(crate) fn is_match(&self, decomposed: &str) -> bool {
        match self {
            Self::Linear(regex) => regex.is_match(decomposed),
            Self::Backtracking { exact, loose } => {
                loose.as_ref().is_none_or(|loose| loose.is_match(decomposed))
                    && exact.is_match(decomposed).unwrap_or(false)
            }
        }
    }
}

fn linear(pattern: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(pattern).case_insensitive(true).multi_line(true).build()
}

/// The message without the drawing of the pattern that `regex` puts above it.
fn last_line(error: &regex::Error) -> String {
    let message = error.to_string();
    let line = message.trim_end().lines().last().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
