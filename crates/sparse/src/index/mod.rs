//! The index on disk: its folder, its commits and their segments.
//!
//! [`open`] opens or creates tantivy's index in a folder, [`snapshot`] is one commit of it, open for reading, and
//! [`segment`] is one segment of a commit. [`schema`] defines what tantivy stores of a passage, and [`commit_payload`]
//! defines what we add to each commit, including the analyzer ([`analyzer_record`]). [`term_cache`] makes looking up
//! terms fast, and [`folder`] recognizes and removes indexes. [`checksums`] verifies files. [`corruption`] and
//! [`tantivy_error`] distinguish corrupt files, errors of the operating system, and bugs.

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
