//! Checks containers, the file format of `crates/storage`: if a file can be opened, its sections are inside the file,
//! aligned, and match their checksums.
#![no_main]

use std::path::Path;

use fuzz::{Scratch, file_target};
use storage::{File, FileKind, Writer};

const KIND: FileKind = FileKind { magic: *b"PKFUZZ\0\0", version: 3, name: "fuzzed" };

fn seeds() -> Vec<Vec<u8>> {
    let scratch = Scratch::new();
    let path = scratch.path("seed");
    let write = |sections: &[(&str, usize)]| {
        let mut writer = Writer::create(&path, KIND).expect("writable");
        for &(name, length) in sections {
            writer.section(name, &vec![7; length]).expect("writable");
        }
        writer.finish(serde_json::json!({"dim": 2, "more": [1, {"a": "text"}]})).expect("writable");
        std::fs::read(&path).expect("readable")
    };
    vec![write(&[]), write(&[("a", 0)]), write(&[("a", 12), ("b", 64), ("b", 1), ("", 200)])]
}

fn use_all(path: &Path, size: usize) {
    let Ok(file) = File::open(path, KIND) else { return };
    assert_eq!(file.bytes(), size as u64);
    // Opening a file verifies all sections of up to 16 MiB, and inputs are smaller than that.
    file.verify().expect("opening verified all sections");
    for name in ["a", "b", "", "missing"] {
        let Ok(section) = file.section(name) else { continue };
        assert!(section.len() <= size);
        assert!(section.as_ptr().addr().is_multiple_of(64));
        // If all bytes are 0, all numbers must be 0.
        let sum: u64 = section.iter().map(|&byte| u64::from(byte)).sum();
        let numbers = file.section_as::<u64>(name);
        assert_eq!(numbers.is_ok(), section.len().is_multiple_of(8));
        assert!(
            numbers.is_err() || sum > 0 || numbers.is_ok_and(|all| all.iter().all(|&number| number == 0))
        );
    }
}

file_target!(seeds, use_all);
