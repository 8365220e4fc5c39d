//! Limits of an index, and checks against them.

use std::borrow::Cow;

use crate::{Error, Similarity};

/// The maximum number of rows of an index; an HNSW index has a lower limit. Ords have 32 bits. With this limit, no ord
/// is `u32::MAX`, which marks free slots of hash tables and the ends of adjacency lists.
pub(crate) const MAX_ROWS: usize = u32::MAX as usize - 1;
/// The maximum dimension of an index.
pub(crate) const MAX_DIM: usize = 1 << 20;

/// Checks a batch that is to be added to an index of `num_rows` rows, and [prepares](Similarity::prepare) its vectors.
/// Ids are only counted; `Ids::extend` checks them.
pub(crate) fn check_batch<'a, S>(
    dim: usize,
    similarity: Similarity,
    num_rows: usize,
    ids: &[S],
    vectors: &'a [f32],
) -> Result<Cow<'a, [f32]>, Error> {
    check_shape("add", dim, ids.len(), vectors)?;
    check_capacity(num_rows, ids.len())?;
    similarity.prepare("add", dim, vectors)
}

/// Checks that `vectors` has one vector of dimension `dim` per id.
pub(crate) fn check_shape(
    operation: &'static str,
    dim: usize,
    num_ids: usize,
    vectors: &[f32],
) -> Result<(), Error> {
    if !vectors.len().is_multiple_of(dim) {
        return Err(Error::Dimension { operation, expected: dim, got: vectors.len() });
    }
    if vectors.len() / dim != num_ids {
        return Err(Error::Count { operation, expected: vectors.len() / dim, got: num_ids });
    }
    Ok(())
}

/// Checks that `additional` rows can be added to an index of `num_rows` rows.
pub(crate) fn check_capacity(num_rows: usize, additional: usize) -> Result<(), Error> {
    if num_rows + additional > MAX_ROWS {
        return Err(Error::Full { expected: MAX_ROWS, got: num_rows + additional });
    }
    Ok(())
}

pub(crate) fn check_dim(dim: usize) -> Result<(), Error> {
    if (1..=MAX_DIM).contains(&dim) {
        return Ok(());
    }
    Err(Error::Option { name: "dim", expected: format!("1 to {MAX_DIM}"), got: dim.to_string() })
}
