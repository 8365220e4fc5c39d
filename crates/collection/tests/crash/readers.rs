//! Processes that read while another process commits and optimizes. Each reader always sees exactly one commit.

use std::process::Child;
use std::time::{Duration, Instant};

use collection::{Collection, Error};
use numerics::SplitMix64;

use crate::child::{command, last_commit_of_killed, received, temporary_folder};
use crate::common::model::check;
use crate::script::{OPTIMIZES_OFTEN, OPTIONS, Script};

/// How long each reader runs.
const DURATION: Duration = Duration::from_millis(1_500);

#[test]
#[ignore = "run by other tests in a child process"]
fn reads_for_a_while() -> Result<(), Error> {
    let Some((folder, seed)) = received() else { return Ok(()) };
    let end = Instant::now() + DURATION;
    let mut reader = Collection::open(&folder, OPTIONS)?;
    let (mut script, mut commits) = (Script::new(seed), 0);
    for number in 0u64.. {
        let generation = reader.stats()?.generation;
        assert!(generation >= script.generation, "{generation} after {}", script.generation);
        commits += u32::from(generation > script.generation);
        script.advance_to(generation);
        assert_eq!(reader.metadata()?, script.metadata());
        check(&reader, &script.model, &mut SplitMix64::new(number))?;
        if Instant::now() > end {
            break;
        }
        match number % 3 {
            0 => reader = Collection::open(&folder, OPTIONS)?,
            _ => drop(reader.refresh()?),
        }
    }
    println!("{commits} commits seen");
    assert!(commits > 1, "the writer makes commits meanwhile");
    Ok(())
}

/// Runs one writer and three readers at the same time, and panics if a reader fails.
fn read_while_writing(seed: u64) {
    let home = temporary_folder();
    let folder = home.path().join("collection");
    let mut writer = command("child::writes_until_killed", &folder, seed).spawn().expect("a process");
    while !Collection::exists(&folder) {
        assert!(writer.try_wait().expect("a process").is_none(), "the writer is still running");
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = |_| command("readers::reads_for_a_while", &folder, seed).spawn().expect("a process");
    let readers: Vec<Child> = (0..3).map(start).collect();
    for reader in readers {
        let ended = reader.wait_with_output().expect("a process that ends");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(ended.status.success(), "{}{}", text(&ended.stdout), text(&ended.stderr));
        print!("{}", text(&ended.stdout).lines().filter(|line| line.ends_with("seen")).collect::<String>());
    }
    writer.kill().expect("a process to kill");
    println!("; {:?} is the last commit", last_commit_of_killed(writer));
}

#[test]
fn readers_in_other_processes_see_exactly_one_commit_while_a_writer_optimizes() {
    read_while_writing(OPTIMIZES_OFTEN);
    read_while_writing(1);
}

#[test]
#[ignore = "takes minutes; run it with --ignored after changing how commits are made or opened"]
fn readers_in_other_processes_see_exactly_one_commit_for_minutes() {
    (0..60).for_each(|seed| read_while_writing(OPTIMIZES_OFTEN + seed));
}
