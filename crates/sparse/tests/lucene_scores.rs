//! The top hits have the same scores, bit for bit, and the same order as those of Lucene 10.6 with
//! `BM25Similarity(0.9, 0.4)` (k1, b), for the encyclopedia in `examples/` and, on machines that have them, for five
//! other collections.

mod lucene;

use std::path::Path;

use control::Control;
use lucene::{Collection, collections};
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, Searcher, WriterOptions};

#[test]
fn rankings_and_scores_equal_those_of_lucene() {
    for collection in collections() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // The statistics, and the order of equal scores, must not depend on the segments.
        let mut writer = write_in_three_commits(folder.path(), &collection);
        let index = Bm25Index::open(folder.path()).expect("an intact index");
        assert_eq!(index.searcher().segments(), 3);
        assert_same_rankings(&collection, &index.searcher());
        writer.merge().expect("a merge");
        index.reload().expect("an intact index");
        assert_eq!(index.searcher().segments(), 1);
        assert_same_rankings(&collection, &index.searcher());
    }
}

/// Creates an index of a collection with three commits, and so with three segments. Returns its writer.
fn write_in_three_commits(folder: &Path, collection: &Collection) -> IndexWriter {
    let mut writer =
        IndexWriter::create(folder, Analyzer::ENGLISH, WriterOptions::default()).expect("an empty folder");
    let segment_size = collection.passages.len() / 3 + 1;
    for passages in collection.passages.chunks(segment_size) {
        for (id, text) in passages {
            writer.add(id, None, text).expect("a new id");
        }
        writer.commit().expect("a commit");
    }
    writer
}

/// Checks that every query has the same hits and scores as in Lucene's run.
fn assert_same_rankings(collection: &Collection, searcher: &Searcher) {
    let (name, control) = (collection.name, Control::new());
    let expected = collection.run();
    let (queries, without_hits): (Vec<_>, Vec<_>) =
        collection.queries.iter().partition(|(id, _)| expected.contains_key(id));
    assert_eq!(queries.len(), expected.len(), "{name}");
    if collection.has_all_queries {
        for (_, text) in without_hits {
            assert_eq!(searcher.search(text, 1000, Bm25::default(), &control).expect("hits"), []);
        }
    }
    let texts: Vec<&str> = queries.iter().map(|(_, text)| text.as_str()).collect();
    let all_hits =
        searcher.search_many(&texts, collection.depth, Bm25::default(), 2, &control).expect("hits");
    let (mut hit_count, mut differing) = (0, 0);
    for ((query, _), hits) in queries.iter().zip(&all_hits) {
        let ids = searcher.ids(hits).expect("ids");
        let expected = &expected[query];
        assert_eq!(hits.len(), expected.len(), "{name}: hits of {query}");
        hit_count += hits.len();
        let is_same =
            |at: usize| ids[at] == expected[at].0 && hits[at].score.to_bits() == expected[at].1.to_bits();
        if let Some(at) = (0..hits.len()).find(|&at| !is_same(at)) {
            eprintln!(
                "{name} {query} rank {}: {} {}, Lucene {:?}",
                at + 1,
                ids[at],
                hits[at].score,
                expected[at]
            );
            differing += 1;
        }
    }
    assert!(hit_count > 0, "{name}");
    assert_eq!(differing, 0, "{name}: rankings that differ from Lucene's, of {}", all_hits.len());
}
