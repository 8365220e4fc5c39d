//! Tests of the impact file, with segments that have terms in every layout.

use std::io;
use std::ops::Range;

use tantivy::fieldnorm::FieldNormReader;

use super::*;
use crate::Analyzer;
use crate::index::corruption::catch_read_panic;
use crate::postings::collector::PostingsCollector;
use crate::postings::decode::DecodedPostings;
use crate::postings::dictionary::{ABSENT, OVERFLOW};
use crate::postings::gaps16_cursor::Gaps16Cursor;
use crate::postings::merge::{MergeSource, merge};

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

/// Returns the content of an impact file with the texts of all passages.
fn content() -> Vec<u8> {
    let mut collector = PostingsCollector::new(Analyzer::WHITESPACE);
    (0..PASSAGES).for_each(|passage| collector.add(&text(passage)));
    let mut bytes = Vec::new();
    collector.write(&mut bytes).expect("writing to a vector cannot fail");
    bytes
}

/// Decodes postings into passages and their codes. If the postings are a bitmap, also checks its ranks.
fn decode(postings: Postings<'_>) -> Vec<(u32, u8)> {
    match postings {
        Postings::Gaps16(gaps) => {
            let mut cursor = Gaps16Cursor::new(gaps);
            let mut postings = Vec::new();
            for end in [BLOCK as u32, u32::MAX] {
                cursor.for_each_before(end, |passage, code| postings.push((passage, code)));
            }
            postings
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
    let mut bytes = content();
    let open = |bytes: &[u8], passages| ImpactFile::open(OwnedBytes::new(bytes.to_vec()), passages);
    let impacts = open(&bytes, PASSAGES as usize).expect("an intact file");
    assert!(impacts.dictionary.impacts.len() == MAX_IMPACTS);
    let count =
        |passage: u32, term: &str| text(passage).split(' ').filter(|word| *word == term).count() as u32;
    let length = |passage: u32| text(passage).split_whitespace().count() as u32;
    for passage in (0..PASSAGES).step_by(7) {
        let fieldnorm = FieldNormReader::fieldnorm_to_id(length(passage));
        assert_eq!(impacts.fieldnorms()[passage as usize], fieldnorm);
    }
    let tokens: u64 = (0..PASSAGES).map(|passage| u64::from(length(passage))).sum();
    assert_eq!((impacts.tokens, impacts.with_tokens), (tokens, u64::from(PASSAGES)));
    // `layouts` counts the terms of each layout, `overflowed` the postings whose impacts have no code.
    let (mut layouts, mut overflowed, mut decoded) = ([0; 3], 0, DecodedPostings::default());
    for (term, expected_ord) in ["all", "far", "rare", "seldom", "third"].into_iter().zip(0..) {
        let term_ord = impacts.term_ord(term).expect("an intact file").expect("a term");
        assert_eq!(term_ord, expected_ord);
        let expected: Vec<(u32, u32)> = (0..PASSAGES)
            .map(|passage| (passage, count(passage, term)))
            .filter(|&(_, frequency)| frequency > 0)
            .collect();
        let postings = impacts.term(term_ord);
        assert_eq!(postings.doc_freq as usize, expected.len());
        let coded = decode(postings.postings);
        let got: Vec<(u32, u32)> = coded
            .iter()
            .map(|&(passage, code)| {
                if code == OVERFLOW {
                    overflowed += 1;
                    return (passage, postings.overflow.frequency(passage));
                }
                let impact = impacts.dictionary.impacts[usize::from(code) - 1];
                assert_eq!(impact.fieldnorm, impacts.fieldnorms()[passage as usize]);
                (passage, impact.frequency)
            })
            .collect();
        assert!(got == expected, "term {term}");
        decoded.read(&impacts, term_ord).expect("valid postings");
        assert!(decoded.doc_ids.iter().copied().zip(decoded.codes.iter().copied()).eq(coded));
        for passage in (0..PASSAGES).step_by(997) {
            assert_eq!(postings.frequency(&impacts.dictionary, passage), count(passage, term));
        }
        match postings.postings {
            Postings::Gaps16(_) => layouts[0] += 1,
            Postings::Gaps8(_) => layouts[1] += 1,
            Postings::Bitmap(_) => layouts[2] += 1,
        }
    }
    // 16-bit gaps: "rare" and "far" (passages 0 and 69,999, with a bridging entry); 8-bit gaps: "seldom"; bitmaps:
    // "all" and "third".
    assert_eq!((layouts, overflowed > 0), ([2, 1, 2], true));
    assert_eq!(impacts.term_ord("thirds"), Ok(None));

    // Files are rejected if the number of passages is wrong, if they are truncated, or if they have another version.
    assert!(open(&bytes, PASSAGES as usize - 1).is_err());
    assert!(open(&bytes[..HEADER_BYTES + FOOTER_BYTES - 1], PASSAGES as usize).is_err());
    // The lowest byte of the version.
    bytes[8] += 1;
    let error = open(&bytes, PASSAGES as usize).err().expect("another version");
    assert!(error.contains("version 4"), "{error}");
}

#[test]
fn merged_segments_are_the_same_as_one_segment_with_the_same_passages() {
    // The passages of the segments, and whether some of them are deleted.
    for (ranges, deletes) in
        [(vec![0..40_000, 40_000..PASSAGES], false), (vec![0..5, 5..6, 6..6, 6..30_000], true)]
    {
        let is_alive = |passage: u32| !deletes || !(passage.is_multiple_of(3_000) || passage % 7 == 1);
        let segment = |passages: Range<u32>| {
            let mut collector = PostingsCollector::new(Analyzer::WHITESPACE);
            passages.clone().for_each(|passage| collector.add(&text(passage)));
            let mut bytes = Vec::new();
            collector.write(&mut bytes).expect("writing to a vector cannot fail");
            let file = ImpactFile::open(OwnedBytes::new(bytes), passages.len()).expect("an intact file");
            let alive = deletes.then(|| {
                passages
                    .clone()
                    .filter(|&passage| is_alive(passage))
                    .map(|passage| passage - passages.start)
                    .collect()
            });
            MergeSource { file, alive }
        };
        let sources: Vec<MergeSource> = ranges.iter().cloned().map(segment).collect();
        let mut merged = Vec::new();
        merge(sources, &mut merged).expect("intact sources");
        let mut collector = PostingsCollector::new(Analyzer::WHITESPACE);
        let all = ranges.iter().cloned().flatten().filter(|&passage| is_alive(passage));
        all.for_each(|passage| collector.add(&text(passage)));
        let mut expected = Vec::new();
        collector.write(&mut expected).expect("writing to a vector cannot fail");
        assert!(merged == expected);
    }
}

/// Returns the content of a file with these texts.
fn content_of(texts: &[&str]) -> Vec<u8> {
    let mut collector = PostingsCollector::new(Analyzer::WHITESPACE);
    texts.iter().for_each(|text| collector.add(text));
    let mut bytes = Vec::new();
    collector.write(&mut bytes).expect("writing to a vector cannot fail");
    bytes
}

#[test]
fn segments_may_have_passages_without_tokens_and_no_terms() {
    let open = |texts: &[&str]| {
        ImpactFile::open(OwnedBytes::new(content_of(texts)), texts.len()).expect("an intact file")
    };
    let empty = open(&["", " ", ""]);
    assert_eq!((empty.tokens, empty.with_tokens, empty.term_count()), (0, 0, 0));
    assert_eq!(empty.term_ord("a"), Ok(None));
    assert_eq!(open(&["a", "", "b a"]).with_tokens, 2);
    let sources = vec![
        MergeSource { file: empty, alive: None },
        MergeSource { file: open(&["a", "c", "b a"]), alive: Some(vec![0, 2]) },
        MergeSource { file: open(&["d"]), alive: Some(vec![]) },
        MergeSource { file: open(&[]), alive: None },
        MergeSource { file: open(&["b", ""]), alive: None },
    ];
    let mut merged = Vec::new();
    merge(sources, &mut merged).expect("intact sources");
    assert!(merged == content_of(&["", "", "", "a", "b a", "b", ""]));
}

#[test]
fn merging_a_file_with_any_changed_byte_succeeds_or_reports_invalid_data() {
    // A term in each layout, and a term with overflow entries.
    let texts: Vec<String> = (0..700u32)
        .map(|passage| {
            let mut text = "all ".repeat(1 + passage as usize % 40);
            for (every, term) in [(5, "fifth "), (20, "seldom "), (699, "far ")] {
                if passage.is_multiple_of(every) {
                    text.push_str(term);
                }
            }
            text
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let bytes = content_of(&texts);
    let mut rejected = 0;
    for at in 0..bytes.len() {
        for value in [0, 1, 0xff, bytes[at] ^ 1, bytes[at] ^ 0x80] {
            let mut changed = bytes.clone();
            changed[at] = value;
            let opened = catch_read_panic(|| Ok(ImpactFile::open(OwnedBytes::new(changed), texts.len())));
            let Ok(Ok(file)) = opened else {
                rejected += 1;
                continue;
            };
            if let Err(error) = merge(vec![MergeSource { file, alive: None }], &mut Vec::new()) {
                let kind = error.kind();
                assert!([io::ErrorKind::InvalidData, io::ErrorKind::Other].contains(&kind), "{at}: {error}");
                rejected += 1;
            }
        }
    }
    assert!(rejected > 1_000, "{rejected}");
}
