//! A filtered search must find what an unfiltered search finds, without the passages that do not meet the filter.

use std::collections::HashMap;

use control::Control;
use proptest::prelude::*;
use sparse::{Analyzer, Bm25, Bm25Index, Error, Filter, IndexWriter, PassageFields, Searcher, WriterOptions};

use crate::model::{Kinds, has_meaning, kinds_of, meets};
use crate::strategies::{Step, filter, step};

/// `ever` holds the kinds of all fields that passages have had so far: those of deleted passages may or may not count.
fn check(
    searcher: &Searcher,
    passages: &HashMap<String, PassageFields>,
    ever: &Kinds,
    filters: &[Filter],
    k: usize,
) -> Result<(), TestCaseError> {
    let (control, parameters) = (Control::new(), Bm25::default());
    for (id, fields) in passages {
        prop_assert_eq!(&searcher.fields(id).expect("fields"), fields);
    }
    let queries = ["a", "b c c", "a b c d"];
    let live = kinds_of(passages.values());
    // The second time around from the cache.
    for filter in filters.iter().chain(filters) {
        prop_assert!(filter.check().is_ok());
        let filtered = match searcher.filtered(Some(filter), &control) {
            Ok(filtered) => {
                prop_assert!(passages.is_empty() || has_meaning(filter, ever), "{filter:?} was not refused");
                filtered
            }
            Err(Error::Part { .. }) => {
                let refused = !passages.is_empty() && !has_meaning(filter, &live);
                prop_assert!(refused, "{filter:?} was refused");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        let wanted = passages.iter().filter(|(id, fields)| meets(id, fields, filter)).count();
        prop_assert_eq!((filtered.len(), filtered.is_empty()), (wanted as u64, wanted == 0));
        let threads = if k == 1 { 2 } else { 1 };
        let many = filtered.search_many(&queries, k, parameters, threads, &control).expect("hits");
        for (query, together) in queries.iter().zip(many) {
            let mut expected = searcher.search(query, usize::MAX, parameters, &control).expect("hits");
            let ids = searcher.ids(&expected).expect("ids");
            let mut ids = ids.iter();
            expected.retain(|_| ids.next().is_some_and(|id| meets(id, &passages[id], filter)));
            expected.truncate(k);
            prop_assert_eq!(&filtered.search(query, k, parameters, &control).expect("hits"), &expected);
            prop_assert_eq!(&together, &expected);
            let terms: Vec<_> = query.split(' ').map(|term| (term.to_owned(), 1.0)).collect();
            let by_terms = filtered.search_terms(&terms, k, parameters, &control).expect("hits");
            prop_assert_eq!(&by_terms, &expected);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_filtered_search_is_a_search_of_which_the_rest_was_left_out(
        steps in prop::collection::vec(step(), 1..50),
        filters in prop::collection::vec(filter(), 1..12),
        k in 0usize..8,
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
        let (mut passages, mut commits, mut ever) = (HashMap::new(), 0, Kinds::new());
        let open = || Bm25Index::open(folder.path()).expect("an intact index").searcher();
        for step in steps {
            match step {
                Step::Put(id, text, fields) => {
                    let id = format!("p{id}");
                    for (name, kinds) in kinds_of([&fields]) {
                        ever.entry(name).or_default().extend(kinds);
                    }
                    let there = passages.insert(id.clone(), fields.clone()).is_some();
                    if there {
                        prop_assert!(writer.update_with_fields(&id, None, &text, &fields).expect("an update"));
                    } else {
                        writer.add_with_fields(&id, None, &text, &fields).expect("a new id");
                    }
                }
                Step::Delete(id) => {
                    let id = format!("p{id}");
                    let there = passages.remove(&id).is_some();
                    prop_assert_eq!(writer.delete(&[&id]).expect("a deletion"), u64::from(there));
                }
                Step::Commit if commits < 6 => {
                    commits += 1;
                    writer.commit().expect("a commit");
                    check(&open(), &passages, &ever, &filters, k)?;
                }
                Step::Commit => {}
            }
        }
        writer.commit().expect("a commit");
        check(&open(), &passages, &ever, &filters, k)?;
        writer.merge().expect("a merge");
        prop_assert!(open().segments() <= 1);
        // After the merge, no deleted passages are left.
        check(&open(), &passages, &kinds_of(passages.values()), &filters, k)?;
    }
}
