//! Searches that run only if they are quick, for callers that must not block.

mod common;

use collection::{Collection, Error, Include, OpenOptions, Put, Request, Retriever};
use common::{DIM, Document, cheaper_than, create, hybrid, put, request, search, vector};
use control::Control;
use numerics::SplitMix64;
use tempfile::TempDir;

/// Returns `count` random documents, each with `passages` passages.
fn documents(count: usize, passages: usize, random: &mut SplitMix64) -> Vec<Document> {
    let document = |at: usize| {
        let mut document = Document::random(&format!("d{at}"), random);
        let first = document.passages[0].clone();
        document.passages.resize(passages, first);
        document
    };
    (0..count).map(document).collect()
}

/// Returns a collection with `count` committed documents of `passages` passages each, and its temporary folder.
fn collection_of(
    count: usize,
    passages: usize,
    random: &mut SplitMix64,
) -> Result<(TempDir, Collection), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    put(&collection, Put::Add, &documents(count, passages, random))?;
    collection.commit()?;
    Ok((folder, collection))
}

#[test]
fn quick_searches_return_the_same_hits_as_other_searches() -> Result<(), Error> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    let mut random = SplitMix64::new(11);
    let filters = [cheaper_than(50.0), cheaper_than(10.0), cheaper_than(0.0)];
    let mut quick_count = 0;
    for round in 0..3 {
        // Some documents are replaced. The vectors of some are pending, and those of others are in the graph.
        put(&collection, Put::Upsert, &documents(100 + 50 * round, 1 + round, &mut random))?;
        collection.commit()?;
        if round == 1 {
            collection.optimize(1, &Control::new())?;
        }
        for _ in 0..200 {
            let query = vector(&mut random);
            let text = ["bridge", "stone river", "glass road unknown", ""][random.below(4) as usize];
            let retriever = [Retriever::Bm25, Retriever::Dense, hybrid()][random.below(3) as usize].clone();
            let include = Include { contents: random.below(2) == 0, highlights: random.below(3) == 0 };
            let request = Request {
                k: random.below(30) as usize,
                offset: random.below(5) as usize,
                filter: filters.get(random.below(4) as usize),
                group_by_document: random.below(4) == 0,
                exact: random.below(2) == 0,
                include,
                ..request(text, &query, retriever)
            };
            let quick = collection.search_if_quick(&request)?;
            let found = search(&collection, &request)?;
            if let Some(quick) = quick {
                quick_count += 1;
                assert_eq!(quick, found, "{request:?}");
            }
        }
    }
    assert!(quick_count > 100, "{quick_count}");
    Ok(())
}

#[test]
fn a_search_is_quick_once_its_filter_is_cached_and_its_parts_have_been_timed() -> Result<(), Error> {
    let mut random = SplitMix64::new(12);
    let (_folder, collection) = collection_of(50, 1, &mut random)?;
    let (query, filter) = (vector(&mut random), cheaper_than(50.0));
    let is_quick = |request: &Request| Ok::<_, Error>(collection.search_if_quick(request)?.is_some());
    // A BM25 search needs no earlier search.
    assert!(is_quick(&request("bridge", &query, Retriever::Bm25))?);
    let contents = Include { contents: true, highlights: false };
    for request in [
        request("bridge", &query, Retriever::Dense),
        Request { filter: Some(&filter), ..request("bridge", &query, Retriever::Bm25) },
        Request { include: contents, ..request("bridge", &query, Retriever::Bm25) },
    ] {
        assert!(!is_quick(&request)?, "{request:?}");
        // The first search may be slow for a reason that does not recur. The estimate follows the fastest recent
        // searches.
        for _ in 0..20 {
            search(&collection, &request)?;
        }
        assert!(is_quick(&request)?, "{request:?}");
    }
    // The set of passages that match a filter is cached until the next commit.
    let filtered = Request { filter: Some(&filter), ..request("bridge", &query, Retriever::Bm25) };
    put(&collection, Put::Add, &[Document::random("new", &mut random)])?;
    assert!(is_quick(&filtered)?);
    collection.commit()?;
    assert!(!is_quick(&filtered)?);
    // Files that the writer has just written are assumed to be in memory.
    assert!(is_quick(&request("bridge", &query, Retriever::Bm25))?);
    Ok(())
}

#[test]
fn a_search_that_groups_documents_of_several_passages_is_not_quick() -> Result<(), Error> {
    let mut random = SplitMix64::new(13);
    for (passages, expected) in [(1, true), (2, false)] {
        let (_folder, collection) = collection_of(20, passages, &mut random)?;
        let grouped = Request { group_by_document: true, ..request("bridge", &[], Retriever::Bm25) };
        assert_eq!(collection.search_if_quick(&grouped)?.is_some(), expected);
    }
    Ok(())
}

#[test]
fn a_search_that_is_estimated_to_take_long_is_not_quick() -> Result<(), Error> {
    let mut random = SplitMix64::new(14);
    let (_folder, collection) = collection_of(1_000, 1, &mut random)?;
    // At half a microsecond per hit, 1,000 hits exceed the limit of a quarter of a millisecond.
    let many = Request { k: 1_000, ..request("bridge", &[], Retriever::Bm25) };
    assert_eq!(collection.search_if_quick(&many)?, None);
    assert!(collection.search_if_quick(&Request { k: 10, ..many.clone() })?.is_some());
    // The text may have at most 4096 bytes.
    let [long, shorter] = [4_097, 4_096].map(|bytes| "bridge ".repeat(1_000)[..bytes].to_owned());
    assert_eq!(collection.search_if_quick(&Request { k: 10, text: &long, ..many.clone() })?, None);
    assert!(collection.search_if_quick(&Request { k: 10, text: &shorter, ..many })?.is_some());
    Ok(())
}

#[test]
fn a_search_is_not_quick_if_thousands_of_passages_have_equal_scores() -> Result<(), Error> {
    let mut random = SplitMix64::new(16);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let collection = create(folder.path())?;
    let document = |at: usize| {
        let text = if at.is_multiple_of(1_000) { "river" } else { "bridge" };
        Document { id: format!("d{at}"), passages: vec![(text.to_owned(), vec![1.0; DIM])], price: 1.0 }
    };
    put(&collection, Put::Add, &(0..20_000).map(document).collect::<Vec<_>>())?;
    collection.commit()?;
    collection.optimize(1, &Control::new())?;
    let query = vector(&mut random);
    for retriever in [Retriever::Bm25, hybrid()] {
        let request = |text| Request { k: 10, ..request(text, &query, retriever.clone()) };
        for _ in 0..20 {
            assert_eq!(search(&collection, &request("bridge"))?.len(), 10);
        }
        assert!(collection.search_if_quick(&request("river"))?.is_some(), "{retriever:?}");
        assert_eq!(collection.search_if_quick(&request("bridge"))?, None, "{retriever:?}");
    }
    Ok(())
}

#[test]
fn quick_searches_fail_with_the_same_errors_as_other_searches() -> Result<(), Error> {
    let mut random = SplitMix64::new(15);
    let (folder, collection) = collection_of(20, 1, &mut random)?;
    let query = vector(&mut random);
    for _ in 0..20 {
        search(&collection, &request("bridge", &query, Retriever::Dense))?;
    }
    let check_failure = |request: &Request| {
        let [quick, other] =
            [collection.search_if_quick(request).map(|_| ()), search(&collection, request).map(|_| ())];
        let messages = [quick, other].map(|result| result.expect_err("an invalid request").to_string());
        assert_eq!(messages[0], messages[1]);
    };
    for retriever in [Retriever::Dense, hybrid()] {
        check_failure(&request("bridge", &query[..DIM - 1], retriever.clone()));
        check_failure(&request("bridge", &[f32::NAN; DIM], retriever.clone()));
        check_failure(&Request { vector: None, ..request("bridge", &query, retriever) });
    }
    // The index has no field `prize`.
    let unknown: sparse::Filter =
        serde_json::from_value(serde_json::json!({"equals": {"field": "prize", "value": 3}}))
            .expect("a filter");
    let filtered = Request { filter: Some(&unknown), ..request("bridge", &query, Retriever::Bm25) };
    assert!(collection.search_if_quick(&filtered)?.is_none(), "its filter was not evaluated");
    collection.close()?;
    check_failure(&request("bridge", &query, Retriever::Bm25));
    // A search is also quick in a collection that was just opened, because opening it has read the files.
    let opened = Collection::open(folder.path(), OpenOptions::default())?;
    assert!(opened.search_if_quick(&request("bridge", &query, Retriever::Bm25))?.is_some());
    Ok(())
}

#[test]
fn only_short_valid_filters_without_documents_are_parsed_quickly() {
    let parse = Collection::parse_filter_if_quick;
    let filter = cheaper_than(5.0);
    assert_eq!(parse(r#"{"range": {"field": "price", "lt": 5.0}}"#), Some(filter));
    assert_eq!(parse(r#"{"documents": ["a"]}"#), None);
    assert_eq!(parse(r#"{"range": 1}"#), None);
    assert_eq!(parse(&format!(r#"{{"ids": ["{}"]}}"#, "x".repeat(1_024))), None);
}
