//! A filter, as JavaScript holds it.

use std::sync::{Arc, Weak};

use napi_derive::napi;
use serving::{RowFilter, SharedIndex};

use crate::call::{CallResult, Failure};

/// Rows of an index to search among. It does not keep the index open.
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

    /// The rows, if the filter was made by `index`.
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
    /// Number of rows that it allows, including those that were deleted since.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.rows.len()
    }

    /// Number of ids that the index did not have.
    #[napi(getter, catch_unwind)]
    pub fn unknown(&self) -> u32 {
        self.unknown
    }
}
