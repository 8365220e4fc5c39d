use std::ops::Range;
use std::sync::Arc;

use control::Control;
use rayon::prelude::*;
use tokenize::Tokenizer;

use crate::Error;
use crate::pieces::units;
use crate::sentences::sentences;

/// Cuts texts into phrases of one length: consecutive parts that do not overlap, begin and end with other characters than
/// white space, and together hold everything but white space. A blank text has none.
#[derive(Debug, Clone)]
pub struct Segmenter {
    length: Length,
}

#[derive(Debug, Clone)]
enum Length {
    Sentences(usize),
    Pieces { most: usize, tokenizer: Arc<Tokenizer> },
}

/// Sentences between two looks at whether the work is cancelled: well under a millisecond.
const CHECK_EVERY: usize = 1024;

impl Segmenter {
    /// Phrases of `count` sentences. The last of a text has what is left: from one to `count`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `count` is 0.
    pub fn by_sentences(count: usize) -> Result<Self, Error> {
        check("sentences", count)?;
        Ok(Self { length: Length::Sentences(count) })
    }

    /// Phrases of as many words as have at most `most` word pieces together, special tokens not counted. What stands
    /// between white space is not torn, unless it has more pieces alone: then it is torn between the words that the model
    /// makes of it, of which one with more pieces is a phrase of its own. In scripts without spaces a phrase may also end
    /// between two of the model's words.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `most` is 0.
    pub fn by_pieces(most: usize, tokenizer: Arc<Tokenizer>) -> Result<Self, Error> {
        check("tokens", most)?;
        Ok(Self { length: Length::Pieces { most, tokenizer } })
    }

    /// The phrases of a text as byte ranges, in order.
    ///
    /// # Errors
    ///
    /// [`Error::Tokenize`], [`Error::Cancelled`].
    pub fn segment(&self, text: &str, control: &Control) -> Result<Vec<Range<usize>>, Error> {
        let mut phrases: Vec<Range<usize>> = Vec::new();
        let mut taken = 0;
        match &self.length {
            &Length::Sentences(count) => {
                for (at, sentence) in sentences(text).enumerate() {
                    if at % CHECK_EVERY == 0 {
                        control.check()?;
                    }
                    let begins = taken == 0;
                    taken = (taken + 1) % count;
                    join(&mut phrases, sentence, begins);
                }
            }
            Length::Pieces { most, tokenizer } => units(tokenizer, text, *most, control, |unit| {
                let begins = taken + unit.pieces > *most;
                taken = if begins { unit.pieces } else { taken + unit.pieces };
                join(&mut phrases, unit.range, begins);
            })?,
        }
        Ok(phrases)
    }

    /// The phrases of many texts, in their order, on all threads. Counts texts as progress.
    ///
    /// # Errors
    ///
    /// As for [`segment`](Self::segment); of several the first text's.
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

/// Lets the last phrase reach to the end of a part, or begins one with it.
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
        let phrases = segmenter.segment(text, &Control::new()).expect("nothing is cancelled");
        phrases.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn a_length_of_nothing_is_refused_and_the_longest_is_the_whole_text() {
        let refused = Segmenter::by_sentences(0).expect_err("it has no meaning");
        assert_eq!(refused.to_string(), "sentences: expected at least 1, got 0");
        let refused = Segmenter::by_pieces(0, Arc::clone(&TOKENIZER)).expect_err("it has no meaning");
        assert_eq!(refused.to_string(), "tokens: expected at least 1, got 0");
        let text = " A fox. A hen!  Why? ";
        for segmenter in
            [Segmenter::by_sentences(usize::MAX), Segmenter::by_pieces(usize::MAX, Arc::clone(&TOKENIZER))]
        {
            assert_eq!(parts(&segmenter.expect("the length has a meaning"), text), [text.trim()]);
        }
    }

    #[test]
    fn a_cancelled_call_stops_at_once() {
        let control = Control::new();
        control.cancel();
        let segmenter = Segmenter::by_sentences(1).expect("the length has a meaning");
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
            let segmenter = Segmenter::by_sentences(count).expect("the length has a meaning");
            prop_assert_eq!(parts(&segmenter, &text), groups);
        }

        #[test]
        fn phrases_of_pieces_hold_all_words_and_no_more_pieces_than_fit(
            text in r"([a-z]{1,9}|[.,!'\-]| |\n|é|e\u{301}|東京。|กข|\PC){0,60}", most in 1usize..12
        ) {
            let segmenter = Segmenter::by_pieces(most, Arc::clone(&TOKENIZER)).expect("the length has a meaning");
            let parts = parts(&segmenter, &text);
            let held: String = parts.concat();
            let without_space = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(without_space(&held), without_space(&text));
            let words = |text: &str| TOKENIZER.pieces(text).map_or(0, |found| found.words.last().map_or(0, |last| last + 1));
            for part in &parts {
                prop_assert_eq!(part.trim(), *part);
                prop_assert!(!part.is_empty());
                prop_assert!(pieces(part) <= most || words(part) == 1, "{part:?}: {}", pieces(part));
            }
        }

        #[test]
        fn whole_words_fill_a_phrase_as_far_as_they_fit(
            words in prop::collection::vec("[a-z]{1,9}", 1..40), most in 9usize..20
        ) {
            // The slow way: a word more, until the tokenizer counts too many pieces.
            let mut expected: Vec<String> = Vec::new();
            for word in &words {
                match expected.last_mut() {
                    Some(last) if pieces(&format!("{last} {word}")) <= most => *last = format!("{last} {word}"),
                    _ => expected.push(word.clone()),
                }
            }
            let segmenter = Segmenter::by_pieces(most, Arc::clone(&TOKENIZER)).expect("the length has a meaning");
            let text = words.join(" ");
            prop_assert_eq!(parts(&segmenter, &text), expected);
        }
    }
}
