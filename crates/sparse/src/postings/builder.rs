//! Builds an impact file ([`super::file`] describes it) from tantivy's postings.

use std::io::{self, Write};

use tantivy::InvertedIndexReader;
use tantivy::postings::{BlockSegmentPostings, TermInfo};
use tantivy::schema::IndexRecordOption;

use super::dictionary::{Counter, Impact, OVERFLOW};
use super::file::{FOOTER_BYTES, HAS_OVERFLOW_SHIFT, HEADER_BYTES, LAYOUT_SHIFT, MAGIC, VERSION};
use super::layout::encode;
use super::term_postings::OVERFLOW_ENTRY_BYTES;
use crate::index::corruption::catch_tantivy;

/// Writes the impact file of a segment, given the segment's terms and the fieldnorm of each passage. Reads all postings
/// twice: first to count impacts and build the dictionary, then to encode the postings.
pub(super) fn build(
    terms: &InvertedIndexReader,
    fieldnorms: &[u8],
    to: &mut impl Write,
) -> tantivy::Result<()> {
    let mut counter = Counter::new();
    let mut posting_count = 0u64;
    for_each_term(terms, fieldnorms, |_, postings| {
        posting_count += postings.len() as u64;
        postings.iter().for_each(|&(_, impact)| counter.add(impact));
        Ok(())
    })?;
    let dictionary = counter.into_dictionary();
    let encoder = dictionary.encoder();
    to.write_all(&MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())?;
    to.write_all(&(fieldnorms.len() as u32).to_le_bytes())?;
    to.write_all(&(terms.terms().num_terms() as u64).to_le_bytes())?;
    to.write_all(&posting_count.to_le_bytes())?;
    // Where the postings of the next term start in the file.
    let mut start = HEADER_BYTES as u64;
    let (mut records, mut overflow) = (Vec::new(), Vec::new());
    let (mut coded, mut bytes) = (Vec::new(), Vec::new());
    for_each_term(terms, fieldnorms, |term_ord, postings| {
        coded.clear();
        let overflow_before = overflow.len();
        for &(passage, impact) in postings {
            let code = encoder.code(impact);
            if code == OVERFLOW {
                let entry = [term_ord, passage, impact.frequency];
                overflow.extend(entry.map(u32::to_le_bytes).as_flattened());
            }
            coded.push((passage, code));
        }
        bytes.clear();
        let layout = encode(&coded, fieldnorms.len(), &mut bytes);
        let has_overflow = u64::from(overflow.len() > overflow_before) << HAS_OVERFLOW_SHIFT;
        records.extend((coded.len() as u32).to_le_bytes());
        records.extend((start | has_overflow | (layout as u64) << LAYOUT_SHIFT).to_le_bytes());
        start += bytes.len() as u64;
        to.write_all(&bytes)
    })?;
    to.write_all(&overflow)?;
    to.write_all(&records)?;
    let mut footer = Vec::with_capacity(FOOTER_BYTES);
    for impact in &dictionary.impacts {
        footer.extend([impact.frequency, u32::from(impact.fieldnorm)].map(u32::to_le_bytes).as_flattened());
    }
    footer.resize(FOOTER_BYTES - 8, 0);
    footer.extend(((overflow.len() / OVERFLOW_ENTRY_BYTES) as u64).to_le_bytes());
    Ok(to.write_all(&footer)?)
}

/// Calls `visit` with the ordinal and the postings (passages with their impacts) of every term, in the order of the
/// term dictionary.
fn for_each_term(
    terms: &InvertedIndexReader,
    fieldnorms: &[u8],
    mut visit: impl FnMut(u32, &[(u32, Impact)]) -> io::Result<()>,
) -> tantivy::Result<()> {
    let mut stream = catch_tantivy(|| Ok(terms.terms().stream()?))?;
    let mut impacts = Vec::new();
    let (mut postings, mut term_ord) = (None, 0);
    while catch_tantivy(|| Ok(stream.advance()))? {
        impacts.clear();
        catch_tantivy(|| read_impacts(terms, stream.value(), fieldnorms, &mut postings, &mut impacts))?;
        visit(term_ord, &impacts)?;
        term_ord += 1;
    }
    Ok(())
}

/// Appends the postings of a term to `impacts`. `buffer` is reused from term to term.
fn read_impacts(
    terms: &InvertedIndexReader,
    info: &TermInfo,
    fieldnorms: &[u8],
    buffer: &mut Option<BlockSegmentPostings>,
    impacts: &mut Vec<(u32, Impact)>,
) -> tantivy::Result<()> {
    let postings = match buffer {
        Some(postings) => {
            terms.reset_block_postings_from_terminfo(info, postings)?;
            postings
        }
        none => none.insert(terms.read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)?),
    };
    while !postings.docs().is_empty() {
        for (&passage, &frequency) in postings.docs().iter().zip(postings.freqs()) {
            // A corrupt posting may name a passage that does not exist.
            let Some(&fieldnorm) = fieldnorms.get(passage as usize) else {
                let count = fieldnorms.len();
                let text = format!("a posting of passage {passage} in a segment of {count} passages");
                return Err(io::Error::new(io::ErrorKind::InvalidData, text).into());
            };
            impacts.push((passage, Impact { frequency, fieldnorm }));
        }
        postings.advance();
    }
    Ok(())
}
