//! A vector for each token of a head: its enrichment, or its row of the decoder.

use std::path::Path;

use control::Control;

use super::enrichments::Enrichments;
use super::equal_steps::{EqualStepEnrichments, enrich_with_equal_steps};
use super::file::{cache_file, identity};
use super::options::EnrichOptions;
use super::search::enrich;
use crate::{Error, Head};

/// A vector for each token of a vocabulary, with a string that identifies these vectors.
#[derive(Debug, Clone, PartialEq)]
pub struct TokenVectors {
    /// The vectors. Their losses, bounds and steps are empty if they are rows of the decoder.
    pub vectors: Enrichments,
    /// Differs between heads, between options of the search, and between enrichments and rows of the decoder.
    pub identity: String,
}

impl TokenVectors {
    /// Finds the [enrichments](enrich) of a head. If `use_equal_steps`, all tokens take
    /// [the same number of steps](enrich_with_equal_steps). With a folder, the enrichments are saved to files there,
    /// which the next call reads.
    ///
    /// # Errors
    ///
    /// The errors of [`enrich`].
    pub fn find(
        head: &Head,
        options: EnrichOptions,
        use_equal_steps: bool,
        folder: Option<&Path>,
        control: &Control,
    ) -> Result<Self, Error> {
        let EqualStepEnrichments { enrichments, options } = if use_equal_steps {
            enrich_with_equal_steps(head, &options, folder, control)?
        } else {
            let file = folder.map(|folder| cache_file(folder, head, &options));
            EqualStepEnrichments { enrichments: enrich(head, &options, file.as_deref(), control)?, options }
        };
        Ok(Self { vectors: enrichments, identity: identity(head, &options) })
    }

    /// Returns the rows of a head's decoder, which in most models are the word embeddings.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the dimension of the decoder's rows differs from that of the head's vectors.
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
