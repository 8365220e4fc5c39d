//! Merges the impact files of several segments, without their deleted passages.

use std::io::{self, Write};

use tantivy_fst::Streamer;
use tantivy_fst::map::OpBuilder;

use super::decode::DecodedPostings;
use super::dictionary::{Counter, Dictionary, Encoder, Impact, OVERFLOW};
use super::file::ImpactFile;
use super::write::ImpactFileWriter;
use crate::index::corruption::catch_read_panic;

/// A segment that is merged.
pub(super) struct MergeSource {
    pub file: ImpactFile,
    /// The passages that are not deleted, in ascending order; `None` if no passage is deleted.
    pub alive: Option<Vec<u32>>,
}

/// How the passages of a segment are numbered in the merged segment.
enum Renumbering {
    /// Each number grows by this.
    Offset(u32),
    /// The new number of each passage; [`DELETED`] for a deleted passage.
    Table(Vec<u32>),
}

const DELETED: u32 = u32::MAX;

/// The code in the merged segment for each code of a source, except for [`OVERFLOW`].
type CodeTable = [u8; 256];

/// Writes the impact file of the merged segment, which has the passages of the sources in this order. Reads all
/// postings twice: first to count impacts, then to write them. Fails with `InvalidData` for a corrupt file.
pub(super) fn merge(sources: Vec<MergeSource>, to: impl Write) -> io::Result<()> {
    let (mut files, mut renumberings, mut fieldnorms) = (Vec::new(), Vec::new(), Vec::new());
    for MergeSource { file, alive } in sources {
        renumberings.push(renumber(&file, alive, &mut fieldnorms));
        files.push(file);
    }
    let (mut counter, mut tokens) = (Counter::new(), 0);
    for (file, renumbering) in files.iter().zip(&renumberings) {
        tokens += count_impacts(file, renumbering, &mut counter)?;
    }
    let dictionary = counter.into_dictionary();
    let encoder = dictionary.encoder();
    let code_tables: Vec<CodeTable> =
        files.iter().map(|file| code_table(&file.dictionary, &encoder)).collect();
    let mut writer = ImpactFileWriter::new(to, &dictionary, &fieldnorms)?;
    let union = || {
        let streams = files.iter().map(|file| file.terms.stream());
        Ok(streams.fold(OpBuilder::new(), OpBuilder::add).union())
    };
    let mut terms = catch_read_panic(union).map_err(io::Error::other)?;
    let (mut of_source, mut merged) = (DecodedPostings::default(), MergedPostings::default());
    // The sources that have a term, and the ordinal of the next term of each source.
    let (mut found, mut next_ords) = (Vec::new(), vec![0; files.len()]);
    while let Some((term, values)) = catch_read_panic(|| Ok(terms.next())).map_err(io::Error::other)? {
        found.clear();
        found.extend(values.iter().map(|value| (value.index, value.value)));
        // The passages of the merged segment are in the order of the sources.
        found.sort_unstable();
        merged.clear();
        for &(index, term_ord) in &found {
            let (file, next_ord) = (&files[index], &mut next_ords[index]);
            if term_ord != u64::from(*next_ord) || *next_ord == file.term_count() {
                return Err(invalid_data(format!(
                    "term {term_ord} after {next_ord} of {}",
                    file.term_count()
                )));
            }
            of_source.read(file, *next_ord).map_err(invalid_data)?;
            merged.append(&of_source, file, &renumberings[index], &code_tables[index], &encoder);
            *next_ord += 1;
        }
        if !merged.doc_ids.is_empty() {
            writer.add_term(term, &merged.doc_ids, &merged.codes, merged.overflow.iter().copied())?;
        }
    }
    for (file, &found) in files.iter().zip(&next_ords) {
        if found != file.term_count() {
            return Err(invalid_data(format!("{found} of {} terms", file.term_count())));
        }
    }
    writer.finish(tokens)
}

/// Appends the fieldnorms of the passages that are not deleted.
fn renumber(file: &ImpactFile, alive: Option<Vec<u32>>, fieldnorms: &mut Vec<u8>) -> Renumbering {
    let first = fieldnorms.len() as u32;
    let source_fieldnorms = file.fieldnorms();
    match alive {
        None => {
            fieldnorms.extend(source_fieldnorms);
            Renumbering::Offset(first)
        }
        Some(alive) => {
            let mut table = vec![DELETED; source_fieldnorms.len()];
            for (passage, number) in alive.into_iter().zip(first..) {
                table[passage as usize] = number;
                fieldnorms.push(source_fieldnorms[passage as usize]);
            }
            Renumbering::Table(table)
        }
    }
}

/// Counts the impacts of the postings that are not deleted. Returns the sum of their frequencies.
fn count_impacts(file: &ImpactFile, renumbering: &Renumbering, counter: &mut Counter) -> io::Result<u64> {
    let (mut postings, mut counts, mut tokens) = (DecodedPostings::default(), [0u64; 256], 0);
    for term_ord in 0..file.term_count() {
        postings.read(file, term_ord).map_err(invalid_data)?;
        for (&passage, &code) in postings.doc_ids.iter().zip(&postings.codes) {
            counts[usize::from(code)] += u64::from(!renumbering.is_deleted(passage));
        }
        for &(passage, frequency) in &postings.overflow {
            if !renumbering.is_deleted(passage) {
                counter.add(Impact { frequency, fieldnorm: file.fieldnorms()[passage as usize] }, 1);
                tokens += u64::from(frequency);
            }
        }
    }
    for (&impact, &count) in file.dictionary.impacts.iter().zip(&counts[1..]) {
        counter.add(impact, count);
        tokens += u64::from(impact.frequency) * count;
    }
    Ok(tokens)
}

fn code_table(dictionary: &Dictionary, encoder: &Encoder) -> CodeTable {
    let mut table = [OVERFLOW; 256];
    for (&impact, code) in dictionary.impacts.iter().zip(&mut table[1..]) {
        *code = encoder.code(impact);
    }
    table
}

/// The postings of one term in the merged segment.
#[derive(Default)]
struct MergedPostings {
    doc_ids: Vec<u32>,
    codes: Vec<u8>,
    /// The passage and the frequency of each posting with the code [`OVERFLOW`].
    overflow: Vec<(u32, u32)>,
}

impl MergedPostings {
    fn clear(&mut self) {
        self.doc_ids.clear();
        self.codes.clear();
        self.overflow.clear();
    }

    /// Appends the postings of a source that are not deleted.
    fn append(
        &mut self,
        postings: &DecodedPostings,
        file: &ImpactFile,
        renumbering: &Renumbering,
        codes: &CodeTable,
        encoder: &Encoder,
    ) {
        let mut overflow = postings.overflow.iter();
        for (&passage, &code) in postings.doc_ids.iter().zip(&postings.codes) {
            let overflow_frequency =
                if code == OVERFLOW { overflow.next().map(|&(_, frequency)| frequency) } else { None };
            let doc = renumbering.number(passage);
            if doc == DELETED {
                continue;
            }
            let (code, frequency) = match overflow_frequency {
                None => (codes[usize::from(code)], file.dictionary.impacts[usize::from(code) - 1].frequency),
                Some(frequency) => {
                    let fieldnorm = file.fieldnorms()[passage as usize];
                    (encoder.code(Impact { frequency, fieldnorm }), frequency)
                }
            };
            self.doc_ids.push(doc);
            self.codes.push(code);
            if code == OVERFLOW {
                self.overflow.push((doc, frequency));
            }
        }
    }
}

impl Renumbering {
    /// Returns the number of a passage in the merged segment; [`DELETED`] if it is deleted.
    #[inline]
    fn number(&self, passage: u32) -> u32 {
        match self {
            Self::Offset(offset) => passage + offset,
            Self::Table(table) => table[passage as usize],
        }
    }

    #[inline]
    fn is_deleted(&self, passage: u32) -> bool {
        self.number(passage) == DELETED
    }
}

fn invalid_data(got: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, got)
}
