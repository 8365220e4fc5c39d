//! Words, lower case, `'` for other apostrophes, Snowball's stop words off, Snowball's stems: one chain for every
//! language.

use std::fmt;
use std::str::FromStr;

use frostem::{Algorithm, Stemmer};
use tantivy::tokenizer::{StopWordFilter, Token, TokenFilter, TokenStream, Tokenizer};

use crate::Error;
use crate::analysis::characters::lower_case;
use crate::analysis::standard_tokenizer::for_each_word;
use crate::analysis::stop_words::StopWords;

/// A language that Snowball has a stemmer for, by Snowball's name. `porter`, `lovins`, `dutch_porter` and
/// `earlymodernenglish` are further stemmers of English and Dutch; `english` is Porter's second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Algorithm);

impl Language {
    /// Every language, in the order of their names.
    pub fn all() -> impl Iterator<Item = Self> {
        Algorithm::all().iter().map(|&algorithm| Self(algorithm))
    }

    /// `arabic` to `yiddish`, which [`FromStr`] takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Whether there is a list of stop words: Snowball's own, for `english` Lucene's 33. Without one no word is
    /// left out.
    #[must_use]
    pub fn has_stop_words(self) -> bool {
        self.stop_words().is_some()
    }

    fn stop_words(self) -> Option<StopWordFilter> {
        use tantivy::tokenizer::Language as Listed;
        StopWordFilter::new(match self.0 {
            Algorithm::Danish => Listed::Danish,
            Algorithm::Dutch | Algorithm::DutchPorter => Listed::Dutch,
            Algorithm::English | Algorithm::Porter | Algorithm::Lovins => Listed::English,
            Algorithm::Finnish => Listed::Finnish,
            Algorithm::French => Listed::French,
            Algorithm::German => Listed::German,
            Algorithm::Hungarian => Listed::Hungarian,
            Algorithm::Italian => Listed::Italian,
            Algorithm::Norwegian => Listed::Norwegian,
            Algorithm::Portuguese => Listed::Portuguese,
            Algorithm::Russian => Listed::Russian,
            Algorithm::Spanish => Listed::Spanish,
            Algorithm::Swedish => Listed::Swedish,
            _ => return None,
        })
    }

    /// A character as stemmers want it: in lower case, with `'` for other apostrophes.
    fn fold(self, c: char) -> char {
        match c {
            // I is the capital of ı in Turkish alone.
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
            expected: "one that Snowball has a stemmer for, as arabic, danish, …, yiddish",
            got: format!("\"{name}\""),
        })
    }
}

/// The chain of a language.
#[derive(Clone)]
pub(crate) struct Snowball {
    pub language: Language,
    stop_words: StopWordFilter,
}

impl Snowball {
    /// `stop_words` take the place of the language's own.
    pub fn new(language: Language, stop_words: Option<&StopWords>) -> Self {
        let stop_words = match stop_words {
            Some(words) => StopWordFilter::remove(words.as_slice().iter().cloned()),
            None => language.stop_words().unwrap_or_else(|| StopWordFilter::remove([])),
        };
        Self { language, stop_words }
    }

    /// A word as it is compared with stop words.
    pub fn before_stop_words(&self, word: &str) -> String {
        word.chars().map(|c| self.language.fold(c)).collect()
    }

    /// Calls `visit` with every term of a text. A word that a stemmer leaves nothing of is none.
    pub fn for_each_term(&self, text: &str, mut visit: impl FnMut(&str)) {
        let stemmer = Stemmer::new(self.language.0);
        let mut words = self.stop_words.clone().transform(Words { language: self.language });
        let mut words = words.token_stream(text);
        while words.advance() {
            let stem = stemmer.stem(&words.token().text);
            if !stem.is_empty() {
                visit(&stem);
            }
        }
    }
}

impl fmt::Debug for Snowball {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Snowball").field(&self.language).finish()
    }
}

/// Whoever compares, compares the stop words given beside.
impl PartialEq for Snowball {
    fn eq(&self, other: &Self) -> bool {
        self.language == other.language
    }
}

impl Eq for Snowball {}

/// The words of a text, folded, for the engine's filter of stop words.
#[derive(Clone)]
struct Words {
    language: Language,
}

struct WordStream {
    words: String,
    /// Where in `words` each word ends.
    ends: std::vec::IntoIter<usize>,
    start: usize,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let (mut words, mut ends) = (String::with_capacity(text.len()), Vec::new());
        for_each_word(text, |word| {
            words.extend(word.chars().map(|c| self.language.fold(c)));
            ends.push(words.len());
        });
        WordStream { words, ends: ends.into_iter(), start: 0, token: Token::default() }
    }
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        let Some(end) = self.ends.next() else { return false };
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
