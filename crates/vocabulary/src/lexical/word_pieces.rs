//! The word pieces of texts, and weights of word pieces: inverse document frequencies, or weights that the caller gives
//! for the word pieces that it names.

use tokenize::Tokenizer;

use super::lexicon::inverse_document_frequency;
use crate::Error;

/// Returns the ids of the word pieces of each text. A title is put in front of its text, separated by a space. An empty
/// title means no title, and so does a missing one: `titles` may be shorter than `texts`.
///
/// # Errors
///
/// [`Error::Tokenize`] if the tokenizer refuses a text.
pub fn title_and_text_pieces(
    tokenizer: &Tokenizer,
    texts: &[String],
    titles: &[String],
) -> Result<Vec<Vec<u32>>, Error> {
    let titles = titles.iter().map(String::as_str).chain(std::iter::repeat(""));
    let tokenized = texts.iter().zip(titles).map(|(text, title)| match title {
        "" => tokenizer.pieces(text),
        title => tokenizer.pieces(&format!("{title} {text}")),
    });
    Ok(tokenized.map(|result| result.map(|pieces| pieces.ids)).collect::<Result<_, _>>()?)
}

/// Returns the distinct ids of the word pieces of each title and text, in ascending order; see
/// [`title_and_text_pieces`].
///
/// # Errors
///
/// [`Error::Tokenize`] if the tokenizer refuses a text.
pub fn distinct_pieces(
    tokenizer: &Tokenizer,
    texts: &[String],
    titles: &[String],
) -> Result<Vec<Vec<u32>>, Error> {
    let mut ids_of_texts = title_and_text_pieces(tokenizer, texts, titles)?;
    for ids in &mut ids_of_texts {
        ids.sort_unstable();
        ids.dedup();
    }
    Ok(ids_of_texts)
}

/// The document frequency of each word piece: the number of passages that contain it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PieceCounts {
    passage_count: u64,
    /// The document frequency of each piece, by id.
    doc_freqs: Vec<u64>,
}

impl PieceCounts {
    /// Starts with no passages, for a vocabulary of `piece_count` pieces.
    #[must_use]
    pub fn new(piece_count: usize) -> Self {
        Self { passage_count: 0, doc_freqs: vec![0; piece_count] }
    }

    /// Counts passages, given the [distinct pieces](distinct_pieces) of each.
    ///
    /// # Panics
    ///
    /// If a piece is not in the vocabulary.
    pub fn add(&mut self, passages: &[Vec<u32>]) {
        for &piece in passages.iter().flatten() {
            self.doc_freqs[piece as usize] += 1;
        }
        self.passage_count += passages.len() as u64;
    }

    /// Returns the inverse document frequency of every piece.
    #[must_use]
    pub fn weights(&self) -> Vec<f32> {
        inverse_document_frequencies(self.passage_count, &self.doc_freqs)
    }
}

/// Returns the [inverse document frequency](inverse_document_frequency) of each token. `doc_freqs[t]` of the
/// `passage_count` passages contain token t.
#[must_use]
pub fn inverse_document_frequencies(passage_count: u64, doc_freqs: &[u64]) -> Vec<f32> {
    doc_freqs.iter().map(|&doc_freq| inverse_document_frequency(passage_count, doc_freq)).collect()
}

/// Returns the weight of every word piece of a tokenizer, by id. The word piece `names[i]` has the weight `weights[i]`;
/// all others have the weight 0.
///
/// # Errors
///
/// [`Error::Argument`] if one of `names` is not a word piece of the tokenizer. The error calls the argument `idf`, as
/// the TypeScript API does.
pub fn weights_by_name(tokenizer: &Tokenizer, names: &[String], weights: &[f32]) -> Result<Vec<f32>, Error> {
    let mut weights_by_id = vec![0.0; tokenizer.vocabulary_size()];
    for (name, &weight) in names.iter().zip(weights) {
        let id = tokenizer.piece_id(name).ok_or_else(|| {
            Error::argument("idf", "word pieces of the head's tokenizer", format!("\"{name}\""))
        })?;
        weights_by_id[id as usize] = weight;
    }
    Ok(weights_by_id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The WordPiece tokenizer of the repository's smallest encoder.
    fn tokenizer() -> Tokenizer {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/tiny-encoder/tokenizer.json");
        Tokenizer::open(file.as_ref()).expect("the tokenizer of the repository")
    }

    fn strings(strings: &[&str]) -> Vec<String> {
        strings.iter().map(|&string| string.to_owned()).collect()
    }

    #[test]
    fn the_word_pieces_of_a_title_come_before_those_of_its_text() {
        let tokenizer = tokenizer();
        let pieces = title_and_text_pieces(
            &tokenizer,
            &strings(&["the river", "the sea", "the bed"]),
            &strings(&["a bed", ""]),
        );
        let expected = ["a bed the river", "the sea", "the bed"];
        let expected = expected.map(|text| tokenizer.pieces(text).expect("a text").ids);
        assert_eq!(pieces.expect("texts"), expected);
    }

    #[test]
    fn a_piece_counts_once_per_passage() {
        let tokenizer = tokenizer();
        let passages = distinct_pieces(&tokenizer, &strings(&["the bed, the river", "the bed"]), &[]);
        let mut counts = PieceCounts::new(tokenizer.vocabulary_size());
        counts.add(&passages.expect("texts"));
        counts.add(&[vec![]]);
        let weights = counts.weights();
        let weight = |piece: &str| weights[tokenizer.piece_id(piece).expect("a piece") as usize];
        assert_eq!(weight("the"), inverse_document_frequency(3, 2));
        assert_eq!(weight(","), inverse_document_frequency(3, 1));
        assert_eq!(weight("a"), inverse_document_frequency(3, 0));
    }

    #[test]
    fn word_pieces_without_a_given_weight_have_the_weight_0_and_unknown_names_are_refused() {
        let tokenizer = tokenizer();
        let weights = weights_by_name(&tokenizer, &strings(&["the", "a"]), &[0.5, 2.0]).expect("pieces");
        let id = |piece: &str| tokenizer.piece_id(piece).expect("a piece") as usize;
        assert_eq!((weights[id("the")], weights[id("a")]), (0.5, 2.0));
        assert_eq!(weights.iter().filter(|&&weight| weight != 0.0).count(), 2);
        let refused = weights_by_name(&tokenizer, &strings(&["zyzzyvas"]), &[1.0]).expect_err("no piece");
        assert_eq!(
            refused.to_string(),
            "idf: expected word pieces of the head's tokenizer, got \"zyzzyvas\""
        );
    }
}
