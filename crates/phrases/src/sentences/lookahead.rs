//! The word after a possible sentence end, which often decides whether the sentence ends there.

use super::characters::{Class, char_at, class, continues_sentence, is_closer, is_dash, is_opener};
use super::word_lists::is_sentence_starter;

/// The first character of the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordStart {
    Uppercase,
    Lowercase,
    /// A letter of a script without capital letters.
    Uncased,
    Digit,
    /// No word begins within [`MAX_SIGNS`] characters.
    NoWord,
}

/// The next word after a gap. Quotation marks, brackets, dashes and other signs before it are skipped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookahead<'t> {
    pub start: WordStart,
    /// The first [`MAX_WORD_CHARACTERS`] of the word.
    pub word: &'t str,
    /// The text after the word.
    rest: &'t str,
    /// The character right after the gap: a skipped sign or the start of the word.
    pub first_sign: Option<char>,
}

/// Maximum number of signs that are skipped before the word.
const MAX_SIGNS: usize = 12;
/// Maximum number of characters of the word that are read.
const MAX_WORD_CHARACTERS: usize = 32;

impl<'t> Lookahead<'t> {
    /// Reads the next word of `text` after byte `at`, the end of a gap.
    pub fn at(text: &'t str, at: usize) -> Self {
        let first_sign = char_at(text, at);
        let is_skipped = |&letter: &char| {
            let blank = letter.is_whitespace() && class(letter) != Class::LineBreak;
            blank || is_opener(letter) || is_closer(letter) || is_dash(letter) || is_other_sign(letter)
        };
        let signs: usize =
            text[at..].chars().take(MAX_SIGNS).take_while(is_skipped).map(char::len_utf8).sum();
        let found = &text[at + signs..];
        let start = found.chars().next().map_or(WordStart::NoWord, word_start);
        let inside = |letter: &char| letter.is_alphanumeric();
        let length: usize =
            found.chars().take(MAX_WORD_CHARACTERS).take_while(inside).map(char::len_utf8).sum();
        let (word, rest) = found.split_at(length);
        Self { start, word, rest, first_sign }
    }

    /// Whether the next character rules out that a sentence begins after the gap: `, ; : )` and the like.
    pub fn continues_sentence(&self) -> bool {
        self.first_sign.is_some_and(|sign| continues_sentence(sign) || matches!(sign, ')' | ']' | '}'))
    }

    /// Whether the word has an early capital letter after a lowercase start, as "iPhone". Such words begin sentences too.
    pub fn is_camel_case(&self) -> bool {
        self.start == WordStart::Lowercase && self.word.chars().take(3).any(char::is_uppercase)
    }

    /// Whether the word is a sentence starter according to `is_starter`. An initial ("A.") is not, and "A", "I" and "O" are
    /// only before a lowercase word.
    pub fn is_starter(&self, is_starter: fn(&str) -> bool) -> bool {
        if self.rest.starts_with('.') || !is_starter(self.word) {
            return false;
        }
        let mut letters = self.rest.chars();
        match self.word {
            "A" | "I" | "O" => letters.next() == Some(' ') && letters.next().is_some_and(char::is_lowercase),
            _ => letters
                .next()
                .is_none_or(|letter| letter.is_whitespace() || matches!(letter, ',' | '\'' | '’')),
        }
    }

    /// The second word ahead, or an empty string if it does not follow after one space.
    pub fn second_word(&self) -> &'t str {
        let Some(rest) = self.rest.strip_prefix(' ') else { return "" };
        let inside = |letter: &char| letter.is_alphanumeric();
        let length: usize =
            rest.chars().take(MAX_WORD_CHARACTERS).take_while(inside).map(char::len_utf8).sum();
        &rest[..length]
    }

    /// Whether the word can number something: digits, Roman numerals or a capital letter, as in "vol. IV", "fig. B", "no. A7".
    pub fn is_like_number(&self) -> bool {
        let is_roman =
            self.word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M'));
        let is_single = self.word.len() == 1 && !self.is_starter(is_sentence_starter);
        let is_label = self.word.len() > 1 && self.word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        self.start == WordStart::Digit
            || (self.start == WordStart::Uppercase && (is_roman || is_single || is_label))
    }
}

fn word_start(letter: char) -> WordStart {
    if matches!(letter, '\u{10d0}'..='\u{10ff}') {
        // Georgian has capital letters but does not begin sentences with them.
        WordStart::Uncased
    } else if letter.is_uppercase() {
        WordStart::Uppercase
    } else if letter.is_lowercase() {
        WordStart::Lowercase
    } else if letter.is_numeric() {
        WordStart::Digit
    } else if letter.is_alphabetic() {
        WordStart::Uncased
    } else {
        WordStart::NoWord
    }
}

/// Signs that may precede a word, besides quotation marks, brackets and dashes.
fn is_other_sign(letter: char) -> bool {
    matches!(letter, '.' | '…' | '¿' | '¡' | '*' | '_' | '#' | '$' | '€' | '£' | '¥' | '~' | '`' | '§')
}
