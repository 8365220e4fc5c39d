//! Groups sentences, or words, into phrases.

use std::ops::Range;
use std::sync::Arc;

use control::Control;
use rayon::prelude::*;
use tokenize::Tokenizer;

use crate::Error;
use crate::sentences::sentences;
use crate::units::units;

/// Cuts texts into phrases of a fixed length in sentences or in word pieces.
///
/// The phrases of a text are disjoint, begin and end with characters other than white space, and together contain
/// everything but white space. A blank text has none.
#[derive(Debug, Clone)]
pub struct Segmenter {
    length: Length,
}

#[derive(Debug, Clone)]
enum Length {
    Sentences(usize),
    Pieces { max_pieces: usize, tokenizer: Arc<Tokenizer> },
}

/// Number of sentences between two checks for cancellation: well under a millisecond.
const SENTENCES_PER_CHECK: usize = 1024;

impl Segmenter {
    /// Creates a segmenter for phrases of `count` sentences. The last phrase of a text may have fewer.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `count` is 0.
    pub fn by_sentences(count: usize) -> Result<Self, Error> {
        check("sentences", count)?;
        Ok(Self { length: Length::Sentences(count) })
    }

    /// Creates a segmenter for phrases of at most `max_pieces` word pieces, special tokens not counted. Each phrase has as
    /// many words as fit.
    ///
    /// Text between white space is divided only if it alone has more pieces, and then between the tokenizer's words; such
    /// a word with more pieces becomes a phrase of its own. In scripts without spaces, a phrase may end between any two
    /// of the tokenizer's words.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `max_pieces` is 0.
    pub fn by_pieces(max_pieces: usize, tokenizer: Arc<Tokenizer>) -> Result<Self, Error> {
        check("tokens", max_pieces)?;
        Ok(Self { length: Length::Pieces { max_pieces, tokenizer } })
    }

    /// Returns the phrases of a text as byte ranges, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`], [`Error::Cancelled`].
    pub fn segment(&self, text: &str, control: &Control) -> Result<Vec<Range<usize>>, Error> {
        let mut phrases: Vec<Range<usize>> = Vec::new();
        // Sentences or pieces in the last phrase.
        let mut length = 0;
        match &self.length {
            &Length::Sentences(count) => {
                for (at, sentence) in sentences(text).enumerate() {
                    if at % SENTENCES_PER_CHECK == 0 {
                        control.check()?;
                    }
                    let begins = length == 0;
                    length = (length + 1) % count;
                    join(&mut phrases, sentence, begins);
                }
            }
            Length::Pieces { max_pieces, tokenizer } => {
                units(tokenizer, text, *max_pieces, control, |unit| {
                    let begins = length + unit.piece_count > *max_pieces;
                    length = if begins { unit.piece_count } else { length + unit.piece_count };
                    join(&mut phrases, unit.range, begins);
                })?
            }
        }
        Ok(phrases)
    }

    /// Returns the phrases of many texts, in their order, using the thread pool. Progress counts texts.
    ///
    /// # Errors
    ///
    /// Those of [`segment`](Self::segment). If several texts fail, the error of the first one.
    pub fn segment_many<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        control: &Control,
    ) -> Result<Vec<Vec<Range<usize>>>, Error> {
        control.set_total(texts.len() as u64);
        let phrases: Vec<_> = texts
            .par_iter()
            .map(|text| {
                control.check()?;
                let phrases = self.segment(text.as_ref(), control);
                control.advance(1);
                phrases
            })
            .collect();
        phrases.into_iter().collect()
    }
}

/// Appends a part to the last phrase, or begins a new phrase with it.
fn join(phrases: &mut Vec<Range<usize>>, part: Range<usize>, begins: bool) {
    match phrases.last_mut() {
        Some(last) if !begins => last.end = part.end,
        _ => phrases.push(part),
    }
}

fn check(what: &'static str, count: usize) -> Result<(), Error> {
    if count == 0 {
        return Err(Error::Argument { what, expected: "at least 1", got: count.to_string() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;
    use std::sync::LazyLock;

    static TOKENIZER: LazyLock<Arc<Tokenizer>> = LazyLock::new(|| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/tiny-encoder/tokenizer.json");
        Arc::new(Tokenizer::open(&path).expect("the package carries this model"))
    });

    fn pieces(text: &str) -> usize {
        TOKENIZER.pieces(text).expect("it is short").len()
    }

    fn parts<'t>(segmenter: &Segmenter, text: &'t str) -> Vec<&'t str> {
        let phrases = segmenter.segment(text, &Control::new()).expect("it is not canceled");
        phrases.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_length_of_zero_is_refused_and_the_longest_is_the_whole_text() {
        let refused = Segmenter::by_sentences(0).expect_err("zero is refused");
        assert_eq!(refused.to_string(), "sentences: expected at least 1, got 0");
        let refused = Segmenter::by_pieces(0, Arc::clone(&TOKENIZER)).expect_err("zero is refused");
        assert_eq!(refused.to_string(), "tokens: expected at least 1, got 0");
        let text = " A fox. A hen!  Why? ";
        for segmenter in
            [Segmenter::by_sentences(usize::MAX), Segmenter::by_pieces(usize::MAX, Arc::clone(&TOKENIZER))]
        {
            assert_eq!(parts(&segmenter.expect("the length is not zero"), text), [text.trim()]);
        }
    }

    #[test]
    fn a_canceled_call_stops_at_once() {
        let control = Control::new();
        control.cancel();
        let segmenter = Segmenter::by_sentences(1).expect("the length is not zero");
        assert!(matches!(segmenter.segment_many(&["A fox."], &control), Err(Error::Cancelled(_))));
    }

    proptest! {
        #[test]
        fn phrases_of_sentences_are_their_groups(
            text in r"([A-C]?[a-c]{1,3}[.!?]? ?|\n|甲。){0,40}", count in 1usize..5
        ) {
            let all: Vec<Range<usize>> = sentences(&text).collect();
            let groups: Vec<&str> =
                all.chunks(count).map(|group| &text[group[0].start..group[group.len() - 1].end]).collect();
            let segmenter = Segmenter::by_sentences(count).expect("the length is not zero");
            prop_assert_eq!(parts(&segmenter, &text), groups);
        }

        #[test]
        fn phrases_of_pieces_hold_all_words_and_no_more_pieces_than_fit(
            text in r"([a-z]{1,9}|[.,!'\-]| |\n|é|e\u{301}|東京。|กข|\PC){0,60}", max_pieces in 1usize..12
        ) {
            let segmenter = Segmenter::by_pieces(max_pieces, Arc::clone(&TOKENIZER)).expect("the length is not zero");
            let parts = parts(&segmenter, &text);
            let held: String = parts.concat();
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without_space(&held), without_space(&text));
            let words = |text: &str| TOKENIZER.pieces(text).map_or(0, |found| found.words.last().map_or(0, |last| last + 1));
            for part in &parts {
                prop_assert_eq!(part.trim(), *part);
                prop_assert!(!part.is_empty());
                prop_assert!(pieces(part) <= max_pieces || words(part) == 1, "{part:?}: {}", pieces(part));
            }
        }

        #[test]
        fn whole_words_fill_a_phrase_as_far_as_they_fit(
            words in prop::collection::vec("[a-z]{1,9}", 1..40), max_pieces in 9usize..20
        ) {
            // The slow way: add words until the tokenizer counts too many pieces.
            let mut expected: Vec<String> = Vec::new();
            for word in &words {
                match expected.last_mut() {
                    Some(last) if pieces(&format!("{last} {word}")) <= max_pieces => *last = format!("{last} {word}"),
                    _ => expected.push(word.clone()),
                }
            }
            let segmenter = Segmenter::by_pieces(max_pieces, Arc::clone(&TOKENIZER)).expect("the length is not zero");
            let text = words.join(" ");
            prop_assert_eq!(parts(&segmenter, &text), expected);
        }
    }
}
