//! Single-token enrichments (for each token, a vector for which the head gives the token a probability near 1) with the
//! same number of optimizer steps for all tokens.

use std::path::Path;

use control::Control;

use super::enrichments::Enrichments;
use super::file::cache_file;
use super::options::EnrichOptions;
use super::search::{ProgressUnit, search};
use crate::{Error, Head};

/// Enrichments for which all tokens took the same number of steps.
#[derive(Debug, Clone, PartialEq)]
pub struct EqualStepEnrichments {
    /// The vectors, with the loss of each.
    pub enrichments: Enrichments,
    /// The given options, except that `min_steps` and `max_steps` are the number of steps that all tokens took.
    /// [`enrich`](super::enrich) finds the same vectors with them.
    pub options: EnrichOptions,
}

/// Finds enrichments with the stopping rule of Ram et al. (2023, §6.2): "We stop when a (cross-entropy) loss threshold
/// of 0.1 is reached for all tokens". All tokens take the same number of steps N, even those that reach the threshold
/// earlier.
///
/// In a first search, each token stops on its own: when its loss is below the threshold, when a lower bound proves that
/// its loss cannot become much smaller, or after `max_steps`. N is the number of steps of the token that stops last. In
/// a second search, every token takes exactly N steps. If `min_steps` equals `max_steps`, N is known and the first
/// search is skipped. After N steps, a token's loss may be slightly above the threshold again, because a step of Adam
/// can increase it.
///
/// With a folder, both searches save their results and unfinished work to files there ([`cache_file`]), and the next
/// call continues from these files. Progress counts the tokens of the first search, then the steps of all tokens in the
/// second search. Until the first search has ended, the total assumes that N is `max_steps`.
///
/// # Errors
///
/// The errors of [`enrich`](super::enrich).
pub fn enrich_with_equal_steps(
    head: &Head,
    options: &EnrichOptions,
    folder: Option<&Path>,
    control: &Control,
) -> Result<EqualStepEnrichments, Error> {
    options.check()?;
    let tokens = head.vocabulary_size() as u64;
    let file = |options: &EnrichOptions| folder.map(|folder| cache_file(folder, head, options));
    let (first_search_units, steps) = if options.min_steps == options.max_steps {
        (0, options.max_steps)
    } else {
        control.set_total(tokens + tokens * u64::from(options.max_steps));
        let found = search(head, options, file(options).as_deref(), ProgressUnit::Token, control)?;
        (tokens, found.steps.iter().copied().max().unwrap_or(0))
    };
    let options = EnrichOptions { min_steps: steps, max_steps: steps, ..*options };
    control.set_total(first_search_units + tokens * u64::from(steps));
    let enrichments = search(head, &options, file(&options).as_deref(), ProgressUnit::Step, control)?;
    Ok(EqualStepEnrichments { enrichments, options })
}
