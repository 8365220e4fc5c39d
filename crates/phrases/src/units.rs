//! Cuts a text into units, the smallest parts of which phrases are made, and counts the word pieces of each unit.

use std::ops::Range;

use control::Control;
use tokenize::{Pieces, Tokenizer};

use crate::Error;
use crate::sentences::Gap;
use crate::sentences::characters::{
    char_at, char_before, continues_sentence, is_closer, is_opener, is_terminator, is_unspaced_script,
};

/// A part of a text that is never divided between phrases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Number of word pieces.
    pub piece_count: usize,
}

/// Minimum number of bytes in a block, which extends to the next white space. The tokenizer is called with one block at
/// a time. This bounds its memory and the time between two checks for cancellation.
const MIN_BLOCK_BYTES: usize = 8192;

/// Calls `emit` with each unit of a text, in order.
///
/// A unit is usually a word, which is text between white space. The tokenizer splits such a word further into its own
/// words, for example `a-b` into `a`, `-` and `b`. The tokenizer's words become units if the word has more than
/// `max_pieces` word pieces, or if its script has no spaces. In the second case, punctuation stays with its word.
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
        let mut next_piece = 0;
        let mut word_start = Gap::at(block, 0).end;
        while word_start < block.len() {
            let word_end = block[word_start..]
                .find(char::is_whitespace)
                .map_or(block.len(), |length| word_start + length);
            let first_piece = next_piece;
            // A piece belongs to the word in which it ends.
            while next_piece < pieces.len() && pieces.offsets[next_piece].end as usize <= word_end {
                next_piece += 1;
            }
            let word = word_start..word_end;
            divide_word(block, word, &pieces, first_piece..next_piece, max_pieces, |unit| {
                emit(Unit { range: start + unit.range.start..start + unit.range.end, ..unit });
            });
            word_start = Gap::at(block, word_end).end;
        }
        start = end;
    }
    Ok(())
}

/// Returns the end of the block that begins at byte `start`. A block ends before white space, not after it, because
/// byte-level tokenizers put a space into the first piece of the next word.
fn block_end(text: &str, start: usize) -> usize {
    let mut end = start + MIN_BLOCK_BYTES;
    if end >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let next_word = Gap::at(text, end).end;
    text[next_word..].find(char::is_whitespace).map_or(text.len(), |length| next_word + length)
}

/// Calls `emit` with the units of one word. The word is the byte range `word` of `text`, and its pieces are the range
/// `word_pieces` of `pieces`. If the word has more than `max_pieces` pieces, it is divided between all of the
/// tokenizer's words; otherwise it is divided only where [`can_divide`] allows it.
fn divide_word(
    text: &str,
    word: Range<usize>,
    pieces: &Pieces,
    word_pieces: Range<usize>,
    max_pieces: usize,
    mut emit: impl FnMut(Unit),
) {
    let is_too_long = word_pieces.len() > max_pieces;
    let (mut start, mut first_piece) = (word.start, word_pieces.start);
    for piece in word_pieces.start + 1..word_pieces.end {
        let offset = pieces.offsets[piece].start as usize;
        let is_inside = offset > start && offset < word.end && text.is_char_boundary(offset);
        let begins_word = pieces.words[piece] != pieces.words[piece - 1];
        if is_inside && begins_word && (is_too_long || can_divide(text, offset)) {
            emit(Unit { range: start..offset, piece_count: piece - first_piece });
            (start, first_piece) = (offset, piece);
        }
    }
    emit(Unit { range: start..word.end, piece_count: word_pieces.end - first_piece });
}

/// Whether a unit can begin at a byte offset: next to a character of a script without spaces, and not between a word
/// and its punctuation.
fn can_divide(text: &str, offset: usize) -> bool {
    let (Some(left), Some(right)) = (char_before(text, offset), char_at(text, offset)) else {
        return false;
    };
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
        Tokenizer::open(&path).expect("the repository has this model")
    }

    fn units_of(text: &str, max_pieces: usize) -> Vec<(&str, usize)> {
        let mut found = Vec::new();
        units(&tokenizer(), text, max_pieces, &Control::new(), |unit| {
            found.push((&text[unit.range], unit.piece_count))
        })
        .expect("the call is not canceled");
        found
    }

    #[test]
    fn words_between_spaces_are_not_divided_from_their_punctuation() {
        assert_eq!(units_of(" don't  go, Tom!", 9), [("don't", 3), ("go,", 2), ("Tom!", 2)]);
    }

    #[test]
    fn a_word_of_too_many_pieces_is_divided_into_the_words_of_the_tokenizer() {
        assert_eq!(units_of("a-b-c", 4), [("a", 1), ("-", 1), ("b", 1), ("-", 1), ("c", 1)]);
        assert_eq!(units_of("a-b-c", 5), [("a-b-c", 5)]);
    }

    #[test]
    fn a_script_without_spaces_is_divided_between_its_words_but_not_before_a_full_stop() {
        assert_eq!(units_of("人山。「人", 9), [("人", 1), ("山。", 2), ("「人", 2)]);
    }

    #[test]
    fn a_text_of_several_blocks_has_the_same_pieces_as_in_one_block() {
        let text = "It isn't far, said the fox to the hen-house: 3.5 miles at most! ".repeat(900);
        assert!(text.len() > 5 * MIN_BLOCK_BYTES);
        let whole = tokenizer().pieces(&text).expect("the text is short enough");
        let units = units_of(&text, 75);
        assert_eq!(units.iter().map(|unit| unit.1).sum::<usize>(), whole.len());
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(units.iter().map(|unit| unit.0).collect::<Vec<_>>(), words);
    }
}
