//! Tests of corrupt files of flat and HNSW indexes: they are rejected, or used without a panic or an endless loop.

mod common;

use std::path::Path;

use common::{SIMILARITIES, ids, uniform};
use control::Control;
use dense::{Error, FlatIndex, HnswIndex, HnswOptions, InnerProduct, OpenOptions, Similarity};
use proptest::prelude::*;
use ranking::Hit;
use serde_json::{Value, json};
use storage::{File, FileKind, Writer};

const DIM: usize = 3;
const ROWS: usize = 120;
const FLAT: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };
const HNSW: FileKind = FileKind { magic: *b"PKHNSW\0\0", version: 4, name: "HNSW index" };
/// All sections that files of flat and HNSW indexes may have.
const SECTIONS: [&str; 12] = [
    "vectors",
    "ids",
    "id_ends",
    "deleted",
    "offsets",
    "ground",
    "upper",
    "codes",
    "scales",
    "signs",
    "biases",
    "squared_lengths",
];
/// The keys whose values are numbers, in the metadata of these files.
const NUMBER_KEYS: [&str; 6] = ["dim", "rows", "m", "efConstruction", "entry", "seed"];

/// Saves an index with two deleted rows: an HNSW index if `is_hnsw` is true, otherwise a flat index. Returns the kind
/// of the file.
fn save(path: &Path, is_hnsw: bool, similarity: Similarity) -> FileKind {
    save_dim(path, is_hnsw, similarity, DIM)
}

/// Does the same as [`save`], with vectors of dimension `dim`.
fn save_dim(path: &Path, is_hnsw: bool, similarity: Similarity, dim: usize) -> FileKind {
    let vectors = uniform(ROWS, dim, 1);
    let control = Control::new();
    let mut flat = FlatIndex::new(dim, similarity, json!("mine")).expect("a dimension");
    flat.add(ids(0..ROWS), &vectors).expect("valid rows");
    if !is_hnsw {
        flat.delete(&["p3", "p64"]).expect("stored ids");
        flat.save(path).expect("writable");
        return FLAT;
    }
    let inner_product = InnerProduct::AugmentedL2;
    let options = HnswOptions { m: 2, ef_construction: 4, inner_product, ..HnswOptions::default() };
    let mut index = HnswIndex::from_flat(flat, options, 1, &control).expect("valid options");
    index.delete(&["p3", "p64"]).expect("stored ids");
    index.save(path).expect("writable");
    HNSW
}

/// Opens an index, reads it, searches it, adds and deletes rows, and saves it. Returns the hits of one query.
fn use_all(path: &Path, is_hnsw: bool) -> Result<Vec<Hit>, Error> {
    let control = Control::new();
    let two_rows = |dim: usize| uniform(2, dim, 2);
    if is_hnsw {
        let mut index = HnswIndex::open(path)?;
        let dim = index.dim();
        let hits = index.search(&two_rows(dim)[..dim], 5, 5, &control)?;
        let is_even = |ord: u32| ord.is_multiple_of(2);
        index.search_filtered(&two_rows(dim)[..dim], 3, 1, Some(&is_even), &control)?;
        let _: Vec<_> =
            (0..index.len() as u32).map(|ord| index.id(ord).len() + index.vector(ord).len()).collect();
        let id = index.ord("p5").map(|ord| index.id(ord).to_owned());
        assert!(id.is_none_or(|id| id == "p5"));
        index.add(vec!["new".to_owned(), "newer".to_owned()], &two_rows(dim), 1, &control)?;
        index.delete(&["new"])?;
        index.save(&path.with_extension("again"))?;
        Ok(hits)
    } else {
        let mut index = FlatIndex::open(path)?;
        let dim = index.dim();
        let hits = index.search(&two_rows(dim)[..dim], 5, &control)?;
        let _: Vec<_> =
            (0..index.len() as u32).map(|ord| index.id(ord).len() + index.vector(ord).len()).collect();
        index.add(vec!["new".to_owned(), "newer".to_owned()], &two_rows(dim))?;
        index.delete(&["new"])?;
        index.save(&path.with_extension("again"))?;
        Ok(hits)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_and_truncated_files_are_rejected_or_change_no_hit(
        is_hnsw in any::<bool>(),
        at in any::<prop::sample::Index>(),
        bit in 0u8..8,
        truncate in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        save(&path, is_hnsw, Similarity::Dot);
        let expected = use_all(&path, is_hnsw).expect("valid");
        let mut bytes = std::fs::read(&path).expect("readable");
        let at = at.index(bytes.len());
        if truncate { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        std::fs::write(&path, &bytes).expect("writable");
        if let Ok(hits) = use_all(&path, is_hnsw) {
            prop_assert_eq!(hits, expected);
        }
    }

    /// The content is wrong, but the checksums match it, as in a file written by an attacker or by a program with a
    /// bug.
    #[test]
    fn no_content_makes_an_index_panic_or_search_forever(
        is_hnsw in any::<bool>(),
        similarity in prop::sample::select(SIMILARITIES.to_vec()),
        // Rows of dimension 130 have sketches.
        dim in prop::sample::select(vec![DIM, 130]),
        // Section, position and new value of a 4-byte number.
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(),
             prop_oneof![any::<u32>(), 0u32..130, Just(f32::NAN.to_bits()), Just(f32::INFINITY.to_bits())]),
            1..4),
        // A key in the metadata (its position in `NUMBER_KEYS`), and its new value.
        number in prop::option::of((0..NUMBER_KEYS.len(), prop_oneof![any::<u64>(), 0u64..200])),
        // A section, and the number of bytes removed from its end.
        truncated in prop::option::of((any::<prop::sample::Index>(), 1usize..20)),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        let kind = save_dim(&path, is_hnsw, similarity, dim);
        let file = File::open(&path, kind).expect("valid");
        let mut sections: Vec<(&str, Vec<u8>)> = SECTIONS.into_iter()
            .filter_map(|name| Some((name, file.section(name).ok()?.to_vec()))).collect();
        for (section, at, value) in changes {
            let at_section = section.index(sections.len());
            let words = &mut sections[at_section].1;
            if words.len() >= 4 {
                let at = at.index(words.len() / 4) * 4;
                words[at..at + 4].copy_from_slice(&value.to_le_bytes());
            }
        }
        if let Some((section, num_removed)) = truncated {
            let at_section = section.index(sections.len());
            let bytes = &mut sections[at_section].1;
            bytes.truncate(bytes.len().saturating_sub(num_removed));
        }
        let mut metadata = file.metadata().clone();
        if let Some((key, value)) = number {
            metadata[NUMBER_KEYS[key]] = json!(value);
        }
        rewrite(&path, kind, &sections, metadata);
        // Any error is fine, and so are any hits.
        if let Ok(hits) = use_all(&path, is_hnsw) {
            prop_assert!(hits.iter().all(|hit| !hit.score.is_nan()));
        }
    }
}

/// Writes a file with these sections, this metadata and valid checksums.
fn rewrite(path: &Path, kind: FileKind, sections: &[(&str, Vec<u8>)], metadata: Value) {
    let mut writer = Writer::create(path, kind).expect("writable");
    for (name, bytes) in sections {
        writer.section(name, bytes).expect("writable");
    }
    writer.finish(metadata).expect("writable");
}

#[test]
fn errors_name_the_part_of_a_file_that_is_invalid() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    // Section, position (in numbers of 4 bytes), new number, and a part of the message.
    let too_large = u32::MAX - 1;
    let cases: [(&str, usize, u32, &str); 7] = [
        ("offsets", 0, 1, "offsets from 0"),
        ("offsets", 5, too_large, "layers above layer 0"),
        ("ground", 0, ROWS as u32, "neighbors of row 0 that are rows of layer 0, got row 120"),
        ("id_ends", 0, 0, "the end of id 0 between 0 and"),
        // The upper half of the first u64.
        ("id_ends", 1, 1, "the end of id 0 between 0 and"),
        // Bit 30 of the fourth number is the bit of row 126.
        ("deleted", 3, 1 << 30, "deleted rows below 120"),
        ("squared_lengths", 7, f32::NAN.to_bits(), "squared lengths, finite and not negative"),
    ];
    for (section, at, value, message) in cases {
        let kind = save(&path, true, Similarity::Dot);
        let file = File::open(&path, kind).expect("valid");
        let mut sections: Vec<(&str, Vec<u8>)> =
            SECTIONS.into_iter().filter_map(|name| Some((name, file.section(name).ok()?.to_vec()))).collect();
        let changed = sections.iter_mut().find(|(name, _)| *name == section).expect("a section");
        changed.1[at * 4..][..4].copy_from_slice(&value.to_le_bytes());
        rewrite(&path, kind, &sections, file.metadata().clone());
        let error = HnswIndex::open(&path).expect_err(section);
        assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    // Key of the metadata, new value, and a part of the message.
    let cases: [(&str, Value, &str); 7] = [
        ("dim", json!(4), "expected 120 vectors of dimension 4, got 360 values"),
        ("dim", json!(0), "a dimension of 1 or more"),
        ("rows", json!(-1), "rows from 0 to"),
        ("similarity", json!("manhattan"), "the similarity dot, cosine or l2, got \"manhattan\""),
        ("m", json!(30), "120 adjacency lists in section \"ground\""),
        ("entry", json!(120), "an entry point of the highest level among 120 rows, got row 120"),
        ("innerProduct", Value::Null, "innerProduct graph or augmentedL2, got null"),
    ];
    for (name, value, message) in cases {
        let kind = save(&path, true, Similarity::Dot);
        let file = File::open(&path, kind).expect("valid");
        let sections: Vec<(&str, Vec<u8>)> =
            SECTIONS.into_iter().filter_map(|name| Some((name, file.section(name).ok()?.to_vec()))).collect();
        let mut metadata = file.metadata().clone();
        metadata[name] = value;
        rewrite(&path, kind, &sections, metadata);
        let error = HnswIndex::open(&path).expect_err(name).to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn duplicate_ids_and_ids_that_are_not_utf_8_are_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let kind = save(&path, false, Similarity::Dot);
    let file = File::open(&path, kind).expect("valid");
    let sections = |change: fn(&mut Vec<u8>)| -> Vec<(&str, Vec<u8>)> {
        let names = SECTIONS.into_iter().filter(|&name| file.section(name).is_ok());
        let mut sections: Vec<_> =
            names.map(|name| (name, file.section(name).expect("a section").to_vec())).collect();
        change(&mut sections.iter_mut().find(|(name, _)| *name == "ids").expect("a section").1);
        sections
    };
    // The section is "p0p1p2…". The second id becomes "p0".
    rewrite(&path, kind, &sections(|ids| ids[3] = b'0'), file.metadata().clone());
    let error = FlatIndex::open(&path).expect_err("a duplicate").to_string();
    assert!(error.contains("expected distinct ids, got \"p0\" at rows 0 and 1"), "{error}");
    // The third id, "p2", becomes "p3". That is not a duplicate, because the other row with the id "p3" is deleted.
    rewrite(&path, kind, &sections(|ids| ids[5] = b'3'), file.metadata().clone());
    assert_eq!(FlatIndex::open(&path).expect("valid").ord("p3"), Some(2));
    // The byte 0xFF is not valid in UTF-8.
    rewrite(&path, kind, &sections(|ids| ids[3] = 0xFF), file.metadata().clone());
    let error = FlatIndex::open(&path).expect_err("not UTF-8").to_string();
    assert!(error.contains("expected ids in UTF-8"), "{error}");
}

#[test]
fn verify_finds_vectors_that_no_index_accepts() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    for (similarity, value) in [
        (Similarity::Dot, f32::NAN),
        (Similarity::Dot, f32::NEG_INFINITY),
        (Similarity::L2, f32::MAX),
        (Similarity::Cosine, 1.01),
    ] {
        for is_hnsw in [false, true] {
            let kind = save(&path, is_hnsw, similarity);
            let verify = || -> Result<(), Error> {
                if is_hnsw { HnswIndex::open(&path)?.verify() } else { FlatIndex::open(&path)?.verify() }
            };
            verify().expect("valid");
            let file = File::open(&path, kind).expect("valid");
            let names = SECTIONS.into_iter().filter(|&name| file.section(name).is_ok());
            let mut sections: Vec<_> =
                names.map(|name| (name, file.section(name).expect("a section").to_vec())).collect();
            // The second number of the row with ord 7.
            sections[0].1[(7 * DIM + 1) * 4..][..4].copy_from_slice(&value.to_le_bytes());
            rewrite(&path, kind, &sections, file.metadata().clone());
            let error = verify().expect_err("an invalid vector");
            assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })), "{error}");
            let message = "expected vectors of finite numbers whose norm is within the limit, got an invalid one at row 7";
            assert!(error.to_string().ends_with(message), "{error}");
            use_all(&path, is_hnsw).expect("searches do not check vectors");
        }
    }
}

/// Opening a file does not read sections of more than 16 MiB; `verify` does.
#[test]
fn searches_survive_corruption_that_opening_does_not_see_and_verify_finds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    // With this many rows and neighbors, opening the file neither checks nor reads the graph completely.
    let (rows, dim, control) = (33_000, 130, Control::new());
    let vectors = uniform(rows, dim, 3);
    let options = HnswOptions { m: 64, ef_construction: 8, ..HnswOptions::default() };
    let mut index = HnswIndex::new(dim, Similarity::Dot, options, Value::Null).expect("valid options");
    index.add(ids(0..rows), &vectors, 0, &control).expect("valid rows");
    index.save(&path).expect("writable");
    let opened = HnswIndex::open(&path).expect("valid");
    opened.verify().expect("valid");
    assert!(!opened.has_id_table(), "the table of ids is built when it is first needed");
    assert_eq!(opened.ord("p32999"), Some(32_999));
    assert!(opened.has_id_table());
    let loaded = HnswIndex::open_with(&path, OpenOptions { in_memory: true, verify: true }).expect("valid");
    assert!(opened.memory_bytes() < index.memory_bytes() / 10 && loaded.memory_bytes() > rows * dim * 4);
    let search =
        |index: &HnswIndex| index.search_many(&vectors[..20 * dim], 10, 50, 1, &control).expect("hits");
    assert_eq!((search(&opened), search(&loaded)), (search(&index), search(&index)));

    let file = File::open(&path, HNSW).expect("valid");
    let lists = file.section("ground").expect("a section");
    assert!(lists.len() > 16 << 20, "{} bytes", lists.len());
    let mut bytes = std::fs::read(&path).expect("readable");
    let start = bytes.windows(64).position(|window| window == &lists[..64]).expect("the section's bytes");
    // Overwrites all adjacency lists of layer 0 with pseudorandom bytes.
    for (at, byte) in bytes[start..start + lists.len()].iter_mut().enumerate() {
        *byte = (at as u32).wrapping_mul(0x9E37_79B9).to_le_bytes()[3];
    }
    std::fs::write(&path, bytes).expect("writable");
    let corrupt = HnswIndex::open(&path).expect("opening does not read large sections");
    for query in vectors.chunks(dim).take(20) {
        let hits = corrupt.search(query, 10, 50, &control).expect("hits");
        assert_eq!(hits.len(), 10);
    }
    let error = corrupt.verify().expect_err("corrupt").to_string();
    assert!(error.contains("of section \"ground\""), "{error}");
}
