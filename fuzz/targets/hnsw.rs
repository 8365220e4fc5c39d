//! Opens, verifies, searches, changes and saves HNSW indexes.
#![no_main]

use std::path::Path;

use control::Control;
use dense::{Error, FlatIndex, HnswIndex, HnswOptions, InnerProduct, Layout, OpenOptions, Put, Similarity};
use fuzz::{MAX_DIM, Random, Scratch, bits, check_hits, file_target, is_even};
use ranking::Hit;

fn seeds() -> Vec<Vec<u8>> {
    let scratch = Scratch::new();
    let path = scratch.path("seed");
    let mut seeds = Vec::new();
    for (similarity, inner_product) in [
        (Similarity::Dot, InnerProduct::Graph),
        (Similarity::Dot, InnerProduct::AugmentedL2),
        (Similarity::Cosine, InnerProduct::Graph),
        (Similarity::L2, InnerProduct::Graph),
    ] {
        for (dim, rows, m, layout) in [
            (3, 90, 2, Layout::Fast),
            (70, 36, 9, Layout::Fast),
            (130, 40, 2, Layout::Fast),
            (130, 40, 2, Layout::Compact),
            (2, 0, 2, Layout::Fast),
        ] {
            let mut flat = FlatIndex::new(dim, similarity, "mine".into()).expect("a dimension");
            let ids = (0..rows).map(|row| format!("p{row}")).collect();
            flat.add(ids, &Random::new(1).vectors(rows * dim)).expect("valid rows");
            let options =
                HnswOptions { m, ef_construction: 4, inner_product, layout, ..HnswOptions::default() };
            let mut index = HnswIndex::from_flat(flat, options, 1, &Control::new()).expect("valid options");
            let deleted: &[&str] = if rows > 0 { &["p3"] } else { &[] };
            index.delete(deleted).expect("existing ids");
            index.save(&path).expect("writable");
            seeds.push(std::fs::read(&path).expect("readable"));
        }
    }
    seeds
}

/// Every call may fail with a typed error, but results that are returned must be correct.
fn use_all(path: &Path) -> Result<(), Error> {
    let control = Control::new();
    let mut index = HnswIndex::open(path)?;
    // Opening does not verify vectors. If they are corrupt, hits may be missing, so fewer hits are accepted.
    let is_intact = index.verify().is_ok();
    let count_of = |wanted: usize, got: &[Hit]| if is_intact { wanted } else { got.len().min(wanted) };
    // `live` is the set of rows that are not deleted.
    let (dim, rows, live) = (index.dim(), index.len(), index.live());
    assert!(index.live_len() == live.len() && live.len() <= rows);
    for ord in 0..rows as u32 {
        assert!(!index.id(ord).is_empty() && index.vector(ord).len() == dim);
        if live.contains(ord) {
            assert_eq!(index.ord(index.id(ord)), Some(ord));
        }
    }
    if dim > MAX_DIM {
        return index.search(&vec![1.0; dim], 1, 1, &control).map(drop);
    }
    let queries = Random::new(2).vectors(5 * dim);
    let query = &queries[dim..2 * dim];
    // If there are enough rows, searches with small `k` and `ef` use the graph.
    for (k, ef) in [(0, 1), (1, 1), (2, 3), (5, 5), (usize::MAX, 1)] {
        let hits = index.search(query, k, ef, &control)?;
        check_hits(&hits, count_of(k.min(live.len()), &hits), |ord| live.contains(ord));
        let hits = index.search_filtered(query, k, ef, Some(&is_even), &control)?;
        let count = k.min(live.iter().filter(|&ord| is_even(ord)).count());
        check_hits(&hits, count_of(count, &hits), |ord| live.contains(ord) && is_even(ord));
    }
    let found = bits(&index.search(query, 2, 2, &control)?);
    let many = index.search_many(&queries, 2, 2, 1, &control)?;
    assert_eq!(found, bits(&many[1]), "single search and batch search differ");
    // If there are enough rows, large batches (here, of 65 queries) use a brute-force scan over the quantized codes.
    let many = index.search_many(&queries.repeat(13), 2, 2, 1, &control)?;
    for hits in &many {
        check_hits(hits, count_of(2.min(live.len()), hits), |ord| live.contains(ord));
    }
    let copy = path.with_extension("copy");
    index.save(&copy)?;
    let reopened = HnswIndex::open(&copy)?;
    assert_eq!(found, bits(&reopened.search(query, 2, 2, &control)?), "hits differ after saving and opening");
    let loaded = HnswIndex::open_with(&copy, OpenOptions { in_memory: true, verify: true })?;
    assert_eq!(found, bits(&loaded.search(query, 2, 2, &control)?), "hits differ after reading into memory");

    // Adds two rows and deletes one of them. Then stages new versions of both rows, which searches must not find before
    // they are published, and publishes them. Finally stages two more rows and discards them.
    let more = Random::new(3).vectors(2 * dim);
    let ids = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    index.add(ids(["new", "newer"]), &more, 1, &control)?;
    index.delete(&["new"])?;
    index.stage(Put::Upsert, ids(["new", "newer"]), &more, 1, &control)?;
    let hits = index.search(query, 3, 3, &control)?;
    check_hits(&hits, count_of(3.min(live.len() + 1), &hits), |ord| (ord as usize) <= rows + 1);
    index.publish();
    index.stage(Put::Add, ids(["discarded", "discarded too"]), &more, 1, &control)?;
    index.discard_staged();
    assert_eq!(index.live_len(), live.len() + 2);
    index.save(&copy)?;
    assert_eq!(HnswIndex::open(&copy)?.verify().is_ok(), is_intact);
    index.compact(1, &control)?;
    for (k, ef) in [(2, 2), (usize::MAX, 1)] {
        let hits = index.search(query, k, ef, &control)?;
        check_hits(&hits, count_of(k.min(live.len() + 2), &hits), |ord| (ord as usize) < live.len() + 2);
    }
    Ok(())
}

file_target!(seeds, |path: &Path, _| drop(use_all(path)));
