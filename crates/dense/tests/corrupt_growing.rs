//! Tests of corrupt files of growing indexes: they are rejected, or used without a panic or an endless loop.

mod common;

use std::path::Path;

use common::{SIMILARITIES, uniform};
use control::Control;
use dense::{Error, GrowingIndex, HnswOptions, InnerProduct, OpenOptions, RowSet, Similarity};
use proptest::prelude::*;
use ranking::Hit;
use serde_json::{Value, json};
use storage::{File, FileKind, Writer};

const ROWS: usize = 120;
/// The number of rows that are not in the graph yet.
const PENDING: usize = 30;
const KIND: FileKind = FileKind { magic: *b"PKGROW\0\0", version: 1, name: "growing index" };
/// All sections that files of growing indexes may have in these tests.
const SECTIONS: [&str; 9] =
    ["vectors", "unlinked", "offsets", "ground", "upper", "codes", "scales", "biases", "signs"];
/// The keys in the metadata whose values are numbers.
const NUMBER_KEYS: [&str; 7] = ["dim", "rows", "graphRows", "m", "efConstruction", "entry", "seed"];

/// The names and the contents of the sections of a file.
type Sections = Vec<(&'static str, Vec<u8>)>;

/// Saves an index in which the last [`PENDING`] rows are pending, and two rows in the graph are unlinked: they have no
/// neighbors, because they were deleted before they were inserted. Returns the sections and the metadata of the file.
fn save(path: &Path, similarity: Similarity, dim: usize) -> (Sections, Value) {
    let options = HnswOptions {
        m: 2,
        ef_construction: 4,
        inner_product: InnerProduct::Graph,
        ..HnswOptions::default()
    };
    let mut index = GrowingIndex::new(dim, similarity, options).expect("valid options");
    index.append(&uniform(ROWS, dim, 1)).expect("valid vectors");
    index.set_deleted(RowSet::from_iter([3, 64]));
    index.insert_pending(ROWS - PENDING, 1, &Control::new()).expect("not canceled");
    index.save(path, &json!("mine")).expect("writable");
    let file = File::open(path, KIND).expect("valid");
    let section = |name| Some((name, file.section(name).ok()?.to_vec()));
    (SECTIONS.into_iter().filter_map(section).collect(), file.metadata().clone())
}

/// Writes a file with these sections, this metadata and valid checksums.
fn rewrite(path: &Path, sections: &Sections, metadata: Value) {
    let mut writer = Writer::create(path, KIND).expect("writable");
    for (name, bytes) in sections {
        writer.section(name, bytes).expect("writable");
    }
    writer.finish(metadata).expect("writable");
}

/// Opens an index, searches it, appends and inserts rows, saves it and compacts it. Returns the hits of all searches.
fn use_all(path: &Path) -> Result<Vec<Hit>, Error> {
    let control = Control::new();
    let (mut index, _) = GrowingIndex::open_with(path, OpenOptions::default())?;
    let query = uniform(1, index.dim(), 2);
    let mut hits = index.search(&query, 5, 5, None, &control)?;
    let is_even = |ord: u32| ord.is_multiple_of(2);
    hits.extend(index.search(&query, 3, 1, Some(&is_even), &control)?);
    hits.extend(index.search_exact(&query, 3, None, &control)?);
    index.append(&query)?;
    index.set_deleted(RowSet::from_iter([1, 3]));
    while index.insert_pending(50, 1, &control)? > 0 {}
    hits.extend(index.search(&query, 5, 5, None, &control)?);
    index.save(&path.with_extension("again"), &json!(null))?;
    index.compacted(&RowSet::full(20), 1, &control)?;
    Ok(hits)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The content is wrong, but the checksums match it, as in a file written by an attacker or by a program with a
    /// bug.
    #[test]
    fn no_content_makes_an_index_panic_or_search_forever(
        similarity in prop::sample::select(SIMILARITIES.to_vec()),
        // Rows of dimension 130 have sketches.
        dim in prop::sample::select(vec![3, 130]),
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
        let (mut sections, mut metadata) = save(&path, similarity, dim);
        use_all(&path).expect("valid");
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
        if let Some((key, value)) = number {
            metadata[NUMBER_KEYS[key]] = json!(value);
        }
        rewrite(&path, &sections, metadata);
        // Any error is fine, and so are any hits.
        if let Ok(hits) = use_all(&path) {
            prop_assert!(hits.iter().all(|hit| !hit.score.is_nan()));
        }
    }
}

#[test]
fn errors_name_the_part_of_a_file_that_is_invalid() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let (sections, metadata) = save(&path, Similarity::L2, 3);
    let error = || {
        let opened = GrowingIndex::open_with(&path, OpenOptions { in_memory: false, verify: true });
        let error = opened.expect_err("corrupt");
        assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })), "{error}");
        error.to_string()
    };
    // Section, position (in numbers of 4 bytes), new number, and a part of the message.
    let cases: [(&str, usize, u32, &str); 3] = [
        // Bit 26 of the third number is the bit of row 90, the first pending row.
        ("unlinked", 2, 1 << 26, "unlinked rows below 90, got a later row"),
        ("ground", 0, 90, "neighbors of row 0 that are rows of layer 0, got row 90"),
        (
            "vectors",
            22,
            f32::NAN.to_bits(),
            "vectors of finite numbers whose norm is within the limit, got an invalid one at row 7",
        ),
    ];
    for (section, at, value, message) in cases {
        let mut sections = sections.clone();
        let changed = sections.iter_mut().find(|(name, _)| *name == section).expect("a section");
        changed.1[at * 4..][..4].copy_from_slice(&value.to_le_bytes());
        rewrite(&path, &sections, metadata.clone());
        assert!(error().contains(message), "{}", error());
    }
    // New value of `graphRows`, and a part of the message.
    for (value, message) in [
        (json!(121), "graphRows from 0 to 120, got 121"),
        (json!(89), "90 offsets from 0"),
        (Value::Null, "graphRows"),
    ] {
        let mut metadata = metadata.clone();
        metadata["graphRows"] = value;
        rewrite(&path, &sections, metadata);
        assert!(error().contains(message), "{}", error());
    }
}
