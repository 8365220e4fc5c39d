//! Random operations on a collection, compared with the same operations on a simple model.

mod common;

use collection::{Collection, Error, Include, OpenOptions, Put, Request};
use common::model::{Model, check};
use common::{Document, cheaper_than, create, hybrid, put, request, search};
use control::Control;
use numerics::SplitMix64;

/// Runs `steps` random operations on a collection and on a model. Some of the operations also compare the two.
fn run(seed: u64, steps: usize) -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("collection");
    let mut random = SplitMix64::new(seed);
    let mut collection = create(&path)?;
    let (mut committed, mut pending) = (Model::default(), Model::default());
    for _ in 0..steps {
        let operation = random.next_u64() % 16;
        let id = format!("d{}", random.next_u64() % 30);
        match operation {
            0..=5 => {
                // One to three documents at once, with different ids.
                let count = 1 + random.next_u64() % 3;
                let documents: Vec<_> =
                    (0..count).map(|at| Document::random(&format!("{id}.{at}"), &mut random)).collect();
                put(&collection, Put::Upsert, &documents)?;
                documents.into_iter().for_each(|document| pending.put(document));
            }
            6 => {
                let document = Document::random(&id, &mut random);
                let is_new = pending.documents.iter().all(|other| other.id != id);
                match put(&collection, Put::Add, std::slice::from_ref(&document)) {
                    Ok(()) => {
                        assert!(is_new);
                        pending.put(document);
                    }
                    Err(Error::DuplicateDocument { .. }) => assert!(!is_new),
                    Err(error) => return Err(error),
                }
            }
            7 | 8 => {
                let id = format!("{id}.0");
                assert_eq!(collection.delete(&[&id])? == 1, pending.delete(&id));
            }
            9 => {
                collection.rollback()?;
                pending = committed.clone();
            }
            10 => {
                // One document of the call is invalid, so the valid one before it is not added either.
                let mut documents =
                    [Document::random("valid", &mut random), Document::random("bad", &mut random)];
                documents[1].passages[0].1[0] = f32::NAN;
                assert!(matches!(put(&collection, Put::Upsert, &documents), Err(Error::Dense(_))));
            }
            11 if committed.documents.len() > 3 => {
                // Deletes by a filter, which matches only committed documents.
                collection.commit()?;
                let filter = cheaper_than(8.0);
                let deleted = collection.delete_matching(&filter, &Control::new())?;
                let before = pending.documents.len();
                pending.documents.retain(|document| document.price >= 8.0);
                assert_eq!(deleted as usize, before - pending.documents.len());
                collection.commit()?;
                committed = pending.clone();
                check(&collection, &committed, &mut random)?;
            }
            12 => {
                collection.optimize(1, &Control::new())?;
                committed = pending.clone();
                assert!(collection.stats()?.segments <= 1 && collection.stats()?.pending == 0);
                check(&collection, &committed, &mut random)?;
            }
            13 => {
                // Uncommitted changes are lost when the collection is closed.
                collection.close()?;
                assert!(matches!(collection.stats(), Err(Error::Closed)));
                pending = committed.clone();
                collection = Collection::open(&path, OpenOptions::default())?;
                check(&collection, &committed, &mut random)?;
            }
            14 => {
                // Sets the fields of a committed document.
                collection.commit()?;
                committed = pending.clone();
                if let Some(document) = committed.documents.first().cloned() {
                    let fields = sparse::PassageFields::from([("price".to_owned(), 1.5.into())]);
                    collection.set_fields(&document.id, &fields)?;
                    pending.put(Document { price: 1.5, ..document });
                }
            }
            _ => {
                // A separate reader sees exactly the last commit.
                let reader = Collection::open(&path, OpenOptions::default())?;
                check(&reader, &committed, &mut random)?;
                collection.commit()?;
                committed = pending.clone();
                check(&collection, &committed, &mut random)?;
                let is_behind = reader.stats()?.generation < collection.stats()?.generation;
                assert_eq!(reader.refresh()?, is_behind);
                assert!(!reader.refresh()?);
                check(&reader, &committed, &mut random)?;
            }
        }
    }
    Ok(())
}

#[test]
fn after_random_operations_a_collection_equals_its_model() -> Result<(), Error> {
    (1..=6).try_for_each(|seed| run(seed, 60))
}

#[test]
#[ignore = "takes minutes; run it with --ignored after changing the writer"]
fn after_many_random_operations_a_collection_equals_its_model() -> Result<(), Error> {
    (100..160).try_for_each(|seed| run(seed, 300))
}

#[test]
fn hits_have_contents_and_highlights_on_request() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    let document = Document {
        id: "a".to_owned(),
        passages: vec![("A bridge of stone".to_owned(), vec![1.0; 8])],
        price: 3.0,
    };
    put(&collection, Put::Add, &[document])?;
    collection.commit()?;
    let query = [1.0; 8];
    let include = Include { contents: true, highlights: true };
    let hits = search(&collection, &Request { include, ..request("stone bridge", &query, hybrid()) })?;
    let contents = hits[0].contents.as_ref().expect("contents");
    assert_eq!((contents.text.as_str(), contents.title.as_deref()), ("A bridge of stone", None));
    let highlights = hits[0].highlights.as_ref().expect("highlights");
    let words: Vec<_> = highlights.iter().map(|range| &contents.text[range.clone()]).collect();
    assert_eq!(words, ["bridge", "stone"]);
    Ok(())
}

#[test]
fn a_filter_of_documents_selects_their_passages_and_accepts_only_a_list_of_ids() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    let document =
        Document { id: "a".to_owned(), passages: vec![("stone".to_owned(), vec![1.0; 8])], price: 3.0 };
    put(&collection, Put::Add, &[document])?;
    collection.commit()?;
    let filter = collection.parse_filter(r#"{"not": {"documents": ["a", "unknown"]}}"#)?;
    assert_eq!(filter, sparse::Filter::Not(Box::new(sparse::Filter::Ids(vec!["a#0".to_owned()]))));
    for invalid in [
        r#"{"documents": [1]}"#,
        r#"{"documents": "a"}"#,
        r#"{"or": [{"documents": ["a"], "ids": ["a#0"]}]}"#,
    ] {
        let error = collection.parse_filter(invalid).expect_err(invalid);
        assert!(matches!(error, Error::Argument { .. }), "{error:?}");
    }
    Ok(())
}
