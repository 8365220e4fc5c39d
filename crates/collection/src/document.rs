//! Documents to be added, and the ids of their passages.

use sparse::{PassageFields, Searcher};

use crate::Error;

/// A document to be added, split into passages.
#[derive(Debug, Clone, Copy)]
pub struct NewDocument<'a> {
    /// The id: 1 to [`MAX_ID_BYTES`] bytes.
    pub id: &'a str,
    /// The passages, in order; at least one. Passage `n`, counted from 0, gets the id `<id of the document>#n`.
    pub passages: &'a [NewPassage<'a>],
    /// The fields of the document, which all of its passages have.
    pub fields: &'a PassageFields,
}

/// A passage of a document to be added.
#[derive(Debug, Clone, Copy)]
pub struct NewPassage<'a> {
    /// The title, if any, which is indexed and encoded together with the text.
    pub title: Option<&'a str>,
    /// The text.
    pub text: &'a str,
    /// The vector of the passage, if the collection has vectors.
    pub vector: NewVector<'a>,
}

/// The vector of a passage to be added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NewVector<'a> {
    /// No vector, in a collection without vectors.
    None,
    /// This vector, `[dim]`.
    Given(&'a [f32]),
    /// The vector of another passage, given by its ord. It must be a passage of the last commit with the same title and
    /// text.
    SameAs(u32),
}

/// The maximum length of a document's id in bytes.
pub const MAX_ID_BYTES: usize = 65_000;

/// Returns the id of passage `number` of a document, counted from 0.
#[must_use]
pub fn passage_id(document: &str, number: usize) -> String {
    format!("{document}#{number}")
}

/// Returns the ords of the passages of a document, in order, in the commit that `searcher` shows. The list is empty if
/// there is no such document.
///
/// # Errors
///
/// [`Error::Sparse`] if the index cannot be read.
pub fn passages_of(document: &str, searcher: &Searcher) -> Result<Vec<u32>, Error> {
    let mut ords = Vec::new();
    while let Some(ord) = searcher.ord(&passage_id(document, ords.len()))? {
        ords.push(ord);
    }
    Ok(ords)
}

/// Takes the id of a passage, and returns the id of its document and its number in the document, counted from 0.
/// Returns `None` for an id that no passage can have.
#[must_use]
pub fn document_of(passage: &str) -> Option<(&str, usize)> {
    let (document, number) = passage.rsplit_once('#')?;
    let parsed: usize = number.parse().ok()?;
    // `+1` and `01` can be parsed as numbers too, but no id of a passage contains them.
    (!document.is_empty() && parsed.to_string() == number).then_some((document, parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_passage_contains_its_document_and_number() {
        for (document, number) in [("a", 0), ("a#1", 12), ("#", 7)] {
            assert_eq!(document_of(&passage_id(document, number)), Some((document, number)));
        }
        for other in ["a", "#1", "a#", "a#x", "a#01", "a#+1"] {
            assert_eq!(document_of(other), None, "{other}");
        }
    }
}
