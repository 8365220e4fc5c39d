//! A filtered search must find the same hits as an unfiltered search, except for passages that do not match the filter.
//! Counting the values of a field and sorting by a field must agree with the reference implementation.

use std::collections::HashMap;

use control::Control;
use proptest::prelude::*;
use sparse::{
    Analyzer, Bm25, Bm25Index, Error, Filter, FilteredSearcher, IndexWriter, PassageFields, Searcher,
    WriterOptions,
};

use crate::model::{FieldTypes, field_types, matches, matches_types};
use crate::strategies::{NAMES, Step, filter, step};
use crate::value_model::{sorted_by, value_counts};

/// Compares filtered searches with the model. `all_types` has the types of the values of all passages so far, including
/// deleted ones, whose types count until their segments are merged.
fn check(
    searcher: &Searcher,
    passages: &HashMap<String, PassageFields>,
    all_types: &FieldTypes,
    filters: &[Filter],
    k: usize,
) -> Result<(), TestCaseError> {
    let (control, parameters) = (Control::new(), Bm25::default());
    for (id, fields) in passages {
        prop_assert_eq!(&searcher.fields(id).expect("fields"), fields);
    }
    let queries = ["a", "b c c", "a b c d"];
    let current_types = field_types(passages.values());
    // Each filter is used twice. The second time, its sets of passages are in the cache.
    for filter in filters.iter().chain(filters) {
        prop_assert!(filter.check().is_ok());
        // If only deleted passages have a type, a condition on it may be accepted or refused.
        let filtered = match searcher.filtered(Some(filter), &control) {
            Ok(filtered) => {
                let accepted = passages.is_empty() || matches_types(filter, all_types);
                prop_assert!(accepted, "{filter:?} was not refused");
                filtered
            }
            Err(Error::Part { .. }) => {
                let refused = !passages.is_empty() && !matches_types(filter, &current_types);
                prop_assert!(refused, "{filter:?} was refused");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let wanted = passages.iter().filter(|(id, fields)| matches(id, fields, filter)).count();
        prop_assert_eq!((filtered.len(), filtered.is_empty()), (wanted as u64, wanted == 0));
        check_values(searcher, &filtered, passages, &current_types, filter, k)?;
        // Some cases search on two threads.
        let threads = if k == 1 { 2 } else { 1 };
        let batch = filtered.search_many(&queries, k, parameters, threads, &control).expect("hits");
        for (query, batch_hits) in queries.iter().zip(batch) {
            let mut expected = searcher.search(query, usize::MAX, parameters, &control).expect("hits");
            let ids = searcher.ids(&expected).expect("ids");
            let mut ids = ids.iter();
            expected.retain(|_| ids.next().is_some_and(|id| matches(id, &passages[id], filter)));
            expected.truncate(k);
            prop_assert_eq!(&filtered.search(query, k, parameters, &control).expect("hits"), &expected);
            prop_assert_eq!(&batch_hits, &expected);
            let terms: Vec<_> = query.split(' ').map(|term| (term.to_owned(), 1.0)).collect();
            let by_terms = filtered.search_terms(&terms, k, parameters, &control).expect("hits");
            prop_assert_eq!(&by_terms, &expected);
        }
    }
    Ok(())
}

/// Compares the counts and the order of the values of all fields with the model.
fn check_values(
    searcher: &Searcher,
    filtered: &FilteredSearcher<'_>,
    passages: &HashMap<String, PassageFields>,
    types: &FieldTypes,
    filter: &Filter,
    k: usize,
) -> Result<(), TestCaseError> {
    let matching = passages.iter().filter(|(id, fields)| matches(id, fields, filter));
    let ord = |id: &str| searcher.ord(id).expect("an intact index").expect("a passage of the index");
    let mut matching: Vec<(u32, &PassageFields)> = matching.map(|(id, fields)| (ord(id), fields)).collect();
    matching.sort_unstable_by_key(|&(ord, _)| ord);
    let ords: Vec<u32> = matching.iter().map(|&(ord, _)| ord).collect();
    prop_assert_eq!(filtered.ords().iter().collect::<Vec<_>>(), ords);
    for name in NAMES {
        let counts = match filtered.value_counts(name, k) {
            Err(Error::Part { .. }) => {
                prop_assert!(!passages.is_empty() && !types.contains_key(name), "{name:?} was refused");
                prop_assert!(filtered.sorted_by(name, false, 0, k).is_err());
                continue;
            }
            counts => counts.expect("counts"),
        };
        prop_assert_eq!(counts, value_counts(&matching, name, k));
        let all_counts = filtered.value_counts(name, 100).expect("counts");
        prop_assert_eq!(all_counts, value_counts(&matching, name, 100));
        for (descending, offset) in [(false, 0), (true, 0), (false, k), (true, 2)] {
            for k in [k, usize::MAX] {
                let sorted = filtered.sorted_by(name, descending, offset, k).expect("a field");
                prop_assert_eq!(sorted, sorted_by(&matching, name, descending, offset, k));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_filtered_search_finds_exactly_the_hits_of_an_unfiltered_search_that_match_the_filter(
        steps in prop::collection::vec(step(), 1..50),
        filters in prop::collection::vec(filter(), 1..12),
        k in 0usize..8,
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
        // Background merges would remove deleted passages from the statistics at unpredictable times.
        writer.merge_in_background(false);
        let (mut passages, mut all_types) = (HashMap::new(), FieldTypes::new());
        let open = || Bm25Index::open(folder.path()).expect("an intact index").searcher();
        for step in steps {
            match step {
                Step::Put(id, text, fields) => {
                    let id = format!("p{id}");
                    for (name, types) in field_types([&fields]) {
                        all_types.entry(name).or_default().extend(types);
                    }
                    let existed = passages.insert(id.clone(), fields.clone()).is_some();
                    if existed {
                        prop_assert!(writer.update_with_fields(&id, None, &text, &fields).expect("an update"));
                    } else {
                        writer.add_with_fields(&id, None, &text, &fields).expect("a new id");
                    }
                }
                Step::Delete(id) => {
                    let id = format!("p{id}");
                    let existed = passages.remove(&id).is_some();
                    prop_assert_eq!(writer.delete(&[&id]).expect("a deletion"), u64::from(existed));
                }
                Step::Commit => {
                    writer.commit().expect("a commit");
                    check(&open(), &passages, &all_types, &filters, k)?;
                }
            }
        }
        writer.commit().expect("a commit");
        check(&open(), &passages, &all_types, &filters, k)?;
        writer.merge().expect("a merge");
        prop_assert!(open().segments() <= 1);
        // After the merge, no deleted passages are left.
        check(&open(), &passages, &field_types(passages.values()), &filters, k)?;
    }
}
