//! The top 1,000 hits have the same scores, bit for bit, and the same order as Lucene 10.6's `BM25Similarity(0.9, 0.4)`.

mod lucene;

use control::Control;
use lucene::{COLLECTIONS, Collection, shared};
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};

#[test]
fn rankings_and_scores_are_lucenes() {
    let Some(shared) = shared() else { return };
    let control = Control::new();
    for name in COLLECTIONS {
        let collection = Collection::read(&shared, name);
        let expected = lucene::run(&shared, name);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::ENGLISH, WriterOptions::default())
            .expect("an empty folder");
        // Several segments: statistics and ties must not depend on them.
        let third = collection.passages.len() / 3 + 1;
        for passages in collection.passages.chunks(third) {
            for (id, text) in passages {
                writer.add(id, None, text).expect("a new id");
            }
            writer.commit().expect("a commit");
        }
        let index = Bm25Index::open(folder.path()).expect("an intact index");
        for merged in [false, true] {
            let searcher = index.searcher();
            assert_eq!(searcher.segments(), if merged { 1 } else { 3 });
            let queries: Vec<_> =
                collection.queries.iter().filter(|(id, _)| expected.contains_key(id)).collect();
            assert_eq!(queries.len(), expected.len(), "{name}");
            if name != "squad" {
                // Of squad, Lucene ran some queries; of the others all, and these had no hits.
                for (_, text) in collection.queries.iter().filter(|(id, _)| !expected.contains_key(id)) {
                    assert_eq!(searcher.search(text, 1000, Bm25::default(), &control).expect("hits"), []);
                }
            }
            let texts: Vec<&str> = queries.iter().map(|(_, text)| text.as_str()).collect();
            let runs = searcher.search_many(&texts, 1000, Bm25::default(), 2, &control).expect("hits");
            let (mut rows, mut same_rows, mut same_rankings) = (0, 0, 0);
            for ((query, _), hits) in queries.iter().zip(&runs) {
                let ids = searcher.ids(hits).expect("ids");
                let expected = &expected[query];
                assert_eq!(hits.len(), expected.len(), "{name}: hits of {query}");
                let same = (0..hits.len())
                    .filter(|&at| {
                        ids[at] == expected[at].0 && hits[at].score.to_bits() == expected[at].1.to_bits()
                    })
                    .count();
                rows += hits.len();
                same_rows += same;
                same_rankings += usize::from(same == hits.len());
                if let Some(at) = (0..hits.len()).find(|&at| {
                    ids[at] != expected[at].0 || hits[at].score.to_bits() != expected[at].1.to_bits()
                }) {
                    eprintln!(
                        "{name} {query} rank {}: {} {}, Lucene {:?}",
                        at + 1,
                        ids[at],
                        hits[at].score,
                        expected[at]
                    );
                }
            }
            eprintln!("{name}: {same_rankings} of {} rankings, {same_rows} of {rows} rows", runs.len());
            if !merged {
                assert!(rows > 0);
                writer.merge().expect("a merge");
                index.reload().expect("an intact index");
            }
            assert_eq!((same_rankings, same_rows), (runs.len(), rows), "{name}");
        }
    }
}
