//! The trait of what knows the ids of hits.

use crate::{Error, Hit};

/// Knows the ids of the passages in the lists of a run.
pub trait PassageIds: Send + Sync {
    /// Lists with the same number use the same ords: one ord is one passage in all of them.
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
