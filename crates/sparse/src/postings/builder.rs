//! Makes an impact file of the engine's postings.

use std::io::{self, Write};

use tantivy::InvertedIndexReader;
use tantivy::schema::IndexRecordOption;

use super::dictionary::{Counter, ESCAPE, Impact};
use super::file::{ESCAPED_SHIFT, HEAD, LAYOUT_SHIFT, MAGIC, TAIL, VERSION};
use super::layout::encode;

/// Writes the impact file of a segment, given its terms and the length code of each passage. Reads the postings
/// twice, to find the commonest impacts and to encode them.
pub(super) fn build(terms: &InvertedIndexReader, length_codes: &[u8], to: &mut impl Write) -> io::Result<()> {
    let mut counter = Counter::new();
    let mut postings = 0u64;
    for_each_term(terms, length_codes, |_, of_term| {
        postings += of_term.len() as u64;
        of_term.iter().for_each(|&(_, impact)| counter.add(impact));
        Ok(())
    })?;
    let dictionary = counter.into_dictionary();
    let encoder = dictionary.encoder();
    to.write_all(&MAGIC)?;
    to.write_all(&VERSION.to_le_bytes())?;
    to.write_all(&(length_codes.len() as u32).to_le_bytes())?;
    to.write_all(&(terms.terms().num_terms() as u64).to_le_bytes())?;
    to.write_all(&postings.to_le_bytes())?;
    let mut at = HEAD as u64;
    let (mut records, mut escapes) = (Vec::new(), Vec::new());
    let (mut coded, mut bytes) = (Vec::new(), Vec::new());
    for_each_term(terms, length_codes, |term, of_term| {
        coded.clear();
        let escapes_before = escapes.len();
        for &(passage, impact) in of_term {
            let code = encoder.code(impact);
            if code == ESCAPE {
                let numbers = [term, passage, impact.frequency];
                escapes.extend(numbers.map(u32::to_le_bytes).as_flattened());
            }
            coded.push((passage, code));
        }
        bytes.clear();
        let layout = encode(&coded, length_codes.len(), &mut bytes);
        let escaped = u64::from(escapes.len() > escapes_before) << ESCAPED_SHIFT;
        records.extend((coded.len() as u32).to_le_bytes());
        records.extend((at | escaped | (layout as u64) << LAYOUT_SHIFT).to_le_bytes());
        at += bytes.len() as u64;
        to.write_all(&bytes)
    })?;
    to.write_all(&escapes)?;
    to.write_all(&records)?;
    let mut tail = Vec::with_capacity(TAIL);
    for impact in &dictionary.impacts {
        tail.extend([impact.frequency, u32::from(impact.length_code)].map(u32::to_le_bytes).as_flattened());
    }
    tail.resize(TAIL - 8, 0);
    tail.extend((escapes.len() as u64 / 12).to_le_bytes());
    to.write_all(&tail)
}

/// Calls `visit` with the number and the postings of every term, in order.
fn for_each_term(
    terms: &InvertedIndexReader,
    length_codes: &[u8],
    mut visit: impl FnMut(u32, &[(u32, Impact)]) -> io::Result<()>,
) -> io::Result<()> {
    let mut stream = terms.terms().stream()?;
    let mut of_term = Vec::new();
    let (mut postings, mut number) = (None, 0);
    while stream.advance() {
        of_term.clear();
        let postings = match &mut postings {
            Some(postings) => {
                terms.reset_block_postings_from_terminfo(stream.value(), postings)?;
                postings
            }
            none => none.insert(
                terms.read_block_postings_from_terminfo(stream.value(), IndexRecordOption::WithFreqs)?,
            ),
        };
        while !postings.docs().is_empty() {
            for (&passage, &frequency) in postings.docs().iter().zip(postings.freqs()) {
                let length_code = length_codes[passage as usize];
                of_term.push((passage, Impact { frequency, length_code }));
            }
            postings.advance();
        }
        visit(number, &of_term)?;
        number += 1;
    }
    Ok(())
}
