//! A writer that is killed at any moment leaves a collection with the last commit that it reported, or with one of the
//! next two, which it may have finished without reporting them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use collection::{Collection, Error, NewDocument, NewPassage, NewVector, Put};
use numerics::SplitMix64;
use sparse::PassageFields;

use crate::child::{command, last_commit_of_killed, temporary_folder};
use crate::common::DIM;
use crate::common::model::check;
use crate::script::{OPTIONS, Script};

/// Checks that a reader sees exactly the content of one commit, whose number is at least `min_generation` and at most 2
/// higher. Returns this number.
pub fn check_reader(folder: &Path, seed: u64, min_generation: u64) -> Result<u64, Error> {
    let reader = Collection::open(folder, OPTIONS)?;
    let generation = reader.stats()?.generation;
    // A writer may have made two commits that it has not reported yet: those of an optimization with changes.
    assert!(
        (min_generation..=min_generation + 2).contains(&generation),
        "{generation} after {min_generation}"
    );
    let script = Script::after(seed, generation);
    assert_eq!(reader.metadata()?, script.metadata());
    check(&reader, &script.model, &mut SplitMix64::new(generation))?;
    Ok(generation)
}

/// Checks that a writer can continue after the commit `generation`, and that it removes the files that a killed writer
/// left behind.
pub fn check_writer(folder: &Path, seed: u64, generation: u64) -> Result<(), Error> {
    let writer = Collection::open(folder, OPTIONS)?;
    let (vector, fields) = (vec![1.0; DIM], PassageFields::new());
    let passages = [NewPassage { title: None, text: "bridge", vector: NewVector::Given(&vector) }];
    writer.put(Put::Add, &[NewDocument { id: "undone", passages: &passages, fields: &fields }])?;
    writer.rollback()?;
    check(&writer, &Script::after(seed, generation).model, &mut SplitMix64::new(generation))?;
    writer.close()?;
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    let count = |prefix: &str| names.iter().filter(|name| name.starts_with(prefix)).count();
    assert!(count("vectors-") == 1 && count("base-") <= 2 && names.len() <= 6, "{names:?}");
    Ok(())
}

/// Kills `count` writers, one after another. Each continues where the previous one was killed.
fn kill_writers(seed: u64, count: u64) -> Result<(), Error> {
    let home = temporary_folder();
    let folder = home.path().join("collection");
    let mut random = SplitMix64::new(seed);
    let mut generation = 0;
    for round in 0..count {
        let mut child = command("child::writes_until_killed", &folder, seed).spawn().expect("a process");
        std::thread::sleep(Duration::from_micros(random.below(250_000)));
        child.kill().expect("a process to kill");
        let reported = last_commit_of_killed(child);
        if !Collection::exists(&folder) {
            assert_eq!((reported, generation), (None, 0));
            continue;
        }
        let min_generation = reported.unwrap_or(0).max(generation);
        generation = check_reader(&folder, seed, min_generation)?;
        // In the other rounds, the next child gets the folder exactly as the killed writer left it.
        if round.is_multiple_of(3) {
            check_writer(&folder, seed, generation)?;
        }
    }
    println!("{count} kills, {generation} commits");
    assert!(generation > count, "on average, each child makes more than one commit");
    Ok(())
}

#[test]
fn after_a_kill_the_last_commit_or_the_next_is_there() -> Result<(), Error> {
    kill_writers(1, 20)
}

#[test]
#[ignore = "takes minutes; run it with --ignored after changing how commits are made"]
fn after_each_of_many_kills_the_last_commit_or_the_next_is_there() -> Result<(), Error> {
    (100..150).try_for_each(|seed| kill_writers(seed, 40))
}

#[test]
fn creating_a_collection_can_be_repeated_if_the_process_was_killed() -> Result<(), Error> {
    let mut random = SplitMix64::new(7);
    for _ in 0..10 {
        let home = temporary_folder();
        let folder = home.path().join("collection");
        let mut child = command("child::writes_until_killed", &folder, 1).spawn().expect("a process");
        std::thread::sleep(Duration::from_micros(random.below(30_000)));
        child.kill().expect("a process to kill");
        let reported = last_commit_of_killed(child);
        if Collection::exists(&folder) {
            check_reader(&folder, 1, reported.unwrap_or(0))?;
        } else {
            assert_eq!(reported, None);
            crate::script::create(&folder)?.close()?;
            check_reader(&folder, 1, 0)?;
        }
    }
    Ok(())
}
