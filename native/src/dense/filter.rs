//! The JavaScript object of a filter, which limits searches to some rows of a vector index. `filters.rs` creates
//! filters.

use std::sync::{Arc, Weak};

use napi_derive::napi;
use serving::{RowFilter, SharedIndex};

use crate::call::{CallResult, Failure};

/// The rows of an index that searches may find. A filter does not keep its index open.
#[napi]
pub struct NativeFilter {
    index: Weak<SharedIndex>,
    rows: Arc<RowFilter>,
    unknown: u32,
}

impl NativeFilter {
    pub(super) fn new(index: &Arc<SharedIndex>, rows: Arc<RowFilter>, unknown: u32) -> Self {
        Self { index: Arc::downgrade(index), rows, unknown }
    }

    /// Returns the rows. Fails if the filter was not made by `index`.
    pub(super) fn rows_for(&self, index: &Arc<SharedIndex>) -> CallResult<Arc<RowFilter>> {
        if !Weak::ptr_eq(&self.index, &Arc::downgrade(index)) {
            return Err(Failure::argument(
                "filter: expected a filter made by this index, got one made by another",
            ));
        }
        Ok(Arc::clone(&self.rows))
    }
}

#[napi]
impl NativeFilter {
    /// Number of rows that the filter allows, including rows that were deleted since it was made.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.rows.len()
    }

    /// Number of ids, among those that the filter was made from, for which the index had no row.
    #[napi(getter, catch_unwind)]
    pub fn unknown(&self) -> u32 {
        self.unknown
    }
}
