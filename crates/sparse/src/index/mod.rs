//! The index on disk: its folder, its commits and their segments.
//!
//! [`open`] opens or creates tantivy's index in a folder, [`snapshot`] is one commit of it, open for reading, and
//! [`segment`] is one segment of a commit. [`schema`] says what tantivy stores of a passage, [`commit_payload`] what we
//! add to each commit. The other modules verify files and tell damage, system errors and bugs apart.

pub(crate) mod analyzer_record;
pub(crate) mod checksums;
pub(crate) mod commit_payload;
pub(crate) mod corruption;
pub(crate) mod folder;
pub(crate) mod open;
pub(crate) mod schema;
pub(crate) mod segment;
pub(crate) mod snapshot;
pub(crate) mod tantivy_error;
pub(crate) mod term_cache;
