//! The analyzer for the languages of Snowball (snowballstem.org): words in lower case, with `'` in place of other
//! apostrophes, without stop words, stemmed by Snowball.
//!
//! The stemmers come from the crate `frostem`, which is compiled from Snowball's own algorithms. The stop words come
//! from tantivy's `StopWordFilter`, which has Lucene's 33 words for English and Snowball's lists for other languages.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{StopWordFilter, Token, TokenFilter, TokenStream, Tokenizer};

use crate::Error;
use crate::analysis::characters::lower_case;
use crate::analysis::standard_tokenizer::{for_each_word, range_in};
use crate::analysis::stop_words::StopWords;

/// A language for which Snowball has a stemmer, by Snowball's name. `english` is Porter's second stemmer, Porter2. Some
/// names are additional stemmers: `porter` and `lovins` for English, `earlymodernenglish` for Early Modern English, and
/// `dutch_porter` for Dutch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Algorithm);

impl Language {
    /// Returns all languages, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        Algorithm::all().iter().map(|&algorithm| Self(algorithm))
    }

    /// Returns Snowball's name, from `arabic` to `yiddish`. [`FromStr`] parses it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Returns true if there is a list of stop words: Snowball's own, or Lucene's 33 for `english`, `porter` and
    /// `lovins`. Without a list, every word becomes a term.
    #[must_use]
    pub fn has_stop_words(self) -> bool {
        self.stop_words().is_some()
    }

    fn stop_words(self) -> Option<StopWordFilter> {
        use tantivy::tokenizer::Language as TantivyLanguage;
        StopWordFilter::new(match self.0 {
            Algorithm::Danish => TantivyLanguage::Danish,
            Algorithm::Dutch | Algorithm::DutchPorter => TantivyLanguage::Dutch,
            Algorithm::English | Algorithm::Porter | Algorithm::Lovins => TantivyLanguage::English,
            Algorithm::Finnish => TantivyLanguage::Finnish,
            Algorithm::French => TantivyLanguage::French,
            Algorithm::German => TantivyLanguage::German,
            Algorithm::Hungarian => TantivyLanguage::Hungarian,
            Algorithm::Italian => TantivyLanguage::Italian,
            Algorithm::Norwegian => TantivyLanguage::Norwegian,
            Algorithm::Portuguese => TantivyLanguage::Portuguese,
            Algorithm::Russian => TantivyLanguage::Russian,
            Algorithm::Spanish => TantivyLanguage::Spanish,
            Algorithm::Swedish => TantivyLanguage::Swedish,
            _ => return None,
        })
    }

    /// Maps a character to the form that the stemmers expect: lower case, and `'` in place of other apostrophes.
    fn fold(self, c: char) -> char {
        match c {
            // In Turkish, I is the capital letter of ı, not of i.
            'I' if self.0 == Algorithm::Turkish => 'ı',
            '\u{2019}' | '\u{ff07}' => '\'',
            c => lower_case(c),
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Language {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::all().find(|language| language.name() == name).ok_or_else(|| Error::Argument {
            what: "language",
            expected: "one that Snowball has a stemmer for: arabic, …, yiddish",
            got: format!("\"{name}\""),
        })
    }
}

/// The analyzer for one language.
#[derive(Clone)]
pub(crate) struct Snowball {
    pub language: Language,
    stop_words: StopWordFilter,
}

impl Snowball {
    /// Creates the analyzer of a language. `stop_words` replace the language's own.
    pub fn new(language: Language, stop_words: Option<&StopWords>) -> Self {
        let stop_words = match stop_words {
            Some(words) => StopWordFilter::remove(words.as_slice().iter().cloned()),
            None => language.stop_words().unwrap_or_else(|| StopWordFilter::remove([])),
        };
        Self { language, stop_words }
    }

    /// Returns a word in the form in which it is compared with stop words.
    pub fn before_stop_words(&self, word: &str) -> String {
        word.chars().map(|c| self.language.fold(c)).collect()
    }

    /// Calls `visit` with each term of a text and the byte range of its word. A word with an empty stem yields no term.
    pub fn for_each_term(&self, text: &str, mut visit: impl FnMut(&str, Range<usize>)) {
        let stemmer = Stemmer::new(self.language.0);
        let mut words = self.stop_words.clone().transform(Words { language: self.language });
        let mut words = words.token_stream(text);
        while words.advance() {
            let token = words.token();
            let stem = stemmer.stem(&token.text);
            if !stem.is_empty() {
                visit(&stem, token.offset_from..token.offset_to);
            }
        }
    }
}

impl fmt::Debug for Snowball {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Snowball").field(&self.language).finish()
    }
}

/// Compares languages only: [`Analyzer`](crate::Analyzer) itself compares the stop words that replace the language's
/// own.
impl PartialEq for Snowball {
    fn eq(&self, other: &Self) -> bool {
        self.language == other.language
    }
}

impl Eq for Snowball {}

/// Splits a text into words and applies [`Language::fold`]. It is a tantivy `Tokenizer` because tantivy's stop-word
/// filter wraps a tokenizer.
#[derive(Clone)]
struct Words {
    language: Language,
}

struct WordStream {
    /// All words of the text, without anything between them.
    words: String,
    /// For each word that is still to come: where it ends in `words`, and its byte range in the text.
    ends: std::vec::IntoIter<(usize, Range<usize>)>,
    /// Where the next word starts in `words`.
    start: usize,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let (mut words, mut ends) = (String::with_capacity(text.len()), Vec::new());
        for_each_word(text, |word| {
            words.extend(word.chars().map(|c| self.language.fold(c)));
            ends.push((words.len(), range_in(text, word)));
        });
        WordStream { words, ends: ends.into_iter(), start: 0, token: Token::default() }
    }
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some((end, range)) = self.ends.next() else { return false };
        (self.token.offset_from, self.token.offset_to) = (range.start, range.end);
        self.token.text.clear();
        self.token.text.push_str(&self.words[self.start..end]);
        self.start = end;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}
