//! The impact file of each segment: the terms of titles and texts, and their postings in the form that the scorers
//! read.
//!
//! As in Lucene, the *impact* of a posting is the pair of the term's frequency in the passage and the passage's
//! fieldnorm (the length of the passage, quantized to a byte): all that BM25 needs besides statistics of the index. A
//! segment has few different impacts, so a posting stores a one-byte *code* in place of its impact:
//!
//! ```text
//! term ─→ ordinal ─→ postings: passages (gaps or a bitmap) and their codes     `layout`, `term_postings`
//!                   code 1–239 ─→ dictionary ─→ (frequency, fieldnorm)      `dictionary`
//!                   code 255   ─→ overflow entry with the frequency, for impacts that are not in the dictionary
//! ```
//!
//! The codes are chosen so that neighboring codes contribute nearly the same ([`code_classes`]). Nothing in the file
//! depends on statistics that change. For each query term, a scorer can compute a table of 256
//! contributions, one per code, which are exact for any k1, b, idf and average length. It then looks up the code of
//! each posting in this table.
//!
//! While passages are added, [`collector`] keeps their postings in memory; [`write`](self::write) writes the file when
//! tantivy writes the segment ([`plugin`]), and [`merge`] merges the files of several segments. [`file`](self::file)
//! opens a file, [`gaps16_cursor`] iterates over the postings of rare terms, and [`decode`] decodes and validates all
//! postings of a term. A [repair](crate::repair) rebuilds a missing or damaged file from stored passages ([`rebuild`]).

mod code_classes;
mod collector;
mod decode;
mod dictionary;
mod file;
mod gaps16_cursor;
mod layout;
mod merge;
mod passage_analysis;
mod plugin;
mod rebuild;
mod term_postings;
mod write;

pub(crate) use dictionary::{ABSENT, Dictionary, OVERFLOW};
pub(crate) use file::ImpactFile;
pub(crate) use gaps16_cursor::Gaps16Cursor;
pub(crate) use layout::BLOCK;
pub(crate) use passage_analysis::{AnalysisSettings, PassageAnalysis};
pub(crate) use plugin::{ImpactPlugin, impact_file_name, open_impact_file};
pub(crate) use rebuild::rebuild_damaged;
pub(crate) use term_postings::{Bitmap, Gaps8, Gaps16, Postings, TermPostings};
