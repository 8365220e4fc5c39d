//! The index on disk: its folder, its commits and their segments. Everything here reads or describes one commit.

pub(crate) mod analyzer_record;
pub(crate) mod commit_payload;
pub(crate) mod folder;
pub(crate) mod integrity;
pub(crate) mod open;
pub(crate) mod schema;
pub(crate) mod segment;
pub(crate) mod snapshot;
pub(crate) mod term_cache;
