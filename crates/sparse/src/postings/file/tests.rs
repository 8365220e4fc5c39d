//! Tests of the impact file, with a segment that has terms in every layout.

use std::sync::Arc;

use tantivy::index::SegmentReader;
use tantivy::schema::IndexRecordOption;
use tantivy::{Index, InvertedIndexReader, TantivyDocument};

use super::*;
use crate::Analyzer;
use crate::index::open::analyze_with;
use crate::index::schema::schema;
use crate::postings::builder::build;
use crate::postings::dictionary::{ABSENT, OVERFLOW};
use crate::postings::gaps16_cursor::Gaps16Cursor;
use crate::postings::plugin::read_fieldnorms;

const PASSAGES: u32 = 70_000;

/// Returns the text of a passage. Together, the texts have terms for every layout and more impacts than there are
/// codes.
fn text(passage: u32) -> String {
    let mut text = "all ".repeat(1 + passage as usize % 97);
    for (every, term) in [(3, "third "), (150, "seldom "), (3_000, "rare "), (69_999, "far ")] {
        if passage.is_multiple_of(every) {
            text.push_str(&term.repeat(1 + passage as usize % 5));
        }
    }
    text
}

/// Writes a segment with the texts of all passages. Returns its terms and its fieldnorms.
fn segment() -> (Arc<InvertedIndexReader>, OwnedBytes) {
    let (schema, fields) = schema();
    let index = Index::create_in_ram(schema);
    analyze_with(&index, Analyzer::WHITESPACE);
    let mut writer = index.writer_with_num_threads(1, 100_000_000).expect("an index in memory");
    for passage in 0..PASSAGES {
        let mut document = TantivyDocument::new();
        document.add_text(fields.contents, text(passage));
        writer.add_document(document).expect("a valid document");
    }
    writer.commit().expect("an index in memory");
    let segments = index.searchable_segments().expect("a commit");
    assert_eq!(segments.len(), 1);
    let reader = SegmentReader::open(&segments[0]).expect("an intact segment");
    let terms = reader.inverted_index(fields.contents).expect("an intact segment");
    (terms, read_fieldnorms(&reader, fields.contents).expect("an intact segment"))
}

/// Decodes postings into passages and their codes. If the postings are a bitmap, also checks its ranks.
fn decode(postings: Postings<'_>) -> Vec<(u32, u8)> {
    match postings {
        Postings::Gaps16(gaps) => {
            let mut cursor = Gaps16Cursor::new(gaps);
            std::iter::from_fn(|| cursor.next_before(u32::MAX)).collect()
        }
        Postings::Gaps8(gaps) => {
            let postings_of = |block: usize| {
                let mut passage = (block * BLOCK) as u32;
                gaps.block(block).iter().map(move |&[gap, code]| {
                    passage += u32::from(gap);
                    (passage, code)
                })
            };
            let all = (0..gaps.block_starts.len() - 1).flat_map(postings_of);
            all.filter(|&(_, code)| code != ABSENT).collect()
        }
        Postings::Bitmap(bitmap) => {
            let is_set = |passage: &u32| {
                u64::from_le_bytes(bitmap.words[*passage as usize / 64]) >> (passage % 64) & 1 == 1
            };
            let passages: Vec<u32> = (0..PASSAGES).filter(is_set).collect();
            for start in (0..PASSAGES as usize).step_by(RANK_INTERVAL) {
                let before = passages.partition_point(|&passage| (passage as usize) < start);
                assert_eq!(bitmap.rank(start), before);
            }
            passages.into_iter().zip(bitmap.codes.iter().copied()).collect()
        }
    }
}

#[test]
fn postings_in_each_layout_are_decoded_as_they_were_encoded_and_invalid_files_are_rejected() {
    let (terms, fieldnorms) = segment();
    let mut bytes = Vec::new();
    build(&terms, &fieldnorms, &mut bytes).expect("writing to a vector cannot fail");
    let term_count = terms.terms().num_terms() as u64;
    let open =
        |bytes: &[u8], passages, terms| ImpactFile::open(OwnedBytes::new(bytes.to_vec()), passages, terms);
    let impacts = open(&bytes, PASSAGES as usize, term_count).expect("an intact file");
    assert!(impacts.dictionary.impacts.len() == MAX_IMPACTS);
    let mut stream = terms.terms().stream().expect("intact terms");
    // `layouts` counts the terms of each layout, `overflowed` the postings whose impacts have no code.
    let (mut term_ord, mut layouts, mut overflowed) = (0, [0; 3], 0);
    while stream.advance() {
        let mut expected = Vec::new();
        let postings = terms.read_block_postings_from_terminfo(stream.value(), IndexRecordOption::WithFreqs);
        let mut postings = postings.expect("intact postings");
        while !postings.docs().is_empty() {
            expected.extend(postings.docs().iter().copied().zip(postings.freqs().iter().copied()));
            postings.advance();
        }
        let term = impacts.term(term_ord);
        assert_eq!(term.doc_freq as usize, expected.len());
        let got: Vec<(u32, u32)> = decode(term.postings)
            .into_iter()
            .map(|(passage, code)| {
                if code == OVERFLOW {
                    overflowed += 1;
                    return (passage, term.overflow.frequency(passage));
                }
                let impact = impacts.dictionary.impacts[usize::from(code) - 1];
                assert_eq!(impact.fieldnorm, fieldnorms[passage as usize]);
                (passage, impact.frequency)
            })
            .collect();
        assert!(got == expected, "term {term_ord}");
        match term.postings {
            Postings::Gaps16(_) => layouts[0] += 1,
            Postings::Gaps8(_) => layouts[1] += 1,
            Postings::Bitmap(_) => layouts[2] += 1,
        }
        term_ord += 1;
    }
    // 16-bit gaps: "rare" and "far" (passages 0 and 69,999, with a bridging entry); 8-bit gaps: "seldom"; bitmaps:
    // "all" and "third".
    assert_eq!((layouts, overflowed > 0), ([2, 1, 2], true));

    // Files are rejected if the number of passages or terms is wrong, if they are truncated, or if they have another
    // version.
    assert!(open(&bytes, PASSAGES as usize - 1, term_count).is_err());
    assert!(open(&bytes, PASSAGES as usize, term_count + 1).is_err());
    assert!(open(&bytes[..HEADER_BYTES + FOOTER_BYTES - 1], PASSAGES as usize, term_count).is_err());
    // The lowest byte of the version.
    bytes[8] += 1;
    let error = open(&bytes, PASSAGES as usize, term_count).expect_err("another version");
    assert!(error.starts_with("version 3"), "{error}");
}
