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
