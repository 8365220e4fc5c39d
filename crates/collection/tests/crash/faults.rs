//! If a system call fails, for example because the disk is full, the caller gets an error that says so. After a
//! rollback, or after the collection is opened again, the last commit is there and the next one works.
//!
//! The calls fail at random: the tracer, `trace.c`, skips the call and returns an error instead.

use std::io::Write;

use collection::{Collection, Error};
use numerics::SplitMix64;

use crate::child::{received, report, temporary_folder};
use crate::common::model::check;
use crate::journal::{Event, Faults, record};
use crate::kills::{check_reader, check_writer};
use crate::script::{OPTIONS, Script, create};

/// Number of times that a child tries to commit.
const ATTEMPTS: usize = 50;

/// Tells the tracer, which reads the output, whether system calls may fail: `on` or `off`.
fn switch_faults(state: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "faults {state}").and_then(|()| out.flush()).expect("a pipe");
}

/// Calls `work` while system calls fail at random.
fn with_faults<T>(work: impl FnOnce() -> T) -> T {
    switch_faults("on");
    let result = work();
    switch_faults("off");
    result
}

/// Panics unless the error reports a failed system call, or says that a rollback is needed.
fn check_error(error: &Error) {
    use sparse::Error as Sparse;
    let is_expected = matches!(
        error,
        Error::Io { .. }
            | Error::Storage(storage::Error::Io { .. })
            | Error::Dense(dense::Error::Storage(storage::Error::Io { .. }))
            | Error::Sparse(Sparse::Io { .. } | Sparse::Interrupted { .. })
    );
    assert!(is_expected, "{error:?}");
}

/// Checks that a collection shows exactly the content of the commit whose number it reports. Returns this number.
fn check_shown(collection: &Collection, seed: u64) -> Result<u64, Error> {
    let generation = collection.stats()?.generation;
    let script = Script::after(seed, generation);
    assert_eq!(collection.metadata()?, script.metadata());
    check(collection, &script.model, &mut SplitMix64::new(generation))?;
    Ok(generation)
}

#[test]
#[ignore = "run by other tests in a child process"]
fn commits_while_calls_fail() -> Result<(), Error> {
    let Some((folder, seed)) = received() else { return Ok(()) };
    let mut collection = create(&folder)?;
    let reader = Collection::open(&folder, OPTIONS)?;
    let mut script = Script::new(seed);
    let mut failures = 0;
    for _ in 0..ATTEMPTS {
        let before = script.generation;
        match with_faults(|| script.commit_next(&collection)) {
            Ok(generation) => assert_eq!(generation, script.generation),
            Err(error) => {
                failures += 1;
                check_error(&error);
                if let Err(error) = with_faults(|| collection.rollback()) {
                    check_error(&error);
                    // The commit is refused, or there is nothing left to commit.
                    match collection.commit() {
                        Ok(generation) => assert!((before..=before + 2).contains(&generation)),
                        Err(error) => check_error(&error),
                    }
                }
                if failures % 2 == 0 {
                    collection.rollback()?;
                } else {
                    with_faults(|| collection.close()).unwrap_or_else(|error| check_error(&error));
                    collection = with_faults(|| Collection::open(&folder, OPTIONS)).or_else(|error| {
                        check_error(&error);
                        Collection::open(&folder, OPTIONS)
                    })?;
                }
                let generation = check_shown(&collection, seed)?;
                assert!((before..=before + 2).contains(&generation), "{generation} after {before}");
                check_reader(&folder, seed, generation)?;
                script = Script::after(seed, generation);
            }
        }
        report(script.generation);
        // A reader that fails to switch to the next commit keeps showing the one that it showed before.
        if let Err(error) = with_faults(|| reader.refresh()) {
            check_error(&error);
        }
        check_shown(&reader, seed)?;
        check_shown(&collection, seed)?;
    }
    collection.close()?;
    reader.refresh()?;
    assert_eq!(check_shown(&reader, seed)?, script.generation);
    println!("{failures} failed, {} commits", script.generation);
    Ok(())
}

/// Runs a child that commits while each system call fails with a probability of 1 in `period`, and then checks the
/// collection.
fn fail_calls(seed: u64, period: u64) -> Result<(), Error> {
    let home = temporary_folder();
    let faults = Faults { period, seed };
    let Some((events, output)) = record("faults::commits_while_calls_fail", home.path(), seed, faults) else {
        return Ok(());
    };
    let folder = home.path().join("collection");
    let reports = events.iter().filter_map(|event| match event {
        Event::Committed { generation } => Some(*generation),
        _ => None,
    });
    let generation = check_reader(&folder, seed, reports.max().unwrap_or(0))?;
    check_writer(&folder, seed, generation)?;
    let failed = events.iter().filter(|event| matches!(event, Event::Fault { .. })).count();
    let summary = output.lines().find(|line| line.ends_with("commits")).unwrap_or_default();
    println!("{failed} failed calls, {summary}");
    assert!(failed > 0);
    Ok(())
}

#[test]
fn after_a_failed_call_the_last_commit_is_there_and_the_next_works() -> Result<(), Error> {
    fail_calls(1, 500)?;
    fail_calls(2, 100)
}

#[test]
#[ignore = "takes minutes; run it with --ignored after changing how commits are made"]
fn after_each_of_many_failed_calls_the_last_commit_is_there_and_the_next_works() -> Result<(), Error> {
    (100..160).try_for_each(|seed| fail_calls(seed, [50, 150, 500, 1500][seed as usize % 4]))
}
