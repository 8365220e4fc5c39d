//! Opens, verifies, searches, changes and saves flat indexes of all storage formats.
#![no_main]

use std::path::Path;

use control::Control;
use dense::{Error, FlatIndex, OpenOptions, Put, Similarity, Storage};
use fuzz::{MAX_DIM, Random, Scratch, bits, check_hits, file_target, is_even};
use ranking::Hit;

fn seeds() -> Vec<Vec<u8>> {
    let scratch = Scratch::new();
    let path = scratch.path("seed");
    let mut seeds = Vec::new();
    for storage in [Storage::F32, Storage::F16, Storage::Int8Rescored] {
        for (similarity, dim, rows) in [
            (Similarity::Dot, 3, 40),
            (Similarity::Cosine, 70, 12),
            (Similarity::L2, 5, 70),
            (Similarity::Dot, 1, 0),
        ] {
            let metadata = "the caller's metadata".into();
            let mut index =
                FlatIndex::with_storage(dim, similarity, storage, metadata).expect("a dimension");
            let ids = (0..rows).map(|row| format!("p{row}")).collect();
            index.add(ids, &Random::new(1).vectors(rows * dim)).expect("valid rows");
            let deleted: &[&str] = if rows > 0 { &["p3", "p8"] } else { &[] };
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
    let mut index = FlatIndex::open(path)?;
    // Opening verifies neither vectors nor the error bounds of their codes. If they are corrupt, hits may be missing,
    // so fewer hits are accepted.
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
        return index.search(&vec![1.0; dim], 1, &control).map(drop);
    }
    // So many queries that, with few hits, the search of 30 rows or more uses their int8 codes.
    let queries = Random::new(2).vectors(6 * dim);
    let query = &queries[dim..2 * dim];
    for k in [0, 1, 5, usize::MAX] {
        let hits = index.search(query, k, &control)?;
        check_hits(&hits, count_of(k.min(live.len()), &hits), |ord| live.contains(ord));
        let hits = index.search_filtered(query, k, Some(&is_even), &control)?;
        let count = k.min(live.iter().filter(|&ord| is_even(ord)).count());
        check_hits(&hits, count_of(count, &hits), |ord| live.contains(ord) && is_even(ord));
    }
    let found = bits(&index.search(query, 3, &control)?);
    let many = index.search_many(&queries, 3, 1, &control)?;
    assert_eq!(found, bits(&many[1]), "single search and batch search differ");
    let copy = path.with_extension("copy");
    index.save(&copy)?;
    let reopened = FlatIndex::open(&copy)?;
    assert_eq!(found, bits(&reopened.search(query, 3, &control)?), "hits differ after saving and opening");
    let loaded = FlatIndex::open_with(&copy, OpenOptions { in_memory: true, verify: true })?;
    assert_eq!(found, bits(&loaded.search(query, 3, &control)?), "hits differ after reading into memory");

    // Adds two rows and deletes one of them. Then stages new versions of both rows, which searches must not find before
    // they are published, and publishes them. Finally stages two more rows and discards them.
    let more = Random::new(3).vectors(2 * dim);
    let ids = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    index.add(ids(["new", "newer"]), &more)?;
    index.delete(&["new"])?;
    index.check_rows(Put::Upsert, &["new", "newer"], &more)?;
    index.stage(Put::Upsert, ids(["new", "newer"]), &more)?;
    let hits = index.search(query, 3, &control)?;
    // The row "new" (ord `rows`) is deleted, and the row "newer" (ord `rows + 1`) can be found.
    check_hits(&hits, count_of(3.min(live.len() + 1), &hits), |ord| (ord as usize) <= rows + 1);
    index.publish();
    index.stage(Put::Add, ids(["discarded", "discarded too"]), &more)?;
    index.discard_staged();
    assert_eq!(index.live_len(), live.len() + 2);
    index.save(&copy)?;
    index.compact();
    let hits = index.search(query, usize::MAX, &control)?;
    check_hits(&hits, count_of(live.len() + 2, &hits), |ord| (ord as usize) < live.len() + 2);
    // Saving writes corrupt vectors and error bounds as they are, so the copy is intact exactly if the file was.
    assert_eq!(FlatIndex::open(&copy)?.verify().is_ok(), is_intact);
    Ok(())
}

file_target!(seeds, |path: &Path, _| drop(use_all(path)));
