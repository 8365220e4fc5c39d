//! Lucene's EnglishAnalyzer: finds words, removes the possessive `'s`, lowercases the words, drops stop words, and
//! stems the other words.

use std::convert::Infallible;

use crate::analysis::characters::lower_case;
use crate::analysis::porter;
use crate::analysis::standard_tokenizer::for_each_word;
use crate::analysis::stop_words::StopWords;
use crate::analysis::term_memo::TermMemo;
use crate::analysis::word_memo::WordMemo;

/// Maps a word to the number of its term, or to `None` if it is a stop word. It has 16,384 slots (384 KiB), so
/// it fits in the L2 cache of most CPUs.
pub(crate) type NumberMemo = WordMemo<Option<u32>, 14>;

/// Calls `visit` with each term of a text. If `stop_words` are given, they replace the 33 stop words of Lucene.
pub(crate) fn for_each_term(text: &str, stop_words: Option<&StopWords>, mut visit: impl FnMut(&str)) {
    match stop_words {
        None => memoized_terms(text, visit),
        Some(_) => for_each_term_and_word(text, stop_words, |term, _| visit(term)),
    }
}

/// Calls `visit` with each term of a text and the word that became this term, a slice of the text.
pub(crate) fn for_each_term_and_word(
    text: &str,
    stop_words: Option<&StopWords>,
    mut visit: impl FnMut(&str, &str),
) {
    let mut buffers = Buffers::default();
    for_each_word(text, |word| {
        if let Some(term) = buffers.term(word, |word| is_stop_word_of(stop_words, word)) {
            visit(term, word);
        }
    });
}

/// Calls `visit` with each term of a text, with Lucene's stop words. If this thread has seen a word before, its term
/// may come from a cache, the memo.
fn memoized_terms(text: &str, mut visit: impl FnMut(&str)) {
    let (mut memo, mut buffers) = (TermMemo::take(), Buffers::default());
    for_each_word(text, |word| memo.term(text, word, || buffers.term(word, is_stop_word), &mut visit));
    // This is not reached if `visit` panics; the memo is then dropped.
    memo.put_back();
}

/// Calls `visit` with the number of each term of a text. `intern` returns the number of a term. The numbers of words
/// come from the memo if it has them; all calls with the same memo must have the same stop words and the same `intern`.
pub(crate) fn for_each_number(
    text: &str,
    stop_words: Option<&StopWords>,
    memo: &mut NumberMemo,
    mut intern: impl FnMut(&str) -> u32,
    mut visit: impl FnMut(u32),
) {
    let mut buffers = Buffers::default();
    for_each_word(text, |word| {
        let compute = || {
            let term = buffers.term(word, |word| is_stop_word_of(stop_words, word));
            Ok::<_, Infallible>(term.map(&mut intern))
        };
        let Ok(number) = memo.get(text, word, compute);
        if let Some(number) = number {
            visit(number);
        }
    });
}

/// Returns a word in the form in which it is compared with stop words.
pub(crate) fn before_stop_words(word: &str) -> String {
    without_possessive(word).chars().map(lower_case).collect()
}

/// Buffers for one word, reused for the next.
#[derive(Default)]
struct Buffers {
    ascii: Vec<u8>,
    units: Vec<u16>,
    text: String,
}

impl Buffers {
    /// Returns the term of a word, or `None` for a stop word.
    fn term(&mut self, word: &str, is_stop_word: impl Fn(&[u8]) -> bool) -> Option<&str> {
        let word = without_possessive(word);
        if word.is_ascii() {
            self.ascii.clear();
            self.ascii.extend(word.bytes().map(|byte| byte.to_ascii_lowercase()));
            if is_stop_word(&self.ascii) {
                return None;
            }
            porter::stem(&mut self.ascii);
            return Some(std::str::from_utf8(&self.ascii).expect("ASCII stays ASCII"));
        }
        self.text.clear();
        self.text.extend(word.chars().map(lower_case));
        self.units.clear();
        self.units.extend(self.text.encode_utf16());
        if is_stop_word(self.text.as_bytes()) {
            return None;
        }
        porter::stem(&mut self.units);
        // The stemmer removes ASCII letters only, so it does not split a surrogate pair.
        self.text.clear();
        self.text.extend(
            char::decode_utf16(self.units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Some(&self.text)
    }
}

/// Removes a final `'s` or `'S`, with any of three apostrophes (U+0027, U+2019, U+FF07).
#[inline]
fn without_possessive(word: &str) -> &str {
    let Some(rest) = word.strip_suffix(['s', 'S']) else { return word };
    rest.strip_suffix(['\'', '\u{2019}', '\u{ff07}']).unwrap_or(word)
}

/// Returns true if a word is one of these stop words or, without them, one of Lucene's.
fn is_stop_word_of(stop_words: Option<&StopWords>, word: &[u8]) -> bool {
    stop_words.map_or_else(|| is_stop_word(word), |stop_words| stop_words.contains(word))
}

/// Returns true for the words of Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET` (33 words, from
/// `EnglishAnalyzer.java` of Lucene 10). The pattern compiles to comparisons of length and letters, which are faster
/// than a hash set.
#[rustfmt::skip]
fn is_stop_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"a" | b"an" | b"and" | b"are" | b"as" | b"at" | b"be" | b"but" | b"by" | b"for" | b"if" | b"in" | b"into"
        | b"is" | b"it" | b"no" | b"not" | b"of" | b"on" | b"or" | b"such" | b"that" | b"the" | b"their" | b"then"
        | b"there" | b"these" | b"they" | b"this" | b"to" | b"was" | b"will" | b"with"
    )
}
