//! The impact file of each segment: postings in the form that the scorers read.
//!
//! The *impact* of a posting is the pair of the term's frequency in the passage and the passage's fieldnorm (its
//! quantized length): all that BM25 needs besides statistics of the index. A segment has few different impacts, so a
//! posting takes one byte here, a code into the segment's [dictionary] of impacts, plus the gap to the previous passage
//! or a bit in a bitmap. A table of 256 entries per query term then gives exact contributions for any k1, b, idf and
//! average length, because nothing in the file depends on statistics that change.
//!
//! tantivy's postings remain the source: [`builder`] makes this file from them when a segment is written or merged
//! ([`plugin`]). If the file has another version, the postings are rebuilt in memory whenever the index is opened. If
//! the file is missing, opening fails, and a [repair](crate::repair) rebuilds it.

mod builder;
mod dictionary;
mod file;
mod gaps16_cursor;
mod layout;
mod plugin;
mod rebuild;
mod term_postings;

pub(crate) use dictionary::{ABSENT, Dictionary, OVERFLOW};
pub(crate) use file::ImpactFile;
pub(crate) use gaps16_cursor::Gaps16Cursor;
pub(crate) use layout::BLOCK;
pub(crate) use plugin::{ImpactPlugin, read_fieldnorms};
pub(crate) use rebuild::{open_impact_file, rebuild_damaged};
pub(crate) use term_postings::{Bitmap, Gaps8, Gaps16, Postings, TermPostings};
