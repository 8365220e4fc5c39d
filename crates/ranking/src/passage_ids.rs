//! The trait of types that look up the ids of hits, such as an index.

use crate::{Error, Hit};

/// Looks up the ids of the passages in the lists of a run.
pub trait PassageIds: Send + Sync {
    /// The number of the list's id space. In lists with the same number, the same ord is the same passage.
    fn id_space(&self, _list: usize) -> usize {
        0
    }

    /// Calls `visit` with the id of each of `hits`, in order. They are hits of the list at position `list`.
    ///
    /// # Errors
    ///
    /// If the ids cannot be read.
    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error>;
}
