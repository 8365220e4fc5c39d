//! A collection that is open more than once at the same time, and files that do not belong to a collection.

mod common;

use std::fs;

use collection::{Collection, Error, OpenOptions, Put, Request, Retriever};
use common::{Document, create, ids, put, request, search, vector};
use control::Control;
use numerics::SplitMix64;

/// Returns `count` random documents, whose ids are `prefix` and a number from 0.
fn documents(prefix: &str, count: usize, seed: u64) -> Vec<Document> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|at| Document::random(&format!("{prefix}{at}"), &mut random)).collect()
}

#[test]
fn a_second_writer_is_refused_and_told_where_the_first_is_until_the_first_is_closed() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let first = create(folder.path())?;
    put(&first, Put::Add, &documents("a", 1, 1))?;
    let second = Collection::open(folder.path(), OpenOptions::default())?;
    let error = put(&second, Put::Add, &documents("b", 1, 1)).expect_err("a lock");
    assert!(
        matches!(&error, Error::Locked { .. }) && error.to_string().contains("in this process"),
        "{error}"
    );
    first.commit()?;
    first.close()?;
    // The second writer begins with the last commit of the first.
    let duplicate = put(&second, Put::Add, &documents("a", 1, 1));
    assert!(matches!(duplicate, Err(Error::DuplicateDocument { .. })));
    assert_eq!(second.stats()?.documents, 1);
    put(&second, Put::Add, &documents("b", 1, 1))?;
    second.commit()?;
    assert_eq!(second.stats()?.documents, 2);
    Ok(())
}

#[test]
fn a_reader_keeps_its_commit_until_it_is_refreshed_even_if_files_are_replaced() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let writer = create(folder.path())?;
    put(&writer, Put::Add, &documents("a", 40, 1))?;
    writer.commit()?;
    let reader = Collection::open(folder.path(), OpenOptions::default())?;
    let query = vector(&mut SplitMix64::new(5));
    let request = Request { k: 500, ..request("bridge", &query, common::hybrid()) };
    let before = search(&reader, &request)?;
    for round in 0..3 {
        put(&writer, Put::Add, &documents(&format!("r{round}."), 10, round))?;
        writer.delete(&[format!("a{round}")])?;
        writer.commit()?;
        writer.optimize(1, &Control::new())?;
        assert_eq!(search(&reader, &request)?, before);
    }
    assert!(reader.refresh()?);
    assert!(!reader.refresh()?);
    assert_eq!(ids(&search(&reader, &request)?), ids(&search(&writer, &request)?));
    Ok(())
}

#[test]
fn parts_of_another_collection_are_refused() -> Result<(), Error> {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let [first, second] = ["first", "second"].map(|name| parent.path().join(name));
    for path in [&first, &second] {
        let collection = create(path)?;
        put(&collection, Put::Add, &documents("a", 5, 1))?;
        collection.commit()?;
        collection.close()?;
    }
    fs::copy(second.join("vectors-1.log"), first.join("vectors-1.log")).expect("a copy");
    let refused = || matches!(Collection::open(&first, OpenOptions::default()), Err(Error::Corrupt { .. }));
    assert!(refused());
    fs::remove_dir_all(first.join("bm25")).expect("a folder");
    fs::rename(second.join("bm25"), first.join("bm25")).expect("a free name");
    assert!(refused());
    Ok(())
}

#[test]
fn errors_say_what_a_folder_has_instead_of_a_collection() -> Result<(), Error> {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let path = parent.path().join("none");
    let error = Collection::open(&path, OpenOptions::default()).expect_err("no folder").to_string();
    assert!(error.ends_with("expected a collection, got no such folder"), "{error}");
    fs::create_dir(&path).expect("a free name");
    fs::write(path.join("notes.txt"), "mine").expect("writable");
    let error = create(&path).expect_err("someone else's file").to_string();
    assert!(error.ends_with("expected a new or empty folder, got \"notes.txt\" in it"), "{error}");
    fs::write(path.join("passagekit.json"), r#"{"format": "passagekit-collection", "version": 1}"#)
        .expect("writable");
    let error = Collection::open(&path, OpenOptions::default()).expect_err("an old format");
    assert!(matches!(error, Error::Version { .. }), "{error}");
    Ok(())
}

#[test]
fn searches_see_all_or_nothing_of_a_commit_while_it_is_made() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    let query = vector(&mut SplitMix64::new(5));
    // Every `put` replaces all documents. The price of a passage says which `put` it is from.
    let version = |number: usize| -> Vec<Document> {
        let one_passage = |mut document: Document| {
            document.passages.truncate(1);
            document.passages[0].0.push_str(" bridge");
            Document { price: number as f64, ..document }
        };
        documents("a", 300, number as u64).into_iter().map(one_passage).collect()
    };
    put(&collection, Put::Add, &version(0))?;
    collection.commit()?;
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| -> Result<(), Error> {
        let searching = scope.spawn(|| -> Result<usize, Error> {
            let mut searches = 0;
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                for retriever in [Retriever::Bm25, Retriever::Dense, common::hybrid()] {
                    let include = collection::Include { contents: true, highlights: false };
                    let request = Request { k: 1000, include, ..request("bridge", &query, retriever) };
                    let hits = search(&collection, &request)?;
                    let prices: std::collections::BTreeSet<String> = hits
                        .iter()
                        .map(|hit| format!("{:?}", hit.contents.as_ref().expect("contents").fields["price"]))
                        .collect();
                    assert!(hits.len() >= 100 && prices.len() == 1, "{} hits of {prices:?}", hits.len());
                    searches += 1;
                }
            }
            Ok(searches)
        });
        for number in 1..8 {
            put(&collection, Put::Upsert, &version(number))?;
            collection.commit()?;
            if number == 4 {
                collection.optimize(1, &Control::new())?;
            }
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(searching.join().expect("no panic")? > 3);
        Ok(())
    })
}

#[test]
fn the_graph_of_many_new_vectors_is_saved_when_the_collection_is_closed() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    put(&collection, Put::Add, &documents("a", 2600, 1))?;
    collection.commit()?;
    collection.delete(&["a3", "a5"])?;
    collection.commit()?;
    while collection.stats()?.pending > 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let query = vector(&mut SplitMix64::new(5));
    let request = request("bridge", &query, common::hybrid());
    let (before, stats) = (search(&collection, &request)?, collection.stats()?);
    assert!(stats.passages > 5_000);
    collection.close()?;
    assert!(folder.path().join("base-2.graph").exists() && !folder.path().join("vectors-1.log").exists());
    let options = OpenOptions {
        files: storage::OpenOptions { verify: true, in_memory: false },
        ..OpenOptions::default()
    };
    let opened = Collection::open(folder.path(), options)?;
    assert_eq!((opened.stats()?.pending, opened.stats()?.passages), (0, stats.passages));
    assert_eq!(ids(&search(&opened, &request)?), ids(&before));
    // Later changes are written to a new log. When closing after a small change, no new base is written.
    put(&opened, Put::Upsert, &documents("a", 20, 2))?;
    opened.commit()?;
    // The two deleted documents are among those added again.
    assert_eq!(opened.stats()?.documents, stats.documents + 2);
    opened.close()?;
    assert!(folder.path().join("base-2.graph").exists());
    Ok(())
}
