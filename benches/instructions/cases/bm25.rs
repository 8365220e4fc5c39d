//! Searches 20,000 passages in one segment with four queries, one after another. The index is built once for all cases,
//! before valgrind starts.

use std::path::Path;

use control::Control;
use gungraun::{library_benchmark, library_benchmark_group};
use ranking::Hit;
use sparse::calibration::Scorer;
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};

use crate::data::{never_dropped, on_another_thread, words};

const PASSAGES: u64 = 20_000;
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/instructions-bm25");

/// Builds the index and merges its segments.
fn build() {
    let options = WriterOptions { overwrite: true, ..WriterOptions::default() };
    let writer = IndexWriter::create(Path::new(FOLDER), Analyzer::ENGLISH, options);
    let mut writer = writer.expect("a writable folder");
    for at in 0..PASSAGES {
        // 20 to 60 words. If all passages had the same length, there would be only a few different scores, and no
        // passage could be pruned.
        let length = 20 + at * 7919 % 41;
        writer.add(&at.to_string(), None, &words(length as usize, at)).expect("a new id");
    }
    writer.commit().expect("a commit");
    writer.merge().expect("one segment");
}

/// An index, four queries, the number of hits per query, and the scorer, which the planner would otherwise choose.
pub struct Queries {
    index: Bm25Index,
    scorer: Scorer,
    texts: [&'static str; 4],
    k: usize,
}

/// In each query, the first term is in 5% of the passages, and the others are in a few passages.
const RARE: [&str; 4] = [
    "word80 word3001 word7013 word19001",
    "word83 word2903 word6011 word18013",
    "word78 word3203 word8009 word17011",
    "word85 word2801 word9001 word16001",
];
/// Every term is in one sixth to one half of the passages.
const COMMON: [&str; 4] = [
    "word5 word9 word14 word20",
    "word6 word8 word15 word21",
    "word5 word10 word13 word22",
    "word7 word11 word12 word19",
];

fn queries(scorer: Scorer, texts: [&'static str; 4], k: usize) -> &'static Queries {
    let index = on_another_thread(|| Bm25Index::open(Path::new(FOLDER)).expect("built before"));
    let case = never_dropped(Queries { index, scorer, texts, k });
    // A first search, so that term lookups are cached and buffers are allocated before the counting starts.
    search(case);
    case
}

fn search(case: &Queries) -> Vec<Vec<Hit>> {
    let (searcher, control) = (case.index.searcher(), Control::new());
    let hits = |text| {
        searcher.search_with_scorer(case.scorer, text, case.k, Bm25::default(), &control).expect("hits")
    };
    case.texts.into_iter().map(hits).collect()
}

// The scorer that prunes most passages by upper bounds on their scores.
#[library_benchmark]
#[bench::rare_terms_10(queries(Scorer::UpperBounds, RARE, 10))]
#[bench::rare_terms_100(queries(Scorer::UpperBounds, RARE, 100))]
#[bench::common_terms_10(queries(Scorer::UpperBounds, COMMON, 10))]
#[bench::common_terms_100(queries(Scorer::UpperBounds, COMMON, 100))]
#[bench::common_terms_1000(queries(Scorer::UpperBounds, COMMON, 1000))]
fn upper_bounds(case: &Queries) -> Vec<Vec<Hit>> {
    search(case)
}

// The scorer that scores every posting.
#[library_benchmark]
#[bench::rare_terms_2000(queries(Scorer::Exhaustive, RARE, 2000))]
#[bench::common_terms_2000(queries(Scorer::Exhaustive, COMMON, 2000))]
fn exhaustive(case: &Queries) -> Vec<Vec<Hit>> {
    search(case)
}

library_benchmark_group!(name = sparse_search, setup = build(), benchmarks = [upper_bounds, exhaustive]);
