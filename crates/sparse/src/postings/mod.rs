//! Postings as the scorer wants them, in a file of their own in each segment.
//!
//! A posting's *impact* is the pair of the term's frequency and the passage's length code: all that BM25 needs to
//! know. A segment has few different ones, so a posting here is one byte, a code into the segment's dictionary of
//! impacts, and the way to the passage. With 256 table entries per query term, contributions are then exact for
//! any k1, b, idf and average length: nothing in the file depends on statistics that move.
//!
//! tantivy's postings stay the source: this file is built from them when a segment is written or merged. A file of
//! another version is rebuilt in memory each time the index is opened. A missing file is an error, which a repair
//! fixes.

mod builder;
mod dictionary;
mod file;
pub(crate) mod gap_cursor;
mod layout;
mod plugin;
mod term_postings;

pub(crate) use dictionary::{ABSENT, Dictionary, ESCAPE};
pub(crate) use file::{Impacts, TermImpacts};
pub(crate) use plugin::{ImpactsPlugin, open_impacts, read_length_codes, rebuild_damaged};
pub(crate) use term_postings::{Bitmap, LongGaps, Postings, ShortGaps};

use kernels::impacts::RANK_INTERVAL;

/// Passages of which the sums are built at a time; lists of short gaps can be entered wherever a window begins.
pub(crate) const WINDOW: usize = 8192;
