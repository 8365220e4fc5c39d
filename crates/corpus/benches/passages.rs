//! Reads a table of 100,078 passages, stores it, and finds passages again.
//!
//! `cargo bench -p corpus --bench passages`. The table is part of the shared data (see CONTRIBUTING.md); without it
//! nothing is measured.

#[path = "../tests/common/mod.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod common;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use control::Control;
use corpus::{Passage, PassageFormat, PassageStore, PassageStoreWriter, ReadOptions, ingest, open_passages};
use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};

struct Table {
    folder: tempfile::TempDir,
    gzip: PathBuf,
    bytes: usize,
}

static TABLE: LazyLock<Option<Table>> = LazyLock::new(|| {
    let gzip = common::shared()?.join("data/lexical/psgs_w100.scotus-transcripts-a.tsv.gz");
    let mut bytes = Vec::new();
    let file = std::fs::File::open(&gzip).expect("readable");
    flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).expect("sound");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("plain.tsv"), &bytes).expect("writable");
    let table = Table { folder, gzip, bytes: bytes.len() };
    store(&table.plain(), &table.stored());
    Some(table)
});

impl Table {
    fn plain(&self) -> PathBuf {
        self.folder.path().join("plain.tsv")
    }

    fn stored(&self) -> PathBuf {
        self.folder.path().join("store")
    }
}

fn store(from: &Path, to: &Path) {
    let mut reader = open_passages(from, PassageFormat::Auto, &ReadOptions::default()).expect("readable");
    let mut writer = PassageStoreWriter::create(to).expect("writable");
    ingest(&mut reader, &mut writer, &Control::new()).expect("good");
    writer.finish(serde_json::Value::Null).expect("writable");
}

fn main() {
    divan::main();
}

#[divan::bench(args = [true, false], sample_count = 5, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>, gzip: bool) {
    let Some(table) = &*TABLE else { return };
    let path = if gzip { table.gzip.clone() } else { table.plain() };
    bencher.counter(BytesCount::new(table.bytes)).bench(|| {
        let reader = open_passages(&path, PassageFormat::Auto, &ReadOptions::default());
        let (mut reader, mut passage, mut count) = (reader.expect("readable"), Passage::default(), 0);
        while reader.read_into(&mut passage).expect("good") {
            count += 1;
        }
        count
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn write(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let to = table.folder.path().join("again");
    bencher.counter(BytesCount::new(table.bytes)).bench(|| store(&table.plain(), &to));
}

#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    bencher.bench(|| PassageStore::open(table.stored()).expect("sound"));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn find(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let store = PassageStore::open(table.stored()).expect("sound");
    let ids: Vec<String> = store.iter().map(|passage| passage.expect("sound").id.to_owned()).collect();
    bencher
        .counter(ItemsCount::new(ids.len()))
        .bench(|| ids.iter().filter(|id| store.find(id).expect("sound").is_some()).count());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn get(bencher: Bencher<'_, '_>) {
    let Some(table) = &*TABLE else { return };
    let store = PassageStore::open(table.stored()).expect("sound");
    bencher
        .counter(ItemsCount::new(store.len() as usize))
        .bench(|| (0..store.len()).map(|ord| store.get(ord).expect("sound").text.len()).sum::<usize>());
}
