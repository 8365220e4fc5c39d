//! The public type [`Analyzer`]: one of five kinds, with the stop words of its kind or with others.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use crate::analysis::char_tokenizer::for_each_run;
use crate::analysis::characters::{is_letter, is_white_space, lower_case};
use crate::analysis::english::{self, NumberMemo};
use crate::analysis::snowball::Snowball;
use crate::analysis::standard_tokenizer::range_in;
use crate::analysis::stop_words::StopWords;
use crate::analysis::word_pieces::{WordPieces, copy_in};
use crate::{Error, Language};

/// Turns texts into terms, the units that BM25 matches. An analyzer is a value that is cheap to clone. An index records
/// the analyzer with which it was built and applies it to queries.
///
/// ```
/// use sparse::{Analyzer, Language};
///
/// assert_eq!(Analyzer::ENGLISH.tokens("The U.S. Navy’s ships were running"), ["u.", "navi", "ship", "were", "run"]);
/// assert_eq!(Analyzer::SIMPLE.tokens("Don't: R2-D2"), ["don", "t", "r", "d"]);
/// assert_eq!(Analyzer::WHITESPACE.tokens("Don't: R2-D2"), ["Don't:", "R2-D2"]);
/// let german = Analyzer::snowball("german".parse()?);
/// assert_eq!(german.tokens("Die Häuser der Städte"), ["haus", "stadt"]);
/// let without_ships = Analyzer::ENGLISH.with_stop_words(["Ships"])?;
/// assert_eq!(without_ships.tokens("The ships' ship"), ["the", "ship"]);
/// # Ok::<(), sparse::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analyzer {
    kind: Kind,
    /// The stop words that replace those of the kind; `None` if the kind's own are used.
    stop_words: Option<StopWords>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    English,
    Simple,
    Whitespace,
    Snowball(Snowball),
    WordPiece(Arc<WordPieces>),
}

/// Names and versions of the kinds. A version is raised when any token of the analyzer changes, and indexes that were
/// built with another version are rejected.
const VERSIONS: [(&str, u32); 5] =
    [("english", 1), ("simple", 1), ("whitespace", 1), ("snowball", 1), ("wordpiece", 1)];

impl Analyzer {
    /// Gives the same tokens as Lucene's EnglishAnalyzer. Words are found by Unicode's rules for word boundaries
    /// (UAX #29, Unicode 12.1). A final `'s` is removed, words are lowercased, 33 stop words are dropped, and the other
    /// words are stemmed by Porter's algorithm.
    pub const ENGLISH: Self = Self { kind: Kind::English, stop_words: None };
    /// Gives the same tokens as Lucene's SimpleAnalyzer: runs of letters, in lower case.
    pub const SIMPLE: Self = Self { kind: Kind::Simple, stop_words: None };
    /// Gives the same tokens as Lucene's WhitespaceAnalyzer: everything between white space, unchanged. No-break
    /// spaces do not count as white space.
    pub const WHITESPACE: Self = Self { kind: Kind::Whitespace, stop_words: None };

    /// Returns the analyzer of a language. Words are found as by [`ENGLISH`](Self::ENGLISH) and lowercased, other
    /// apostrophes become `'`, the language's stop words are dropped, and the other words are stemmed by Snowball. The
    /// tokens differ from those of Lucene's analyzer for the language: here, Snowball's stemmer handles possessives,
    /// elisions and variants of a letter, after stop words have been removed. Lucene has separate filters for these,
    /// and lighter stemmers for some languages.
    #[must_use]
    pub fn snowball(language: Language) -> Self {
        Self { kind: Kind::Snowball(Snowball::new(language, None)), stop_words: None }
    }

    /// Returns the analyzer whose terms are the word pieces of a model, given the path of its `tokenizer.json` or of
    /// the folder that contains it. Word pieces are written as in the vocabulary (`##ing`). There are no special
    /// tokens, except `[UNK]` for words that cannot be split into pieces of the vocabulary. Texts are not truncated.
    /// BM25 over word pieces is a baseline of Ram et al. (2023, "What are you token about?", appendix A).
    ///
    /// # Errors
    ///
    /// [`Error::Tokenizer`] if there is no tokenizer, or if it is not a WordPiece tokenizer.
    pub fn word_piece(path: &Path) -> Result<Self, Error> {
        Ok(Self { kind: Kind::WordPiece(WordPieces::open(path)?), stop_words: None })
    }

    /// Returns the same analyzer with other stop words. With an empty list, every word becomes a term.
    ///
    /// The words of a text are compared with the stop words before the words are stemmed. The comparison ignores case,
    /// except for `whitespace` and `wordpiece`. A stop word that the analyzer would split has no effect.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty stop word.
    pub fn with_stop_words<S: AsRef<str>>(self, words: impl IntoIterator<Item = S>) -> Result<Self, Error> {
        let words = words.into_iter().map(|word| match &self.kind {
            Kind::English => english::before_stop_words(word.as_ref()),
            Kind::Simple => word.as_ref().chars().map(lower_case).collect(),
            Kind::Snowball(snowball) => snowball.before_stop_words(word.as_ref()),
            Kind::Whitespace | Kind::WordPiece(_) => word.as_ref().to_owned(),
        });
        let stop_words = StopWords::new(words)?;
        let kind = match self.kind {
            Kind::Snowball(snowball) => Kind::Snowball(Snowball::new(snowball.language, Some(&stop_words))),
            kind => kind,
        };
        Ok(Self { kind, stop_words: Some(stop_words) })
    }

    /// Returns the name: `english`, `simple`, `whitespace`, `snowball` or `wordpiece`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name_and_version().0
    }

    /// Returns the version, which is raised when any token of the analyzer changes.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.name_and_version().1
    }

    /// Returns the language of a `snowball` analyzer; `None` for the others.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        match &self.kind {
            Kind::Snowball(snowball) => Some(snowball.language),
            _ => None,
        }
    }

    /// Returns the SHA-256 of the `tokenizer.json` of a `wordpiece` analyzer, in hexadecimal; `None` for the others.
    #[must_use]
    pub fn tokenizer_sha256(&self) -> Option<&str> {
        self.word_pieces().map(|pieces| pieces.sha256())
    }

    /// Returns the path of the copy of `tokenizer.json` that an index with this analyzer has in its folder, `folder`;
    /// `None` if this is not a `wordpiece` analyzer.
    #[must_use]
    pub fn tokenizer_copy(&self, folder: &Path) -> Option<PathBuf> {
        Some(copy_in(folder, self.tokenizer_sha256()?))
    }

    /// Returns the stop words that replace the analyzer's own, sorted, in the form in which they are compared with
    /// words; `None` if the analyzer's own are used.
    #[must_use]
    pub fn stop_words(&self) -> Option<&[String]> {
        self.stop_words.as_ref().map(StopWords::as_slice)
    }

    /// Returns the terms of a text, in order, including repetitions.
    #[must_use]
    pub fn tokens(&self, text: &str) -> Vec<String> {
        let mut tokens = Vec::new();
        self.for_each_token(text, |token| tokens.push(token.to_owned()));
        tokens
    }

    /// Calls `visit` with each term of a text, in order.
    pub fn for_each_token(&self, text: &str, mut visit: impl FnMut(&str)) {
        match &self.kind {
            Kind::English => english::for_each_term(text, self.stop_words.as_ref(), visit),
            _ => self.for_each_token_and_range(text, |term, _| visit(term)),
        }
    }

    /// Calls `visit` with the number of each term of a text, in order. `intern` returns the number of a term. All calls
    /// with the same memo must have the same analyzer and the same `intern`.
    pub(crate) fn for_each_number(
        &self,
        text: &str,
        memo: &mut Option<NumberMemo>,
        mut intern: impl FnMut(&str) -> u32,
        mut visit: impl FnMut(u32),
    ) {
        match &self.kind {
            Kind::English => {
                let memo = memo.get_or_insert_with(NumberMemo::new);
                english::for_each_number(text, self.stop_words.as_ref(), memo, intern, visit);
            }
            _ => self.for_each_token(text, |term| visit(intern(term))),
        }
    }

    /// Calls `visit` with each term of a text and the byte range of the word or word piece that became this term, in
    /// order.
    pub(crate) fn for_each_token_and_range(&self, text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
        let stop_words = self.stop_words.as_ref();
        let mut visit_unless_stop_word = |word: &str, range: Range<usize>| {
            if !stop_words.is_some_and(|stop_words| stop_words.contains(word.as_bytes())) {
                visit(word, range);
            }
        };
        match &self.kind {
            Kind::English => english::for_each_term_and_word(text, stop_words, |term, word| {
                visit(term, range_in(text, word));
            }),
            Kind::Snowball(snowball) => snowball.for_each_term(text, visit),
            Kind::Simple => {
                let mut lower = String::new();
                for_each_run(text, is_letter, |run| {
                    lower.clear();
                    lower.extend(run.chars().map(lower_case));
                    visit_unless_stop_word(&lower, range_in(text, run));
                });
            }
            Kind::Whitespace => for_each_run(
                text,
                |c| !is_white_space(c),
                |run| {
                    visit_unless_stop_word(run, range_in(text, run));
                },
            ),
            Kind::WordPiece(pieces) => pieces.for_each_term(text, visit_unless_stop_word),
        }
    }

    pub(crate) fn word_pieces(&self) -> Option<&WordPieces> {
        match &self.kind {
            Kind::WordPiece(pieces) => Some(pieces),
            _ => None,
        }
    }

    /// Returns a `wordpiece` analyzer with the copy of its tokenizer that is in the folder of an index.
    pub(crate) fn word_piece_copy(folder: &Path, sha256: &str) -> Result<Self, Error> {
        Ok(Self { kind: Kind::WordPiece(WordPieces::open_copy(folder, sha256)?), stop_words: None })
    }

    /// Returns the version that an analyzer has in this release; `None` if there is no analyzer with this name.
    pub(crate) fn version_of(name: &str) -> Option<u32> {
        VERSIONS.iter().find(|(known, _)| *known == name).map(|&(_, version)| version)
    }

    fn name_and_version(&self) -> (&'static str, u32) {
        VERSIONS[match self.kind {
            Kind::English => 0,
            Kind::Simple => 1,
            Kind::Whitespace => 2,
            Kind::Snowball(_) => 3,
            Kind::WordPiece(_) => 4,
        }]
    }
}

/// Writes `english`, `snowball:german` or `wordpiece (tokenizer 1a2b3c4d)`, and a description of the stop words if they
/// were replaced.
impl fmt::Display for Analyzer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match &self.kind {
            Kind::Snowball(snowball) => write!(f, ":{}", snowball.language)?,
            Kind::WordPiece(pieces) => write!(f, " (tokenizer {})", &pieces.sha256()[..8])?,
            _ => {}
        }
        self.stop_words.as_ref().map_or(Ok(()), |stop_words| write!(f, " {}", stop_words.describe()))
    }
}

/// Parses `english`, `simple`, `whitespace`, or `snowball:` and a language.
impl FromStr for Analyzer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match (name, name.strip_prefix("snowball:")) {
            ("english", _) => Ok(Self::ENGLISH),
            ("simple", _) => Ok(Self::SIMPLE),
            ("whitespace", _) => Ok(Self::WHITESPACE),
            (_, Some(language)) => Ok(Self::snowball(language.parse()?)),
            _ => Err(Error::Argument {
                what: "analyzer",
                expected: "english, simple, whitespace or snowball:<language>",
                got: format!("\"{name}\""),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possessives_are_removed_before_stop_words_and_stemming() {
        // "It's" without 's is the stop word "it". The final apostrophe of "boss'" is not part of the word.
        assert_eq!(
            Analyzer::ENGLISH.tokens("It's Levi's LEVI’S Levi＇s boss' o's"),
            ["levi", "levi", "levi", "boss", "o"]
        );
    }

    #[test]
    fn characters_are_lowercased_one_by_one() {
        // Java maps İ to i, where Unicode's full mapping adds a combining dot. Java maps Σ to σ even at the end of a
        // word, where Unicode's rule for texts gives ς.
        assert_eq!(Analyzer::ENGLISH.tokens("İO ΟΔΟΣ"), ["io", "οδοσ"]);
    }

    #[test]
    fn simple_and_whitespace_classify_characters_as_java_does_and_split_runs_after_255_units() {
        assert_eq!(Analyzer::WHITESPACE.tokens(" a\u{a0}b\u{2003}c\u{1f}d\n"), ["a\u{a0}b", "c", "d"]);
        assert_eq!(Analyzer::SIMPLE.tokens("Ⅷ x² naïve_Ωs"), ["x", "naïve", "ωs"]);
        let lengths =
            |text: &str| Analyzer::WHITESPACE.tokens(text).iter().map(String::len).collect::<Vec<_>>();
        assert_eq!(lengths(&"a".repeat(511)), [255, 255, 1]);
    }

    #[test]
    fn names_are_parsed_and_an_unknown_one_is_rejected_with_the_known_ones() {
        let error = "klingon".parse::<Analyzer>().expect_err("no such analyzer").to_string();
        assert_eq!(
            error,
            "analyzer: expected english, simple, whitespace or snowball:<language>, got \"klingon\""
        );
        let error = "snowball:klingon".parse::<Analyzer>().expect_err("no such language").to_string();
        assert_eq!(
            error,
            "language: expected one that Snowball has a stemmer for: arabic, …, yiddish, got \"klingon\""
        );
        let snowball = Language::all().map(Analyzer::snowball);
        for analyzer in
            [Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE].into_iter().chain(snowball)
        {
            assert_eq!(analyzer.to_string().parse::<Analyzer>().ok(), Some(analyzer));
        }
    }

    #[test]
    fn given_stop_words_replace_the_analyzers_own() {
        let tokens_without = |analyzer: Analyzer, words: &[&str], text: &str| {
            analyzer.with_stop_words(words).expect("words").tokens(text)
        };
        // As in Lucene, words are compared with stop words after lowercasing and the removal of possessives, but before
        // stemming: "ships" is removed, "ship" is not.
        assert_eq!(
            tokens_without(Analyzer::ENGLISH, &["Ships", "Navy's"], "The navy's ships ship"),
            ["the", "ship"]
        );
        assert_eq!(tokens_without(Analyzer::ENGLISH, &["ΟΔΟΣ", "été"], "Été οδοσ été's no"), ["no"]);
        assert_eq!(tokens_without(Analyzer::ENGLISH, &[], "To be or not"), ["to", "be", "or", "not"]);
        assert_eq!(tokens_without(Analyzer::SIMPLE, &["Don"], "DON'T do"), ["t", "do"]);
        assert_eq!(tokens_without(Analyzer::WHITESPACE, &["Don't"], "Don't don't"), ["don't"]);
    }

    #[test]
    fn analyzers_are_equal_if_and_only_if_they_have_the_same_language_and_stop_words() {
        let with = |words: &[&str]| Analyzer::ENGLISH.with_stop_words(words).expect("words");
        assert_eq!(with(&["The", "a's"]), with(&["a", "the"]));
        assert_ne!(with(&["the"]), with(&["a"]));
        assert_ne!(with(&[]), Analyzer::ENGLISH);
        let [german, french] =
            ["german", "french"].map(|name| Analyzer::snowball(name.parse().expect("a language")));
        assert_ne!(german, french);
        assert_eq!(german.clone().with_stop_words(["an", "an"]).ok(), german.with_stop_words(["An"]).ok());
    }
}
