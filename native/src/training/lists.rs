//! Lists of lists, which JavaScript passes as two columns.

use crate::call::{CallResult, Failure};

/// Splits values at ascending ends.
pub fn lists<T: Clone>(ends: &[u32], values: &[T]) -> CallResult<Vec<Vec<T>>> {
    let mut start = 0;
    let list = |&end: &u32| {
        let list = values.get(start..end as usize).map(<[T]>::to_vec);
        start = end as usize;
        list.ok_or_else(|| {
            Failure::argument(format!("lists: expected ascending ends up to {}, got {end}", values.len()))
        })
    };
    ends.iter().map(list).collect()
}
