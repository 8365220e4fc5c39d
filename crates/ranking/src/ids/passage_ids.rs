//! [`PassageIds`]: the trait of types that look up the ids of hits. Indexes implement it.

use crate::{Error, Hit};

/// Looks up the ids of the hits of a run. The run has one list of hits per query; `list` is the index of such a list,
/// from 0.
pub trait PassageIds: Send + Sync {
    /// Returns the number of the list's id space. An id space is a mapping from ords to ids, such as that of one index:
    /// if two lists have the same id space, then the same ord is the same passage in both.
    fn id_space(&self, _list: usize) -> usize {
        0
    }

    /// Calls `visit` with the id of each of `hits`, in order. All `hits` are from the list with index `list`.
    ///
    /// # Errors
    ///
    /// If the ids cannot be read.
    fn for_each_id(&self, list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error>;
}
