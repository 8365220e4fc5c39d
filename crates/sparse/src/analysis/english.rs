//! Lucene's EnglishAnalyzer: words, possessive off, lower case, stop words off, stem.

use crate::analysis::characters::lower_case;
use crate::analysis::porter;
use crate::analysis::standard_tokenizer::for_each_word;
use crate::analysis::stop_words::StopWords;
use crate::analysis::word_cache::WordMemory;

/// Calls `visit` with every term of a text. `stop_words` take the place of Lucene's 33.
pub(crate) fn for_each_term(text: &str, stop_words: Option<&StopWords>, visit: impl FnMut(&str)) {
    match stop_words {
        None => remembered_terms(text, visit),
        Some(stop_words) => terms(text, |word| stop_words.contains(word), visit),
    }
}

/// With Lucene's stop words, by what was found for the same words before.
fn remembered_terms(text: &str, mut visit: impl FnMut(&str)) {
    let (mut memory, mut buffers) = (WordMemory::take(), Buffers::default());
    for_each_word(text, |word| memory.term(word, || buffers.term(word, is_stop_word), &mut visit));
    // Not reached after a panic: the memory then goes with the text.
    memory.give_back();
}

/// A word as it is compared with stop words.
pub(crate) fn before_stop_words(word: &str) -> String {
    without_possessive(word).chars().map(lower_case).collect()
}

fn terms(text: &str, is_stop_word: impl Fn(&[u8]) -> bool, mut visit: impl FnMut(&str)) {
    let mut buffers = Buffers::default();
    for_each_word(text, |word| {
        if let Some(term) = buffers.term(word, &is_stop_word) {
            visit(term);
        }
    });
}

/// Room for one word, used again for the next.
#[derive(Default)]
struct Buffers {
    ascii: Vec<u8>,
    units: Vec<u16>,
    text: String,
}

impl Buffers {
    /// The term of a word, or `None` for a stop word.
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
        // Stems cut ASCII letters only, so no pair of units is torn.
        self.text.clear();
        self.text.extend(
            char::decode_utf16(self.units.iter().copied()).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)),
        );
        Some(&self.text)
    }
}

/// Without a final `'s` or `'S`, whose apostrophe is one of three.
#[inline]
fn without_possessive(word: &str) -> &str {
    let Some(rest) = word.strip_suffix(['s', 'S']) else { return word };
    rest.strip_suffix(['\'', '\u{2019}', '\u{ff07}']).unwrap_or(word)
}

/// Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET`. As a pattern it is decided by length and letters.
#[rustfmt::skip]
fn is_stop_word(word: &[u8]) -> bool {
    matches!(
        word,
        b"a" | b"an" | b"and" | b"are" | b"as" | b"at" | b"be" | b"but" | b"by" | b"for" | b"if" | b"in" | b"into"
        | b"is" | b"it" | b"no" | b"not" | b"of" | b"on" | b"or" | b"such" | b"that" | b"the" | b"their" | b"then"
        | b"there" | b"these" | b"they" | b"this" | b"to" | b"was" | b"will" | b"with"
    )
}
