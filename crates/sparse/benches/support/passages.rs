//! Random passages whose words follow Zipf's law, and an index of them.

use std::fmt::Write;

use sparse::{Analyzer, IndexWriter, WriterOptions};

/// Returns a text of random words from `word1` to `word39999`; the probability of word `i` is nearly proportional to
/// `1 / i`. The random numbers come from a multiplicative congruential generator, whose seed must be odd.
pub fn words(count: usize, seed: u64) -> String {
    let (mut state, mut text) = (seed, String::new());
    for _ in 0..count {
        state = state.wrapping_mul(0xf135_7aea_2e62_a9c5) | 1;
        let exponent = (state >> 40) as f64 / (1u64 << 24) as f64;
        write!(text, "word{} ", 40_000f64.powf(exponent) as u64).expect("writing to a String cannot fail");
    }
    text
}

/// Returns random passages; `lengths` maps the index of a passage to its number of words.
pub fn passages(count: u64, lengths: impl Fn(u64) -> u64) -> Vec<String> {
    (0..count).map(|at| words(lengths(at) as usize, 2 * at + 1)).collect()
}

/// Builds an index in the subfolder `index` of a temporary folder.
pub fn build(passages: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("index");
    let mut writer =
        IndexWriter::create(&path, Analyzer::ENGLISH, WriterOptions::default()).expect("an empty folder");
    for (at, passage) in passages.iter().enumerate() {
        writer.add(&at.to_string(), None, passage).expect("a new id");
    }
    writer.commit().expect("a commit");
    folder
}
