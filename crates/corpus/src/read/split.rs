//! Splits documents into passages: [`passages_of`] for one document, and [`Split`] for all documents of a reader.

use std::ops::Range;

use text::{Piece, SplitOptions, Splitter, split_words};

use crate::Error;
use crate::formats::source::PassageSource;
use crate::input::passage_too_long;
use crate::types::{Passage, replace};

/// Splits a document into passages of a fixed number of words, in order. Returns each passage with its byte range in
/// the text of the document.
///
/// Passage `n` of document `d`, counted from 0, has the id `d#n` and the title of the document. Its text is a copy of
/// the range, including white space. With [`SplitOptions::wrap`], the last passage is filled up with a space and words
/// from the start of the document; the range does not include these words. A document without words gives no passages.
///
/// # Errors
///
/// [`Error::Text`] if the options are invalid.
///
/// ```
/// use corpus::{Passage, SplitOptions, passages_of};
///
/// let document = Passage { id: "d".into(), title: None, text: "one two three".into() };
/// let options = SplitOptions { words: 2, ..SplitOptions::default() };
/// let passages = passages_of(&document, &options)?;
/// assert_eq!((passages[1].0.id.as_str(), passages[1].0.text.as_str()), ("d#1", "three"));
/// assert_eq!(passages[1].1, 8..13);
/// # Ok::<(), corpus::Error>(())
/// ```
pub fn passages_of(
    document: &Passage,
    options: &SplitOptions,
) -> Result<Vec<(Passage, Range<usize>)>, Error> {
    let pieces = split_words(&document.text, options)?;
    let passage = |(number, piece): (usize, Piece)| {
        let mut passage = Passage::default();
        set(&mut passage, document, number, &piece);
        (passage, piece.range)
    };
    Ok(pieces.into_iter().enumerate().map(passage).collect())
}

/// Splits the documents of another source into passages. Only one document and one of its passages are in memory.
pub(crate) struct Split<S> {
    documents: S,
    options: SplitOptions,
    /// Maximum number of bytes of a passage.
    max_passage: usize,
    /// The current document.
    document: Passage,
    /// The splitter of the current document, and the number of passages that it has returned.
    splitter: Option<(Splitter, usize)>,
}

impl<S> Split<S> {
    /// Creates a source of the passages. Fails with [`Error::Text`] if the options are invalid.
    pub fn new(documents: S, options: SplitOptions, max_passage: usize) -> Result<Self, Error> {
        Splitter::new(&options)?;
        Ok(Self { documents, options, max_passage, document: Passage::default(), splitter: None })
    }
}

impl<S: PassageSource> PassageSource for Split<S> {
    fn read(&mut self, passage: &mut Passage) -> Result<bool, Error> {
        loop {
            if let Some((splitter, number)) = &mut self.splitter {
                if let Some(piece) = splitter.next(&self.document.text) {
                    set(passage, &self.document, *number, &piece);
                    *number += 1;
                    return Ok(true);
                }
                self.splitter = None;
            }
            if !self.documents.read(&mut self.document)? {
                return Ok(false);
            }
            // Every passage contains the id and the title.
            let Passage { id, title, .. } = &self.document;
            if let Some((expected, got)) = passage_too_long(id, title.as_deref(), "", self.max_passage) {
                return Err(self.documents.error(expected, got));
            }
            self.splitter = Some((Splitter::new(&self.options)?, 0));
        }
    }

    fn error(&self, expected: String, got: String) -> Error {
        self.documents.error(expected, got)
    }
}

/// Sets the fields of `passage` to those of piece `number` of a document.
fn set(passage: &mut Passage, document: &Passage, number: usize, piece: &Piece) {
    replace(&mut passage.id, &document.id);
    passage.id.push('#');
    passage.id.push_str(&number.to_string());
    passage.set_title(document.title.as_deref().unwrap_or_default());
    replace(&mut passage.text, &document.text[piece.range.clone()]);
    if let Some(wrapped) = &piece.wrapped {
        passage.text.push(' ');
        passage.text.push_str(&document.text[wrapped.clone()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_wrap_the_last_passage_is_filled_up_with_words_from_the_start() -> Result<(), Error> {
        let document = Passage { id: "d".into(), title: Some("T".into()), text: " one  two three ".into() };
        let options = SplitOptions { words: 2, wrap: true, ..SplitOptions::default() };
        let passages = passages_of(&document, &options)?;
        let found: Vec<_> =
            passages.iter().map(|(passage, range)| (passage.text.as_str(), range.clone())).collect();
        assert_eq!(found, [("one  two", 1..9), ("three one", 10..15)]);
        assert_eq!(passages[0].0.title.as_deref(), Some("T"));
        Ok(())
    }

    #[test]
    fn invalid_options_are_refused() {
        let options = SplitOptions { words: 0, ..SplitOptions::default() };
        assert!(matches!(passages_of(&Passage::default(), &options), Err(Error::Text(_))));
    }
}
