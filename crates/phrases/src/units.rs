//! Cuts a text into the smallest parts that a phrase is made of, each with its number of word pieces.

use std::ops::Range;

use control::Control;
use tokenize::{Pieces, Tokenizer};

use crate::Error;
use crate::sentences::Gap;
use crate::sentences::characters::{
    char_at, char_before, continues_sentence, is_closer, is_opener, is_terminator, is_unspaced_script,
};

/// A part of a text that is never divided between two phrases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Number of word pieces.
    pub piece_count: usize,
}

/// Minimum number of bytes per call of the tokenizer; a block extends to the next white space. Blocks bound the time
/// between two checks for cancellation, and memory for long texts.
const BLOCK_BYTES: usize = 8192;

/// Calls `emit` with each unit of a text, in order.
///
/// A unit is text between white space. It is divided between the tokenizer's words if it has more than `max_pieces` word
/// pieces, or if its script has no spaces.
pub(crate) fn units(
    tokenizer: &Tokenizer,
    text: &str,
    max_pieces: usize,
    control: &Control,
    mut emit: impl FnMut(Unit),
) -> Result<(), Error> {
    let mut start = 0;
    while start < text.len() {
        control.check()?;
        let end = block_end(text, start);
        let block = &text[start..end];
        let pieces = tokenizer.pieces(block)?;
        let mut piece = 0;
        let mut word = Gap::at(block, 0).end;
        while word < block.len() {
            let word_end =
                block[word..].find(char::is_whitespace).map_or(block.len(), |length| word + length);
            let first = piece;
            // A piece belongs to the word in which it ends.
            while piece < pieces.len() && pieces.offsets[piece].end as usize <= word_end {
                piece += 1;
            }
            let word_range = word..word_end;
            divide(block, word_range, &pieces, first..piece, max_pieces, |unit| {
                emit(Unit { range: start + unit.range.start..start + unit.range.end, ..unit });
            });
            word = Gap::at(block, word_end).end;
        }
        start = end;
    }
    Ok(())
}

/// End of the block that begins at byte `start`. It is before white space, because byte-level tokenizers put a space into
/// the piece of the next word.
fn block_end(text: &str, start: usize) -> usize {
    let mut end = start + BLOCK_BYTES;
    if end >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let word = Gap::at(text, end).end;
    text[word..].find(char::is_whitespace).map_or(text.len(), |length| word + length)
}

/// Emits the word at byte range `word`, whose pieces are `own`. Divides it where its script allows that, and, if it has
/// more than `max_pieces`, between all words of the tokenizer.
fn divide(
    text: &str,
    word: Range<usize>,
    pieces: &Pieces,
    own: Range<usize>,
    max_pieces: usize,
    mut emit: impl FnMut(Unit),
) {
    let is_long = own.len() > max_pieces;
    let (mut start, mut first) = (word.start, own.start);
    for at in own.start + 1..own.end.max(own.start + 1) {
        let offset = pieces.offsets[at].start as usize;
        let is_inside = offset > start && offset < word.end && text.is_char_boundary(offset);
        if is_inside && pieces.words[at] != pieces.words[at - 1] && (is_long || can_divide(text, offset)) {
            emit(Unit { range: start..offset, piece_count: at - first });
            (start, first) = (offset, at);
        }
    }
    emit(Unit { range: start..word.end, piece_count: own.end.max(first) - first });
}

/// Whether a phrase can begin at byte `at`: next to a letter of a script without spaces, and not between a word and its
/// punctuation.
fn can_divide(text: &str, at: usize) -> bool {
    let (Some(left), Some(right)) = (char_before(text, at), char_at(text, at)) else { return false };
    let is_punctuation =
        is_closer(right) || is_terminator(right) || continues_sentence(right) || is_opener(left);
    (is_unspaced_script(left) || is_unspaced_script(right)) && !is_punctuation
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn tokenizer() -> Tokenizer {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder/tokenizer.json");
        Tokenizer::open(&path).expect("the package carries this model")
    }

    fn units_of(text: &str, max_pieces: usize) -> Vec<(&str, usize)> {
        let mut found = Vec::new();
        units(&tokenizer(), text, max_pieces, &Control::new(), |unit| {
            found.push((&text[unit.range], unit.piece_count))
        })
        .expect("it is not canceled");
        found
    }

    #[test]
    fn words_between_spaces_are_whole_with_their_punctuation() {
        assert_eq!(units_of(" don't  go, Tom!", 9), [("don't", 3), ("go,", 2), ("Tom!", 2)]);
    }

    #[test]
    fn a_word_of_too_many_pieces_is_divided_between_the_words_of_the_tokenizer() {
        assert_eq!(units_of("a-b-c", 4), [("a", 1), ("-", 1), ("b", 1), ("-", 1), ("c", 1)]);
        assert_eq!(units_of("a-b-c", 5), [("a-b-c", 5)]);
    }

    #[test]
    fn a_script_without_spaces_is_divided_between_its_words_but_not_before_a_full_stop() {
        assert_eq!(units_of("人山。「人", 9), [("人", 1), ("山。", 2), ("「人", 2)]);
    }

    #[test]
    fn pieces_of_blocks_are_those_of_the_whole_text() {
        let text = "It isn't far, said the fox to the hen-house: 3.5 miles at most! ".repeat(900);
        assert!(text.len() > 5 * BLOCK_BYTES);
        let whole = tokenizer().pieces(&text).expect("it is short enough");
        let units = units_of(&text, 75);
        assert_eq!(units.iter().map(|unit| unit.1).sum::<usize>(), whole.len());
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(units.iter().map(|unit| unit.0).collect::<Vec<_>>(), words);
    }
}
