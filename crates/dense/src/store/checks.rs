use std::borrow::Cow;

use crate::{Error, Similarity};

/// The most rows of an index: ords are 32-bit, and the last is no row's.
pub(crate) const MOST_ROWS: usize = u32::MAX as usize - 1;
/// The greatest dimension of an index.
pub(crate) const LARGEST_DIM: usize = 1 << 20;

/// The vectors of a batch, ready to be stored.
pub(crate) fn check_batch<'a, S>(
    dim: usize,
    similarity: Similarity,
    rows: usize,
    ids: &[S],
    vectors: &'a [f32],
) -> Result<Cow<'a, [f32]>, Error> {
    if !vectors.len().is_multiple_of(dim) {
        return Err(Error::Dimension { operation: "add", expected: dim, got: vectors.len() });
    }
    if vectors.len() / dim != ids.len() {
        return Err(Error::Count { operation: "add", expected: vectors.len() / dim, got: ids.len() });
    }
    check_room(rows, ids.len())?;
    similarity.prepare("add", dim, vectors)
}

/// Whether `more` rows find room beside `rows`.
pub(crate) fn check_room(rows: usize, more: usize) -> Result<(), Error> {
    if rows + more > MOST_ROWS {
        return Err(Error::Full { expected: MOST_ROWS, got: rows + more });
    }
    Ok(())
}

pub(crate) fn check_dim(dim: usize) -> Result<(), Error> {
    if (1..=LARGEST_DIM).contains(&dim) {
        return Ok(());
    }
    Err(Error::Option { name: "dim", expected: format!("1 to {LARGEST_DIM}"), got: dim.to_string() })
}
