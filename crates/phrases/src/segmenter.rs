//! Groups sentences, or words, into phrases.

use std::ops::Range;
use std::sync::Arc;

use control::Control;
use rayon::prelude::*;
use tokenize::Tokenizer;

use crate::Error;
use crate::sentences::sentences;
use crate::units::units;

/// Cuts texts into phrases with a fixed length in sentences or in word pieces.
///
/// The phrases of a text do not overlap, and do not begin or end with white space. Together they contain everything but
/// the white space around them. A blank text has no phrases.
#[derive(Debug, Clone)]
pub struct Segmenter {
    length: Length,
}

/// The length of a phrase.
#[derive(Debug, Clone)]
enum Length {
    /// Number of sentences.
    Sentences(usize),
    /// Maximum number of word pieces.
    Pieces { max_pieces: usize, tokenizer: Arc<Tokenizer> },
}

/// Number of sentences between two checks for cancellation. Finding this many takes well under a millisecond.
const SENTENCES_PER_CHECK: usize = 1024;

impl Segmenter {
    /// Creates a segmenter for phrases of `count` sentences. The last phrase of a text may have fewer.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `count` is 0.
    pub fn by_sentences(count: usize) -> Result<Self, Error> {
        check_positive("sentences", count)?;
        Ok(Self { length: Length::Sentences(count) })
    }

    /// Creates a segmenter for phrases of at most `max_pieces` word pieces, not counting special tokens. Each phrase
    /// has as many words as fit.
    ///
    /// A word, which is text between white space, is divided only if it alone has more than `max_pieces` pieces. It is
    /// then divided between the words into which the tokenizer splits it, for example at a hyphen. If one of these has
    /// too many pieces, it becomes a phrase of its own. In scripts without spaces, a phrase may end between any two of
    /// the tokenizer's words, but not between a word and its punctuation.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `max_pieces` is 0.
    pub fn by_pieces(max_pieces: usize, tokenizer: Arc<Tokenizer>) -> Result<Self, Error> {
        check_positive("tokens", max_pieces)?;
        Ok(Self { length: Length::Pieces { max_pieces, tokenizer } })
    }

    /// Returns the phrases of a text as byte ranges, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`] if the tokenizer fails on the text; [`Error::Canceled`] if `control` is canceled.
    pub fn segment(&self, text: &str, control: &Control) -> Result<Vec<Range<usize>>, Error> {
        let mut phrases: Vec<Range<usize>> = Vec::new();
        // Number of sentences or pieces in the last phrase. For sentences, 0 if the next one begins a new phrase.
        let mut length = 0;
        match &self.length {
            &Length::Sentences(count) => {
                for (index, sentence) in sentences(text).enumerate() {
                    if index % SENTENCES_PER_CHECK == 0 {
                        control.check()?;
                    }
                    let begins_phrase = length == 0;
                    length = (length + 1) % count;
                    join(&mut phrases, sentence, begins_phrase);
                }
            }
            Length::Pieces { max_pieces, tokenizer } => {
                units(tokenizer, text, *max_pieces, control, |unit| {
                    let begins_phrase = length + unit.piece_count > *max_pieces;
                    length = if begins_phrase { unit.piece_count } else { length + unit.piece_count };
                    join(&mut phrases, unit.range, begins_phrase);
                })?
            }
        }
        Ok(phrases)
    }

    /// Returns the phrases of each text, in the order of the texts. Runs on the thread pool. Progress counts texts.
    ///
    /// # Errors
    ///
    /// Those of [`segment`](Self::segment). If several texts fail, returns the error of the first of them.
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

/// Begins a new phrase with `part`, or extends the last phrase by `part`.
fn join(phrases: &mut Vec<Range<usize>>, part: Range<usize>, begins_phrase: bool) {
    match phrases.last_mut() {
        Some(last) if !begins_phrase => last.end = part.end,
        _ => phrases.push(part),
    }
}

/// Fails if `count` is 0. `what` is the name of the option.
fn check_positive(what: &'static str, count: usize) -> Result<(), Error> {
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
        Arc::new(Tokenizer::open(&path).expect("the repository has this model"))
    });

    fn piece_count(text: &str) -> usize {
        TOKENIZER.pieces(text).expect("the text is short").len()
    }

    /// The phrases of a text.
    fn phrases<'t>(segmenter: &Segmenter, text: &'t str) -> Vec<&'t str> {
        let ranges = segmenter.segment(text, &Control::new()).expect("the call is not canceled");
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_length_of_zero_is_refused_and_with_the_maximum_length_the_whole_text_is_one_phrase() {
        let refused = Segmenter::by_sentences(0).expect_err("zero is refused");
        assert_eq!(refused.to_string(), "sentences: expected at least 1, got 0");
        let refused = Segmenter::by_pieces(0, Arc::clone(&TOKENIZER)).expect_err("zero is refused");
        assert_eq!(refused.to_string(), "tokens: expected at least 1, got 0");
        let text = " A fox. A hen!  Why? ";
        for segmenter in
            [Segmenter::by_sentences(usize::MAX), Segmenter::by_pieces(usize::MAX, Arc::clone(&TOKENIZER))]
        {
            assert_eq!(phrases(&segmenter.expect("the length is not zero"), text), [text.trim()]);
        }
    }

    #[test]
    fn a_canceled_call_stops_at_once() {
        let control = Control::new();
        control.cancel();
        let segmenter = Segmenter::by_sentences(1).expect("the length is not zero");
        assert!(matches!(segmenter.segment_many(&["A fox."], &control), Err(Error::Canceled(_))));
    }

    proptest! {
        #[test]
        fn phrases_by_sentences_are_groups_of_sentences(
            text in r"([A-C]?[a-c]{1,3}[.!?]? ?|\n|甲。){0,40}",
            count in 1usize..5,
        ) {
            let all: Vec<Range<usize>> = sentences(&text).collect();
            let groups: Vec<&str> =
                all.chunks(count).map(|group| &text[group[0].start..group[group.len() - 1].end]).collect();
            let segmenter = Segmenter::by_sentences(count).expect("the length is not zero");
            prop_assert_eq!(phrases(&segmenter, &text), groups);
        }

        #[test]
        fn phrases_by_pieces_contain_all_words_and_only_a_single_word_exceeds_the_maximum(
            text in r"([a-z]{1,9}|[.,!'\-]| |\n|é|e\u{301}|東京。|กข|\PC){0,60}",
            max_pieces in 1usize..12,
        ) {
            let segmenter = Segmenter::by_pieces(max_pieces, Arc::clone(&TOKENIZER));
            let segmenter = segmenter.expect("the length is not zero");
            let phrases = phrases(&segmenter, &text);
            let contained: String = phrases.concat();
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without_space(&contained), without_space(&text));
            // The number of words into which the tokenizer splits a text.
            let word_count = |text: &str| {
                TOKENIZER.pieces(text).map_or(0, |found| found.words.last().map_or(0, |last| last + 1))
            };
            for part in &phrases {
                prop_assert_eq!(part.trim(), *part);
                prop_assert!(!part.is_empty());
                let count = piece_count(part);
                prop_assert!(count <= max_pieces || word_count(part) == 1, "{part:?}: {count}");
            }
        }

        #[test]
        fn phrases_by_pieces_have_as_many_words_as_fit(
            words in prop::collection::vec("[a-z]{1,9}", 1..40),
            // A word of nine letters has at most nine pieces, so every word fits into a phrase.
            max_pieces in 9usize..20,
        ) {
            // Words are added one by one until a phrase would have too many pieces, which is simple but slow.
            let mut expected: Vec<String> = Vec::new();
            for word in &words {
                let longer = expected.last().map(|last| format!("{last} {word}"));
                match longer.filter(|longer| piece_count(longer) <= max_pieces) {
                    Some(longer) => *expected.last_mut().expect("the last phrase") = longer,
                    None => expected.push(word.clone()),
                }
            }
            let segmenter = Segmenter::by_pieces(max_pieces, Arc::clone(&TOKENIZER));
            let segmenter = segmenter.expect("the length is not zero");
            let text = words.join(" ");
            prop_assert_eq!(phrases(&segmenter, &text), expected);
        }
    }
}
