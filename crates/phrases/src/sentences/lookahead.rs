//! The word after a terminator or a line break. This word often decides whether the sentence ends there.

use super::characters::{Class, char_at, class, continues_sentence, is_closer, is_dash, is_opener};
use super::word_lists::is_unambiguous_starter;

/// The kind of the first character of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordStart {
    Uppercase,
    Lowercase,
    /// A letter of a script without capital letters.
    Uncased,
    Digit,
    /// Not the start of a word: the text or the line ends, a different sign follows, or there are more than
    /// [`MAX_SIGNS`] signs.
    NoWord,
}

/// The next word after a gap. Signs before the word, such as quotation marks, brackets and dashes, and spaces between
/// them, are skipped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lookahead<'t> {
    /// How the word begins.
    pub start: WordStart,
    /// The word, cut off after [`MAX_WORD_CHARACTERS`].
    pub word: &'t str,
    /// The text after the word.
    rest: &'t str,
    /// The first character after the gap: a skipped sign or the start of the word.
    pub first_character: Option<char>,
}

/// Maximum number of signs and spaces that are skipped before the word.
const MAX_SIGNS: usize = 12;
/// Maximum number of characters of a word that are read.
const MAX_WORD_CHARACTERS: usize = 32;

impl<'t> Lookahead<'t> {
    /// Reads the next word of `text` after a gap that ends at byte `offset`.
    pub fn at(text: &'t str, offset: usize) -> Self {
        let first_character = char_at(text, offset);
        let is_skipped = |&character: &char| {
            let is_blank = character.is_whitespace() && class(character) != Class::LineBreak;
            is_blank
                || is_opener(character)
                || is_closer(character)
                || is_dash(character)
                || is_other_sign(character)
        };
        let signs_length: usize =
            text[offset..].chars().take(MAX_SIGNS).take_while(is_skipped).map(char::len_utf8).sum();
        let found = &text[offset + signs_length..];
        let start = found.chars().next().map_or(WordStart::NoWord, word_start);
        let is_in_word = |character: &char| character.is_alphanumeric();
        let length: usize =
            found.chars().take(MAX_WORD_CHARACTERS).take_while(is_in_word).map(char::len_utf8).sum();
        let (word, rest) = found.split_at(length);
        Self { start, word, rest, first_character }
    }

    /// Whether the character after the gap, such as `,` or `)`, shows that no sentence begins there.
    pub fn continues_sentence(&self) -> bool {
        self.first_character.is_some_and(|next| continues_sentence(next) || matches!(next, ')' | ']' | '}'))
    }

    /// Whether the word begins with a lowercase letter and has a capital letter among its first three, as in "iPhone".
    /// Such a word may begin a sentence.
    pub fn is_camel_case(&self) -> bool {
        self.start == WordStart::Lowercase && self.word.chars().take(3).any(char::is_uppercase)
    }

    /// Whether the word is one that often begins sentences, according to `is_listed`. An initial ("A.") is not. "A",
    /// "I" and "O" are, but only if a lowercase word follows.
    pub fn is_starter(&self, is_listed: fn(&str) -> bool) -> bool {
        if self.rest.starts_with('.') || !is_listed(self.word) {
            return false;
        }
        let mut characters = self.rest.chars();
        match self.word {
            "A" | "I" | "O" => {
                characters.next() == Some(' ') && characters.next().is_some_and(char::is_lowercase)
            }
            _ => characters
                .next()
                .is_none_or(|character| character.is_whitespace() || matches!(character, ',' | '\'' | '’')),
        }
    }

    /// Returns the word after `word`, or an empty string if the two are not separated by exactly one space.
    pub fn second_word(&self) -> &'t str {
        let Some(rest) = self.rest.strip_prefix(' ') else { return "" };
        let is_in_word = |character: &char| character.is_alphanumeric();
        let length: usize =
            rest.chars().take(MAX_WORD_CHARACTERS).take_while(is_in_word).map(char::len_utf8).sum();
        &rest[..length]
    }

    /// Whether the word may be a number: digits, a Roman numeral, or a capital letter with or without digits, as in
    /// "vol. IV", "fig. B", "no. A7".
    pub fn is_like_number(&self) -> bool {
        let is_roman =
            self.word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M'));
        let is_single = self.word.len() == 1 && !self.is_starter(is_unambiguous_starter);
        let is_label = self.word.len() > 1 && self.word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        self.start == WordStart::Digit
            || (self.start == WordStart::Uppercase && (is_roman || is_single || is_label))
    }
}

/// Returns how a word begins, given its first character.
fn word_start(character: char) -> WordStart {
    if matches!(character, '\u{10d0}'..='\u{10ff}') {
        // Georgian has capital letters, but does not begin sentences with them.
        WordStart::Uncased
    } else if character.is_uppercase() {
        WordStart::Uppercase
    } else if character.is_lowercase() {
        WordStart::Lowercase
    } else if character.is_numeric() {
        WordStart::Digit
    } else if character.is_alphabetic() {
        WordStart::Uncased
    } else {
        WordStart::NoWord
    }
}

/// Whether a character is a sign that may precede a word, other than a quotation mark, a bracket or a dash.
fn is_other_sign(character: char) -> bool {
    matches!(character, '.' | '…' | '¿' | '¡' | '*' | '_' | '#' | '$' | '€' | '£' | '¥' | '~' | '`' | '§')
}
