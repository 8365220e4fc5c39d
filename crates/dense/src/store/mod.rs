//! What every index has: vectors with their ids, some of them deleted or staged, in memory or in a mapped file.

pub(crate) mod checks;
pub(crate) mod columns;
pub(crate) mod element;
mod half;
pub(crate) mod ids;
pub(crate) mod row_file;
pub(crate) mod rows;
pub(crate) mod rows_view;
pub(crate) mod staged;
mod staging;
