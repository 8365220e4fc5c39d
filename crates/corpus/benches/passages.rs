//! Times a passage store with 100,078 passages: reading the TSV file that they come from, writing the store, opening
//! it, and looking passages up by id and by ord (internal position).
//!
//! Run `cargo bench -p corpus --bench passages`. The file is one of the shared collections, which cannot be published
//! and are looked for in `../shared` (see CONTRIBUTING.md). Without it, nothing is measured.

#[path = "../tests/common/mod.rs"]
#[allow(dead_code, reason = "the tests use the other functions")]
mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use control::Control;
use corpus::{Passage, PassageFormat, PassageStore, PassageStoreWriter, ReadOptions, ingest, open_passages};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

/// The TSV file, compressed and plain, and a store of its passages.
struct Table {
    /// Temporary folder with the plain file and the store.
    folder: tempfile::TempDir,
    /// Path of the compressed file.
    gzip: PathBuf,
    /// Size of the plain file.
    bytes: usize,
}

/// The files that the benchmarks use; `None` without the shared collections.
static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let gzip = common::shared()?.join("data/lexical/psgs_w100.scotus-transcripts-a.tsv.gz");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&gzip).expect("readable");
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("valid");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plain.tsv"), &bytes).expect("writable");
    let table = Table { folder, gzip, bytes: bytes.len() };
    write_store(&table.plain(), &table.store());
    Some(table)
});

impl Table {
    /// Path of the plain file.
    fn plain(&self) -> PathBuf {
        self.folder.path().join("plain.tsv")
    }

    /// Path of the store.
    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }
}

/// Copies the passages of a file to a new store.
fn write_store(from: &Path, to: &Path) {
    let mut reader = open_passages(from, PassageFormat::Auto, &ReadOptions::default()).expect("readable");
    let mut writer = PassageStoreWriter::create(to).expect("writable");
    ingest(&mut reader, &mut writer, &Control::new()).expect("valid");
    writer.finish(serde_json::Value::Null).expect("writable");
}

fn main() {
    divan::main();
}

/// Reads the TSV file, compressed or plain.
#[divan::bench(args = [true, false], sample_count = 5, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>, is_gzip: bool) {
    let Some(table) = &*TABLE else { return };
    let path = if is_gzip { table.gzip.clone() } else { table.plain() };
    bencher.counter(BytesCount::new(table.bytes)).bench(|| {
        let reader = open_passages(&path, PassageFormat::Auto, &ReadOptions::default());
        let (mut reader, mut passage, mut count) = (reader.expect("readable"), Passage::default(), 0);
        while reader.read_into(&mut passage).expect("valid") {
            count += 1;
        }
        count
    });
}

/// Reads the plain TSV file, and writes its passages to a store.
#[divan::bench(sample_count = 5, sample_size = 1)]
fn write(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let to = table.folder.path().join("another store");
    bencher.counter(BytesCount::new(table.bytes)).bench(|| write_store(&table.plain(), &to));
}

/// Opens the store.
#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    bencher.bench(|| PassageStore::open(table.store()).expect("valid"));
}

/// Looks up all passages by id.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn find(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let store = PassageStore::open(table.store()).expect("valid");
    let ids: Vec<String> = store.iter().map(|passage| passage.expect("valid").id.to_owned()).collect();
    bencher
        .counter(ItemsCount::new(ids.len()))
        .bench(|| ids.iter().filter(|id| store.find(id).expect("valid").is_some()).count());
}

/// Looks up all passages by ord.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn get(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let store = PassageStore::open(table.store()).expect("valid");
    bencher
        .counter(ItemsCount::new(store.len() as usize))
        .bench(|| (0..store.len()).map(|ord| store.get(ord).expect("valid").text.len()).sum::<usize>());
}
