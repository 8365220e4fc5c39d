//! Measures how long it takes to commit one passage to a large index, with all files flushed to disk, and then to get
//! the ords (internal numbers) of all passages. The argument is the number of passages (default: 100,000):
//! `cargo bench -p sparse --bench commits -- 1000000`.

use std::time::{Duration, Instant};

use numerics::SplitMix64;
use sparse::{Analyzer, Error, IndexWriter, PassageFields, WriterOptions};

/// Number of commits that are measured without deletions, and again with deletions: enough for several merges in the
/// background.
const COMMITS: usize = 200;

/// Number of different words. The frequency of a word is roughly proportional to 1 / rank (Zipf's law), as in a natural
/// language.
const WORDS: f64 = 200_000.0;

/// Returns a text of 20 random words.
fn text(random: &mut SplitMix64) -> String {
    let mut text = String::new();
    for _ in 0..20 {
        let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        text.push_str(&format!("w{} ", WORDS.powf(uniform) as u32));
    }
    text
}

fn main() -> Result<(), Error> {
    // Cargo passes this flag only when it runs benchmarks, not when it runs this target as a part of the tests.
    if !std::env::args().any(|argument| argument == "--bench") {
        return Ok(());
    }
    let passages = std::env::args().find_map(|count| count.parse().ok()).unwrap_or(100_000);
    let folder = std::env::temp_dir().join(format!("passagekit-commits-{}", std::process::id()));
    let mut random = SplitMix64::new(1);
    let mut writer = IndexWriter::create(&folder, Analyzer::ENGLISH, WriterOptions::default())?;
    let fields = |number: u32| PassageFields::from([("number".to_owned(), f64::from(number).into())]);
    for number in 0..passages {
        writer.put_stored(&number.to_string(), None, &text(&mut random), &fields(number))?;
    }
    let started = Instant::now();
    writer.commit()?;
    println!("commit of {passages} passages: {:.0?}", started.elapsed());
    for (name, has_deletions) in [("added", false), ("added and one deleted", true)] {
        let mut times = Vec::new();
        let (mut ords_time, mut passage_count) = (Duration::ZERO, 0);
        for number in 0..COMMITS as u32 {
            let id = writer.next_ord();
            writer.put_stored(&id.to_string(), None, &text(&mut random), &fields(id))?;
            if has_deletions {
                writer.delete(&[(number * 7).to_string()])?;
            }
            let started = Instant::now();
            writer.commit()?;
            times.push(started.elapsed());
            let started = Instant::now();
            passage_count = writer.searcher()?.live_ords().len();
            ords_time += started.elapsed();
        }
        times.sort_unstable();
        let at = |share: f64| times[((COMMITS - 1) as f64 * share) as usize];
        println!(
            "commit with one passage {name}: median {:.1?}, 95th percentile {:.1?}, max {:.1?}; \
             ords of {passage_count} passages: {:.0?}",
            at(0.5),
            at(0.95),
            at(1.0),
            ords_time / COMMITS as u32
        );
    }
    writer.close()?;
    std::fs::remove_dir_all(&folder).map_err(|source| Error::Io { operation: "remove", path: folder, source })
}
