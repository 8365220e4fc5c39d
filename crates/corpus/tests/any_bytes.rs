//! The readers of all formats handle files of arbitrary bytes without a panic or an endless loop.

use std::path::Path;

use corpus::{
    Error, PassageFormat, QuestionFormat, ReadOptions, SplitOptions, TrainingReadOptions, open_passages,
    open_questions, open_results, open_training, read_qrels, read_run,
};
use proptest::prelude::*;

/// Reads a file in every format, and checks that no reader is in an endless loop. A reader must return at most one item
/// per byte of the file and one error. For passages, which may overlap, it may return twice as many items. The gzip
/// files of these tests are too short to be compressed much, so the same limits hold for them.
fn read_in_every_way(path: &Path) {
    let bytes = std::fs::metadata(path).expect("present").len() as usize;
    for skip_bad_lines in [false, true] {
        for split in [None, Some(SplitOptions { words: 2, overlap: 1, wrap: true })] {
            let options = ReadOptions { split, skip_bad_lines, ..ReadOptions::default() };
            for &format in PassageFormat::ALL {
                if let Ok(reader) = open_passages(path, format, &options) {
                    let items: Vec<_> = reader.take(bytes * 2 + 2).collect();
                    assert!(items.len() <= bytes * 2 + 1, "{format}: too many passages for the file");
                    // Skipped lines are not returned, and a reader that does not skip them ends at the first one.
                    let bad_lines =
                        items.iter().filter(|item| matches!(item, Err(Error::Line { .. }))).count();
                    assert!(bad_lines <= usize::from(!skip_bad_lines), "{format}");
                }
            }
            for &format in QuestionFormat::ALL {
                if let Ok(reader) = open_questions(path, format, &options) {
                    assert!(
                        reader.take(bytes + 2).count() <= bytes + 1,
                        "{format}: too many questions for the file"
                    );
                }
            }
        }
        let options = TrainingReadOptions { skip_bad_lines, ..TrainingReadOptions::default() };
        let _ =
            open_training(path, &options).map(|reader| assert!(reader.take(bytes + 2).count() <= bytes + 1));
    }
    let _ = open_results(path).map(|reader| assert!(reader.take(bytes + 2).count() <= bytes + 1));
    let _ = (read_run(path), read_qrels(path));
}

/// Writes a file with this content and reads it in every format.
fn check(content: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file.md");
    std::fs::write(&path, content).expect("writable");
    read_in_every_way(&path);
}

/// Pieces of files of every format, which the tests join in random order.
const PIECES: &[&[u8]] = &[
    b"{", b"}", b"[", b"]", b"\"", b",", b":", b"\n", b"\r\n", b"\t", b" ", b"\\", b"\xff", b"\xef\xbb\xbf", b"\x1f\x8b",
    b"id\ttext\ttitle\n", b"1\t\"a\"\"b\"\tT\n", b"who?\t['a', \"b\"]\n", b"{\"_id\": \"1\", \"text\": \"a\"}\n",
    b"{\"id\": 1, \"contents\": \"a\"}\n", b"{\"question\": \"a\", \"answer\": [\"b\"]}\n", b"{\"data\": [",
    b"{\"title\": \"T\", \"paragraphs\": [", b"{\"context\": \"a b c\", \"qas\": [", b"]}", b"{\"7\": {\"QUESTION\": \"a\", \"CONTEXTS\": []}}",
    b"<top>\n<num> Number: 1\n<title> a\n</top>\n", b"1 Q0 a 1 1.5 t\n", b"1 0 a 1\n", b"query-id\tcorpus-id\tscore\n",
    b"# Title\n", b"---\n", b"```\n", b"\0", b"null", b"1e999",
    b"{\"question\": \"q\", \"positive_ctxs\": [{\"text\": \"t\"}], \"ctxs\": [{\"id\": \"1\", \"score\": \"2\"}]}",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_read_or_refused(content in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&content);
    }

    #[test]
    fn pieces_of_every_format_in_any_order_are_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..20),
    ) {
        check(&pieces.concat());
    }

    #[test]
    fn truncated_and_changed_gzip_data_are_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..20), at in any::<prop::sample::Index>(), bit in 0u8..9,
    ) {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&pieces.concat()).expect("memory is writable");
        let mut content = encoder.finish().expect("memory is writable");
        let at = at.index(content.len());
        // Bit 8 stands for truncation.
        if bit == 8 { content.truncate(at) } else { content[at] ^= 1 << bit }
        check(&content);
    }
}
