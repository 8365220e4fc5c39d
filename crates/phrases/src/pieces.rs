//! Words of a text with the number of their word pieces.

use std::ops::Range;

use control::Control;
use tokenize::{Pieces, Tokenizer};

use crate::Error;
use crate::ahead::Gap;
use crate::characters::{after, before, goes_on, is_closer, is_opener, is_terminator, is_unspaced};

/// A part of a text that is not torn while it fits into a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unit {
    /// Bytes of the text.
    pub range: Range<usize>,
    pub pieces: usize,
}

/// Bytes that are given to the tokenizer at once, up to the next white space: cancelling waits for no more than that, and
/// the pieces of a long text never lie in memory together.
const BLOCK: usize = 8192;

/// Gives the units of a text in order: what stands between white space, torn between the model's words where it has more
/// than `most` pieces or where a script without spaces allows it.
pub(crate) fn units(
    tokenizer: &Tokenizer,
    text: &str,
    most: usize,
    control: &Control,
    mut give: impl FnMut(Unit),
) -> Result<(), Error> {
    let mut start = 0;
    while start < text.len() {
        control.check()?;
        let end = block_end(text, start);
        let block = &text[start..end];
        let pieces = tokenizer.pieces(block)?;
        let mut at = 0;
        let mut word = Gap::at(block, 0).end;
        while word < block.len() {
            let word_end = block[word..].find(char::is_whitespace).map_or(block.len(), |length| word + length);
            let first = at;
            // A piece belongs to the word that it ends in.
            while at < pieces.len() && pieces.offsets[at].end as usize <= word_end {
                at += 1;
            }
            tear(block, word..word_end, &pieces, first..at, most, |unit| {
                give(Unit { range: start + unit.range.start..start + unit.range.end, ..unit });
            });
            word = Gap::at(block, word_end).end;
        }
        start = end;
    }
    Ok(())
}

/// The end of the block that begins at `start`: before white space, which byte-level models count with the word after it.
fn block_end(text: &str, start: usize) -> usize {
    let mut end = start + BLOCK;
    if end >= text.len() {
        return text.len();
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    // From inside a word, or of white space, to the start of the next white space.
    let word = Gap::at(text, end).end;
    text[word..].find(char::is_whitespace).map_or(text.len(), |length| word + length)
}

/// Gives a word between white space, in parts where it may or must be torn.
fn tear(
    text: &str,
    word: Range<usize>,
    pieces: &Pieces,
    own: Range<usize>,
    most: usize,
    mut give: impl FnMut(Unit),
) {
    let long = own.len() > most;
    let (mut start, mut first) = (word.start, own.start);
    for at in own.start + 1..own.end.max(own.start + 1) {
        let place = pieces.offsets[at].start as usize;
        let inside = place > start && place < word.end && text.is_char_boundary(place);
        if inside && pieces.words[at] != pieces.words[at - 1] && (long || may_tear(text, place)) {
            give(Unit { range: start..place, pieces: at - first });
            (start, first) = (place, at);
        }
    }
    give(Unit { range: start..word.end, pieces: own.end.max(first) - first });
}

/// Whether a script without spaces lets a phrase begin here: next to one of its letters, and not between a word and what
/// belongs to it.
fn may_tear(text: &str, at: usize) -> bool {
    let (Some(left), Some(right)) = (before(text, at), after(text, at)) else { return false };
    let belongs = is_closer(right) || is_terminator(right) || goes_on(right) || is_opener(left);
    (is_unspaced(left) || is_unspaced(right)) && !belongs
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn tokenizer() -> Tokenizer {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder/tokenizer.json");
        Tokenizer::open(&path).expect("the package carries this model")
    }

    fn units_of(text: &str, most: usize) -> Vec<(&str, usize)> {
        let mut found = Vec::new();
        units(&tokenizer(), text, most, &Control::new(), |unit| found.push((&text[unit.range], unit.pieces)))
            .expect("nothing is cancelled");
        found
    }

    #[test]
    fn words_between_spaces_are_whole_with_their_punctuation() {
        assert_eq!(units_of(" don't  go, Tom!", 9), [("don't", 3), ("go,", 2), ("Tom!", 2)]);
    }

    #[test]
    fn a_word_of_too_many_pieces_is_torn_between_the_words_of_the_model() {
        assert_eq!(units_of("a-b-c", 4), [("a", 1), ("-", 1), ("b", 1), ("-", 1), ("c", 1)]);
        assert_eq!(units_of("a-b-c", 5), [("a-b-c", 5)]);
    }

    #[test]
    fn a_script_without_spaces_is_torn_between_its_words_but_not_before_a_full_stop() {
        assert_eq!(units_of("人山。「人", 9), [("人", 1), ("山。", 2), ("「人", 2)]);
    }

    #[test]
    fn pieces_of_blocks_are_those_of_the_whole_text() {
        let text = "It isn't far, said the fox to the hen-house: 3.5 miles at most! ".repeat(900);
        assert!(text.len() > 5 * BLOCK);
        let whole = tokenizer().pieces(&text).expect("it is short enough");
        let units = units_of(&text, 75);
        assert_eq!(units.iter().map(|unit| unit.1).sum::<usize>(), whole.len());
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(units.iter().map(|unit| unit.0).collect::<Vec<_>>(), words);
    }
}
