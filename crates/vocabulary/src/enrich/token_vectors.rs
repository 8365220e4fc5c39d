//! A vector for each token of a head: its enrichment, or its row of the decoder.

use std::path::Path;

use control::Control;

use super::enrichments::Enrichments;
use super::even::{EvenEnrichments, enrich_evenly};
use super::file::{cache_file, identity};
use super::options::EnrichOptions;
use super::search::enrich;
use crate::{Error, Head};

/// A vector for each token of a vocabulary, with a string that identifies these vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenVectors {
    /// The vectors. Losses, bounds and steps are empty for rows of the decoder.
    pub vectors: Enrichments,
    /// Differs between heads, between options of the search, and between enrichments and rows of the decoder.
    pub identity: String,
}

impl TokenVectors {
    /// Finds the [enrichments](enrich) of a head. If `even`, all tokens take [the same number of steps](enrich_evenly).
    /// With a folder, the enrichments are saved to files there, which the next call reads.
    ///
    /// # Errors
    ///
    /// The errors of [`enrich`].
    pub fn find(
        head: &Head,
        options: EnrichOptions,
        even: bool,
        folder: Option<&Path>,
        control: &Control,
    ) -> Result<Self, Error> {
        let EvenEnrichments { enrichments, options } = if even {
            enrich_evenly(head, &options, folder, control)?
        } else {
            let file = folder.map(|folder| cache_file(folder, head, &options));
            EvenEnrichments { enrichments: enrich(head, &options, file.as_deref(), control)?, options }
        };
        Ok(Self { vectors: enrichments, identity: identity(head, &options) })
    }

    /// Returns the rows of a head's decoder, which in most models are the word embeddings.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the decoder takes vectors of another dimension than the head.
    pub fn decoder_rows(head: &Head) -> Result<Self, Error> {
        let (dim, inner_dim) = (head.dim(), head.inner_dim());
        if inner_dim != dim {
            let expected = format!("a decoder of the vectors' dimension {dim}");
            return Err(Error::argument("tokens", expected, inner_dim.to_string()));
        }
        let vectors = Enrichments {
            dim,
            vectors: head.decoder().to_vec(),
            losses: Vec::new(),
            bounds: Vec::new(),
            steps: Vec::new(),
        };
        Ok(Self { vectors, identity: format!("static-{}", head.identity()) })
    }
}
