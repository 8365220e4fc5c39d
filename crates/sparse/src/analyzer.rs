//! How texts become terms.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::characters::{is_letter, is_white_space, lower_case};
use crate::words::{LONGEST, for_each_word};
use crate::{Error, english};

/// How texts become terms. An index keeps the analyzer it was made with and applies it to queries.
///
/// ```
/// use sparse::Analyzer;
///
/// assert_eq!(Analyzer::English.tokens("The U.S. Navy’s ships were running"), ["u.", "navi", "ship", "were", "run"]);
/// assert_eq!(Analyzer::Simple.tokens("Don't: R2-D2"), ["don", "t", "r", "d"]);
/// assert_eq!(Analyzer::Whitespace.tokens("Don't: R2-D2"), ["Don't:", "R2-D2"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Analyzer {
    /// Lucene's EnglishAnalyzer, token for token: words of UAX #29 (Unicode 12.1), `'s` off, lower case, 33 stop
    /// words off, Porter's stems.
    English,
    /// Runs of letters, in lower case: Lucene's SimpleAnalyzer.
    Simple,
    /// What stands between white space, as it is: Lucene's WhitespaceAnalyzer. No-break spaces are no white space.
    Whitespace,
}

impl Analyzer {
    /// Every analyzer.
    pub const ALL: [Self; 3] = [Self::English, Self::Simple, Self::Whitespace];

    /// `english`, `simple` or `whitespace`, which [`FromStr`] takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::English => "english",
            Self::Simple => "simple",
            Self::Whitespace => "whitespace",
        }
    }

    /// The terms of a text, in order, repeated as they are repeated.
    #[must_use]
    pub fn tokens(self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.for_each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    /// Calls `visit` with every term of a text, in order. Allocates no more than a buffer for one term.
    pub fn for_each_token(self, text: &str, mut visit: impl FnMut(&str)) {
        match self {
            Self::English => {
                let mut buffers = english::Buffers::default();
                for_each_word(text, |word| {
                    if let Some(term) = buffers.term(word) {
                        visit(term);
                    }
                });
            }
            Self::Simple => {
                let mut lower = String::new();
                for_each_run(text, is_letter, |run| {
                    lower.clear();
                    lower.extend(run.chars().map(lower_case));
                    visit(&lower);
                });
            }
            Self::Whitespace => for_each_run(text, |c| !is_white_space(c), visit),
        }
    }
}

impl fmt::Display for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Analyzer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|analyzer| analyzer.name() == name).ok_or_else(|| Error::Argument {
            what: "analyzer",
            expected: "english, simple or whitespace",
            got: format!("\"{name}\""),
        })
    }
}

/// Calls `visit` with every run of characters that `belongs` takes. A run of more than 255 UTF-16 code units is
/// cut once it has at least so many, as Lucene's CharTokenizer does.
fn for_each_run(text: &str, belongs: impl Fn(char) -> bool, mut visit: impl FnMut(&str)) {
    let (mut start, mut units) = (0, 0);
    for (at, c) in text.char_indices() {
        if !belongs(c) {
            if units > 0 {
                visit(&text[start..at]);
            }
            units = 0;
            continue;
        }
        if units == 0 {
            start = at;
        }
        units += c.len_utf16();
        if units >= LONGEST {
            visit(&text[start..at + c.len_utf8()]);
            units = 0;
        }
    }
    if units > 0 {
        visit(&text[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possessives_go_before_stop_words_and_stems() {
        // "it's" loses its 's and is then a stop word; "S'" keeps what it has.
        assert_eq!(
            Analyzer::English.tokens("It's Levi's LEVI’S Levi＇s boss' o's"),
            ["levi", "levi", "levi", "boss", "o"]
        );
    }

    #[test]
    fn lower_case_is_character_by_character() {
        // Java gives i for İ where Unicode's full mapping adds a dot, and never the final sigma.
        assert_eq!(Analyzer::English.tokens("İO ΟΔΟΣ"), ["io", "οδοσ"]);
    }

    #[test]
    fn the_other_analyzers_follow_java() {
        assert_eq!(Analyzer::Whitespace.tokens(" a\u{a0}b\u{2003}c\u{1f}d\n"), ["a\u{a0}b", "c", "d"]);
        assert_eq!(Analyzer::Simple.tokens("Ⅷ x² naïve_Ωs"), ["x", "naïve", "ωs"]);
        let lengths =
            |text: &str| Analyzer::Whitespace.tokens(text).iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths(&"a".repeat(511)), [255, 255, 1]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = "klingon".parse::<Analyzer>().expect_err("no such analyzer").to_string();
        assert_eq!(error, "analyzer: expected english, simple or whitespace, got \"klingon\"");
        assert!(
            Analyzer::ALL.iter().all(|&analyzer| analyzer.name().parse::<Analyzer>().ok() == Some(analyzer))
        );
    }
}
