//! Optimizations that are canceled at random moments.

mod common;

use std::fs;
use std::time::{Duration, Instant};

use collection::{Collection, Error, OpenOptions, Put};
use common::model::{Model, check};
use common::{Document, create, put};
use control::Control;
use numerics::SplitMix64;

#[test]
fn a_canceled_optimization_leaves_the_last_commit_and_later_changes_work() -> Result<(), Error> {
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("collection");
    let collection = create(&folder)?;
    let (mut random, mut model) = (SplitMix64::new(3), Model::default());
    // An optimization is canceled after at most the time that the last complete one took.
    let (mut canceled_count, mut max_delay) = (0, Duration::from_millis(20));
    for round in 0..20 {
        for _ in 0..20 {
            let document = Document::random(&format!("d{}", random.below(60)), &mut random);
            put(&collection, Put::Upsert, std::slice::from_ref(&document))?;
            model.put(document);
        }
        if round % 3 == 0 {
            let id = model.documents[0].id.clone();
            assert!(collection.delete(&[&id])? == 1 && model.delete(&id));
        }
        let before = collection.commit()?;
        let control = Control::new();
        let delay = Duration::from_micros(random.below(max_delay.as_micros() as u64 + 1));
        let start = Instant::now();
        let optimized = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(delay);
                control.cancel();
            });
            collection.optimize(1, &control)
        });
        match optimized {
            Ok(generation) => {
                assert_eq!(generation, before + 1);
                max_delay = start.elapsed();
            }
            Err(Error::Canceled(_) | Error::Dense(dense::Error::Canceled(_))) => {
                canceled_count += 1;
                assert_eq!(collection.stats()?.generation, before);
            }
            Err(error) => return Err(error),
        }
        check(&collection, &model, &mut random)?;
        let verify = storage::OpenOptions { verify: true, ..Default::default() };
        let reader = Collection::open(&folder, OpenOptions { files: verify, ..OpenOptions::default() })?;
        check(&reader, &model, &mut random)?;
        let entries =
            fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let names: Vec<_> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
        assert_eq!(names.iter().filter(|name| name.starts_with("vectors-")).count(), 1, "{names:?}");
    }
    assert!(canceled_count > 2, "{canceled_count} of 20 were canceled");
    Ok(())
}
