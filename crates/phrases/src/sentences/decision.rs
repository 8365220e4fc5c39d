//! Decides whether a sentence ends at a terminator, by the words before and after it.

use super::abbreviations::{Kind, kind};
use super::characters::{char_before, continues_sentence, is_dash, is_unspaced_script};
use super::gap::Gap;
use super::line_breaks::is_item_marker;
use super::lookahead::{Lookahead, WordStart};
use super::terminator::Terminator;
use super::word_lists::{
    is_possible_starter, is_time_word, is_unambiguous_starter, makes_ordinal, names_speaker,
};

/// Whether a sentence ends at a terminator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The sentence ends.
    Boundary,
    /// The sentence continues, even if a line break follows.
    NoBoundary,
    /// The sentence continues, unless a line break follows that ends it.
    NoBoundaryInLine,
}

use Decision::{Boundary, NoBoundary, NoBoundaryInLine};

/// The sentence that a terminator may end, and its text.
pub(crate) struct Context<'t> {
    pub text: &'t str,
    /// Byte offset of the start of the sentence.
    pub sentence_start: usize,
    /// Whether the text has capital letters. If it has none, a lowercase letter does not show that a sentence
    /// continues.
    pub is_cased: bool,
}

impl Context<'_> {
    /// Decides for a terminator and the white space after it.
    pub fn decide(&self, terminator: &Terminator, gap: Gap) -> Decision {
        // The last sentence ends with the text and needs no boundary.
        if gap.end == self.text.len() {
            return NoBoundaryInLine;
        }
        if is_item_marker(&self.text[self.sentence_start..terminator.end]) {
            return NoBoundary;
        }
        if gap.is_empty() {
            return self.decide_without_space(terminator);
        }
        if gap.line_breaks > 1 {
            return Boundary;
        }
        let ahead = Lookahead::at(self.text, gap.end);
        if ahead.continues_sentence() {
            return NoBoundaryInLine;
        }
        let is_lowercase = ahead.start == WordStart::Lowercase && self.is_cased && !ahead.is_camel_case();
        if terminator.is_ellipsis {
            // "[…]" stands for an omission inside a sentence.
            let is_omission =
                matches!(char_before(self.text, terminator.start), Some('[' | '(')) && terminator.has_closer;
            return if is_lowercase || is_omission { NoBoundaryInLine } else { Boundary };
        }
        if terminator.is_single_full_stop {
            return if is_lowercase {
                NoBoundaryInLine
            } else {
                self.decide_after_full_stop(terminator, &ahead)
            };
        }
        // For example: "Why?" Ada asked.
        let has_speaker = terminator.closes_quotation
            && ahead.start == WordStart::Uppercase
            && names_speaker(ahead.word, ahead.second_word());
        // For example: Wow! – and so on. Yahoo! is a company.
        let is_inner = is_lowercase
            && (terminator.has_closer
                || ahead.first_character.is_some_and(is_dash)
                || self.is_word_capitalized(terminator));
        if has_speaker || is_inner { NoBoundaryInLine } else { Boundary }
    }

    /// Decides for a terminator after which no white space follows.
    fn decide_without_space(&self, terminator: &Terminator) -> Decision {
        let Some(next) = self.text[terminator.end..].chars().next() else {
            return NoBoundaryInLine;
        };
        if terminator.is_unspaced {
            // 「はい。」と言った is one sentence, because a particle follows the quotation.
            let is_quotation = terminator.has_closer
                && matches!(next, 'と' | 'っ' | 'な' | 'の' | 'を' | 'が' | 'は' | 'に');
            let is_decimal = terminator.is_single_full_stop && next.is_numeric();
            return if continues_sentence(next) || is_quotation || is_decimal {
                NoBoundaryInLine
            } else {
                Boundary
            };
        }
        let is_unambiguous = !terminator.is_single_full_stop && !terminator.is_ellipsis;
        if is_unambiguous && is_unspaced_script(next) && !continues_sentence(next) {
            Boundary
        } else {
            NoBoundaryInLine
        }
    }

    /// Whether the word before the terminator is capitalized, like a name or a title that ends with `!` or `?`: `Yahoo!
    /// is`.
    fn is_word_capitalized(&self, terminator: &Terminator) -> bool {
        let word = word_before(self.text, self.sentence_start, terminator.start);
        word.chars().next().is_some_and(char::is_uppercase)
    }

    /// Decides for a single full stop if the case of the next word does not show that the sentence continues. The
    /// decision depends on the words before and after the full stop.
    fn decide_after_full_stop(&self, terminator: &Terminator, ahead: &Lookahead<'_>) -> Decision {
        let word = word_before(self.text, self.sentence_start, terminator.start);
        let by_starter = |is_starter| if ahead.is_starter(is_starter) { Boundary } else { NoBoundaryInLine };
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let previous = word_before(self.text, self.sentence_start, terminator.start - word.len());
            let may_be_ordinal = (1..=2).contains(&word.len()) && ahead.start == WordStart::Uppercase;
            return if may_be_ordinal && makes_ordinal(previous, ahead.word) { NoBoundary } else { Boundary };
        }
        // A single capital letter is an initial, not an abbreviation. The last part of a compound is looked up too,
        // such as "Pres" of "Vice-Pres."
        let abbreviation = match is_initial(word) && word.chars().all(char::is_uppercase) {
            true => None,
            false => kind(word).or_else(|| kind(word.rsplit_once(['-', '/'])?.1)),
        };
        match abbreviation {
            // "MS" is not the title "Ms".
            Some(Kind::Title) if word.chars().filter(|character| character.is_uppercase()).count() > 1 => {
                by_starter(is_unambiguous_starter)
            }
            Some(Kind::Title) => match ahead.start {
                WordStart::Digit | WordStart::NoWord => Boundary,
                _ => NoBoundary,
            },
            Some(Kind::Inner) => NoBoundary,
            Some(Kind::BeforeNumber | Kind::BeforeNumberOrWord) if ahead.is_like_number() => NoBoundary,
            Some(Kind::BeforeNumberOrWord) if word.chars().nth(1).is_some() => Boundary,
            Some(Kind::Ambiguous) if word == "al" && ahead.start == WordStart::Digit => NoBoundary,
            Some(Kind::Ambiguous) if ahead.start == WordStart::Digit => Boundary,
            Some(Kind::Final) => Boundary,
            Some(Kind::BeforeNumber | Kind::BeforeNumberOrWord | Kind::Ambiguous) => {
                by_starter(is_possible_starter)
            }
            None if is_initial(word) => match ahead.start {
                WordStart::Uppercase | WordStart::Lowercase if ahead.is_starter(is_unambiguous_starter) => {
                    Boundary
                }
                WordStart::Uppercase | WordStart::Lowercase => NoBoundary,
                // A page number: "P. 12", or "S. 12" in German.
                WordStart::Digit if matches!(word, "S" | "P") => NoBoundary,
                _ => Boundary,
            },
            None if is_dotted(word) => {
                let is_time = matches!(word.as_bytes(), [b'a' | b'p' | b'A' | b'P', b'.', b'm' | b'M']);
                match ahead.start {
                    WordStart::Digit => NoBoundaryInLine,
                    WordStart::NoWord | WordStart::Uncased => Boundary,
                    _ if is_time => {
                        if is_time_word(ahead.word) {
                            NoBoundary
                        } else {
                            Boundary
                        }
                    }
                    _ => by_starter(is_possible_starter),
                }
            }
            None => Boundary,
        }
    }
}

/// Maximum number of characters that are read of the word before a terminator. A longer word cannot be an abbreviation.
const MAX_WORD_CHARACTERS: usize = 24;

/// Returns the word that ends at byte `end`, with any full stops, hyphens, apostrophes and slashes inside it. Returns
/// an empty string if the word has more than [`MAX_WORD_CHARACTERS`].
fn word_before(text: &str, sentence_start: usize, end: usize) -> &str {
    let text = text[sentence_start..end].trim_end();
    let is_in_word = |character: char| {
        character.is_alphanumeric() || matches!(character, '.' | '\'' | '’' | '-' | '§' | '/')
    };
    let (mut length, mut character_count) = (0, 0);
    for character in text.chars().rev().take_while(|&character| is_in_word(character)) {
        length += character.len_utf8();
        character_count += 1;
        if character_count > MAX_WORD_CHARACTERS {
            return "";
        }
    }
    text[text.len() - length..].trim_start_matches(['\'', '’', '-', '.'])
}

/// Whether a word is a single letter.
fn is_initial(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none()
}

/// Whether a word consists of two or more parts of one or two letters: "U.S", "Ph.D", "J.-P".
fn is_dotted(word: &str) -> bool {
    let is_short_part = |part: &str| {
        let part = part.trim_start_matches('-');
        (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
    };
    word.contains('.') && word.split('.').all(is_short_part)
}
