//! Filters of an index that changes: [`row_filter`] has the filters, which stay valid when rows are replaced or
//! renumbered, and [`create`] has the methods of `SharedIndex` that create them.

mod create;
mod row_filter;

pub(super) use row_filter::FilterList;
pub use row_filter::RowFilter;
