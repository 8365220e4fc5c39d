//! Measurements, run by hand: `cargo test --release -p corpus --test speed -- --ignored --nocapture`.

mod common;

use std::io::Read;
use std::time::Instant;

use control::Control;
use corpus::{Passage, PassageFormat, PassageStore, PassageStoreWriter, ReadOptions, ingest, open_passages};

#[test]
#[ignore = "a measurement"]
fn reading_and_storing_a_table_of_100_078_passages() {
    let Some(shared) = common::shared() else { return };
    let path = shared.join("data/lexical/psgs_w100.scotus-transcripts-a.tsv.gz");
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("plain.tsv");
    let mut bytes = Vec::new();
    let gzip = std::fs::File::open(&path).expect("readable");
    let start = Instant::now();
    flate2::read::MultiGzDecoder::new(gzip).read_to_end(&mut bytes).expect("sound");
    let megabytes = bytes.len() as f64 / 1e6;
    let report = |what: &str, start: Instant| {
        let seconds = start.elapsed().as_secs_f64();
        println!("{what}: {seconds:.3} s, {:.0} MB/s of text", megabytes / seconds);
    };
    report("decompress only", start);
    std::fs::write(&plain, bytes).expect("writable");
    let open = |path| open_passages(path, PassageFormat::Auto, &ReadOptions::default()).expect("readable");
    for (name, path) in [("gzip", &path), ("plain", &plain)] {
        let start = Instant::now();
        let count =
            open(path).filter(|passage| passage.as_ref().is_ok_and(|passage| !passage.id.is_empty())).count();
        report(&format!("{name}: iterate"), start);
        assert_eq!(count, 100_078);
        let start = Instant::now();
        let (mut reader, mut passage, mut count) = (open(path), Passage::default(), 0);
        while reader.read_into(&mut passage).expect("good") {
            count += 1;
        }
        report(&format!("{name}: read_into"), start);
        assert_eq!(count, 100_078);
        let start = Instant::now();
        let mut writer = PassageStoreWriter::create(folder.path().join("store")).expect("writable");
        ingest(&mut open(path), &mut writer, &Control::new()).expect("good");
        writer.finish(serde_json::Value::Null).expect("writable");
        report(&format!("{name}: ingest"), start);
    }
    let start = Instant::now();
    let store = PassageStore::open(folder.path().join("store")).expect("sound");
    report("open", start);
    let ids: Vec<String> = store.iter().map(|passage| passage.expect("sound").id.to_owned()).collect();
    let mut found = 0;
    for pass in ["first", "second"] {
        let start = Instant::now();
        found = ids.iter().filter(|id| store.find(id).expect("sound").is_some()).count();
        println!("find, {pass} pass: {:.0} ns", start.elapsed().as_secs_f64() * 1e9 / found as f64);
    }
    let start = Instant::now();
    let length: usize = (0..store.len()).map(|ord| store.get(ord).expect("sound").text.len()).sum();
    println!("get: {:.0} ns ({length} bytes of text)", start.elapsed().as_secs_f64() * 1e9 / found as f64);
}
