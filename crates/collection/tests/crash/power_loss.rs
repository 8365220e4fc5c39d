//! After a power loss at any moment, a collection has the last commit that its writer reported, or one of the next two,
//! even if only some of the changes that were not flushed are on the disk.

use collection::{Collection, Error};
use numerics::SplitMix64;

use crate::child::{received, report, temporary_folder};
use crate::disk::{Disk, Survival};
use crate::journal::{Event, Faults, record};
use crate::kills::{check_reader, check_writer};
use crate::script::{OPTIMIZES_OFTEN, OPTIONS, Script, create};

const NO_FAULTS: Faults = Faults { period: 0, seed: 0 };
/// A recorded child ends after at least this many commits.
const COMMITS: u64 = 30;

#[test]
#[ignore = "run by other tests in a child process"]
fn writes_some_commits() {
    let Some((folder, seed)) = received() else { return };
    let mut collection = create(&folder).expect("a collection");
    report(0);
    let mut script = Script::new(seed);
    while script.generation < COMMITS {
        report(script.commit_next(&collection).expect("a commit"));
        if script.generation.is_multiple_of(9) {
            collection.close().expect("merges that end");
            collection = Collection::open(&folder, OPTIONS).expect("a collection");
        }
    }
    collection.close().expect("merges that end");
}

/// Records the changes of a child, and checks the disk after power losses at `count` random moments.
fn lose_power(seed: u64, count: usize) -> Result<(), Error> {
    let home = temporary_folder();
    let Some((events, _)) = record("power_loss::writes_some_commits", home.path(), seed, NO_FAULTS) else {
        return Ok(());
    };
    let mut random = SplitMix64::new(seed);
    let mut cuts: Vec<usize> = (0..count).map(|number| moment(&events, number, &mut random)).collect();
    cuts.sort_unstable();
    let (mut disk, mut applied, mut committed) = (Disk::new(home.path()), 0, None);
    for cut in cuts {
        for event in &events[applied..cut] {
            disk.apply(event);
            if let Event::Committed { generation } = event {
                committed = Some(*generation);
            }
        }
        applied = cut;
        for survival in [Survival::None, Survival::All, Survival::Some, Survival::Some, Survival::Some] {
            let after = temporary_folder();
            disk.lose_power(after.path(), survival, &mut random);
            let checked = check_after(after.path(), seed, committed);
            let context = || {
                let before = &events[cut.saturating_sub(12)..cut];
                format!("seed {seed}, {survival:?} at event {cut}, after commit {committed:?}: {before:#?}")
            };
            if let Err(error) = checked {
                panic!("{error}: {}", context());
            }
        }
    }
    assert!(events.len() > 500 && committed >= Some(1), "{} events, commit {committed:?}", events.len());
    println!("power losses at {count} of {} events", events.len());
    Ok(())
}

/// Returns the number of events before the power loss with this number. Odd-numbered power losses come just before a
/// folder is flushed, when most changes of names are pending. The others come before any event except the opening of a
/// file and the duplication of a descriptor.
fn moment(events: &[Event], number: usize, random: &mut SplitMix64) -> usize {
    let is_chosen = |event: &Event| match event {
        Event::SyncFolder { .. } => true,
        Event::Open { .. } | Event::Duplicate { .. } => false,
        _ => number.is_multiple_of(2),
    };
    let chosen: Vec<usize> = (0..events.len()).filter(|&at| is_chosen(&events[at])).collect();
    chosen[random.below(chosen.len() as u64) as usize]
}

/// Checks that the collection in `home` has the last reported commit or one of the next two, and that a writer can
/// continue. `committed` is `None` if the creation was not reported yet.
fn check_after(home: &std::path::Path, seed: u64, committed: Option<u64>) -> Result<(), Error> {
    let folder = home.join("collection");
    let generation = match committed {
        Some(committed) => check_reader(&folder, seed, committed)?,
        // The power was lost during the creation.
        None if Collection::exists(&folder) => check_reader(&folder, seed, 0)?,
        None => {
            create(&folder)?.close()?;
            0
        }
    };
    check_writer(&folder, seed, generation)?;
    let writer = Collection::open(&folder, OPTIONS)?;
    let next = Script::after(seed, generation).commit_next(&writer)?;
    writer.close()?;
    check_reader(&folder, seed, next).map(drop)
}

#[test]
fn after_a_power_loss_the_last_commit_or_the_next_is_there() -> Result<(), Error> {
    lose_power(1, 20)?;
    lose_power(OPTIMIZES_OFTEN, 40)
}

#[test]
#[ignore = "takes minutes; run it with --ignored after changing how commits are made"]
fn after_each_of_many_power_losses_the_last_commit_or_the_next_is_there() -> Result<(), Error> {
    let seeds = (100..110).flat_map(|seed| [seed, OPTIMIZES_OFTEN + seed]);
    seeds.into_iter().try_for_each(|seed| lose_power(seed, 200))
}
