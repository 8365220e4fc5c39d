//! Measures the time of a commit of one passage in a large index, with all files flushed to disk. The argument is the
//! number of passages (default: 100,000): `cargo bench -p sparse --bench commits -- 1000000`.

use std::time::{Duration, Instant};

use numerics::SplitMix64;
use sparse::{Analyzer, Error, IndexWriter, PassageFields, WriterOptions};

/// Number of commits that are measured: enough for several merges in the background.
const COMMITS: usize = 200;

/// Number of different words. Their frequencies fall roughly with their ranks, as in a natural language.
const WORDS: f64 = 200_000.0;

fn text(random: &mut SplitMix64) -> String {
    let mut text = String::new();
    for _ in 0..20 {
        let uniform = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        text.push_str(&format!("w{} ", WORDS.powf(uniform) as u32));
    }
    text
}

fn main() -> Result<(), Error> {
    // Cargo passes this flag only if the benchmark is to be run, not if it is built as a part of the tests.
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
    for (name, deletes) in [("added", false), ("added and one deleted", true)] {
        let mut times = Vec::new();
        let (mut live, mut seen) = (Duration::ZERO, 0);
        for number in 0..COMMITS as u32 {
            let id = writer.next_ord();
            writer.put_stored(&id.to_string(), None, &text(&mut random), &fields(id))?;
            if deletes {
                writer.delete(&[(number * 7).to_string()])?;
            }
            let started = Instant::now();
            writer.commit()?;
            times.push(started.elapsed());
            let started = Instant::now();
            seen = writer.searcher()?.live_ords().len();
            live += started.elapsed();
        }
        times.sort_unstable();
        let at = |share: f64| times[((COMMITS - 1) as f64 * share) as usize];
        println!(
            "commit with one passage {name}: median {:.1?}, 95th percentile {:.1?}, max {:.1?}; ords of {seen} \
             passages: {:.0?}",
            at(0.5),
            at(0.95),
            at(1.0),
            live / COMMITS as u32
        );
    }
    writer.close()?;
    std::fs::remove_dir_all(&folder).map_err(|source| Error::Io { operation: "remove", path: folder, source })
}
