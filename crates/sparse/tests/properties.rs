//! Searches after random additions, updates, deletions and merges are compared with a model: lists of passages, scored
//! by the BM25 formula.

use std::collections::HashMap;

use control::Control;
use proptest::prelude::*;
use sparse::{Analyzer, Bm25, Bm25Index, IndexWriter, WriterOptions};

/// A change to the index, or a commit. If step 7 of a sequence is an addition, it adds the passage `p7`; updates and
/// deletions refer to a passage by this number. Texts are given as bytes, one for each term (see [`terms`]).
#[derive(Debug, Clone)]
enum Step {
    Add(Vec<u8>),
    Update(usize, Vec<u8>),
    Delete(usize),
    Commit,
}

/// The passages that the index must have.
#[derive(Default)]
struct Model {
    /// The passages of each committed segment.
    segments: Vec<Vec<Passage>>,
    /// Passages added since the last commit.
    pending: Vec<Passage>,
    next_ord: u32,
}

#[derive(Debug, Clone)]
struct Passage {
    id: String,
    ord: u32,
    terms: Vec<String>,
    /// True if the passage is not deleted.
    is_alive: bool,
    /// True if the passage was not deleted at the last commit, so searches find it.
    is_visible: bool,
}

impl Model {
    fn add(&mut self, id: &str, terms: &[String]) {
        let ord = self.next_ord;
        self.next_ord += 1;
        let terms = terms.to_vec();
        self.pending.push(Passage { id: id.into(), ord, terms, is_alive: true, is_visible: false });
    }

    /// Deletes a passage. Returns true if there was one with this id.
    fn delete(&mut self, id: &str) -> bool {
        let mut all = self.segments.iter_mut().flatten().chain(&mut self.pending);
        let passage = all.find(|passage| passage.id == id && passage.is_alive);
        passage.map(|passage| passage.is_alive = false).is_some()
    }

    fn commit(&mut self) {
        self.segments.push(std::mem::take(&mut self.pending));
        // tantivy drops a segment without live passages.
        self.segments.retain(|segment| segment.iter().any(|passage| passage.is_alive));
        self.segments.iter_mut().flatten().for_each(|passage| passage.is_visible = passage.is_alive);
    }

    /// Merges the committed segments into one without deleted passages.
    fn merge(&mut self) {
        let all = self.segments.drain(..).flatten().filter(|passage| passage.is_visible).collect();
        self.segments = vec![all];
    }

    /// Returns the best `k` passages with their ords and scores.
    ///
    /// score = Σ qtf · idf · tf / (tf + k1 · (1 − b + b · dl / avgdl)), in Lucene's order of operations, where qtf is
    /// the frequency of a term in the query. Deleted passages count in N, df and avgdl until they are merged away.
    /// Passages are short, so their lengths are stored exactly.
    fn search(&self, query: &[String], k: usize, Bm25 { k1, b }: Bm25) -> Vec<(String, u32, f32)> {
        let all: Vec<&Passage> = self.segments.iter().flatten().collect();
        let n = all.iter().filter(|passage| !passage.terms.is_empty()).count() as f64;
        let average = (all.iter().map(|passage| passage.terms.len()).sum::<usize>() as f64 / n) as f32;
        let count = |terms: &[String], term: &str| terms.iter().filter(|&other| other == term).count();
        let mut distinct: Vec<&String> = Vec::new();
        query.iter().for_each(|term| {
            if !distinct.contains(&term) {
                distinct.push(term)
            }
        });
        let mut hits = Vec::new();
        for passage in all.iter().filter(|passage| passage.is_visible) {
            let mut sum = None;
            for &term in &distinct {
                let tf = count(&passage.terms, term) as f32;
                if tf > 0.0 {
                    let df = all.iter().filter(|passage| passage.terms.contains(term)).count() as f64;
                    let idf = (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32;
                    let weight = count(query, term) as f32 * idf;
                    let inverse_norm = 1.0 / (k1 * ((1.0 - b) + b * passage.terms.len() as f32 / average));
                    *sum.get_or_insert(0.0) += f64::from(weight - weight / (1.0 + tf * inverse_norm));
                }
            }
            hits.extend(sum.map(|sum| (passage.id.clone(), passage.ord, sum as f32)));
        }
        hits.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.1.cmp(&b.1)));
        hits.truncate(k);
        hits
    }
}

/// Returns a term for each number: `a` for 0, `b` for 1, and so on.
fn terms(letters: &[u8]) -> Vec<String> {
    letters.iter().map(|&letter| char::from(b'a' + letter).to_string()).collect()
}

/// Compares all kinds of searches, and explanations, with the model.
fn check(
    index: &Bm25Index,
    model: &Model,
    queries: &[Vec<u8>],
    k: usize,
    parameters: Bm25,
) -> Result<(), TestCaseError> {
    index.reload().expect("an intact index");
    let (searcher, control) = (index.searcher(), Control::new());
    let visible = model.segments.iter().flatten().filter(|passage| passage.is_visible).count();
    prop_assert_eq!(searcher.len(), visible as u64);
    let texts: Vec<String> = queries.iter().map(|query| terms(query).join(" ")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = searcher.search_many(&texts, k, parameters, 2, &control).expect("hits");
    for ((query, text), batch_hits) in queries.iter().zip(texts).zip(batch) {
        let hits = searcher.search(text, k, parameters, &control).expect("hits");
        prop_assert_eq!(&hits, &batch_hits);
        let ids = searcher.ids(&hits).expect("ids");
        let got: Vec<_> = ids.into_iter().zip(&hits).map(|(id, hit)| (id, hit.ord, hit.score)).collect();
        prop_assert_eq!(&got, &model.search(&terms(query), k, parameters));
        let mut weights: HashMap<String, f32> = HashMap::new();
        terms(query).into_iter().for_each(|term| *weights.entry(term).or_default() += 1.0);
        let mut weighted: Vec<(String, f32)> = weights.into_iter().collect();
        weighted.sort_by_key(|(term, _)| text.find(term.as_str()));
        prop_assert_eq!(&searcher.search_terms(&weighted, k, parameters, &control).expect("hits"), &hits);
        for (id, _, score) in &got {
            let explanation = searcher.explain(text, id, parameters).expect("a passage of the index");
            prop_assert_eq!(explanation.score, *score);
            let passage =
                model.segments.iter().flatten().find(|passage| passage.id == *id && passage.is_visible);
            let in_passage = &passage.expect("a passage of the model").terms;
            prop_assert_eq!(explanation.length as usize, in_passage.len());
            for term in &explanation.terms {
                prop_assert_eq!(
                    term.frequency as usize,
                    in_passage.iter().filter(|other| **other == term.term).count()
                );
            }
            let sum: f64 = explanation.terms.iter().map(|term| f64::from(term.contribution)).sum();
            prop_assert_eq!(sum as f32, *score);
        }
    }
    Ok(())
}

/// The terms of a text or a query; see [`terms`].
fn letters() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0u8..6, 0..12)
}

/// A change to the index, or a commit.
fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => letters().prop_map(Step::Add),
        2 => (0usize..40, letters()).prop_map(|(at, text)| Step::Update(at, text)),
        2 => (0usize..40).prop_map(Step::Delete),
        1 => Just(Step::Commit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn searches_give_the_hits_and_scores_of_the_formula(
        steps in prop::collection::vec(step(), 1..60),
        queries in prop::collection::vec(letters(), 1..4),
        k in 0usize..30,
        (k1, b) in (0.0f32..3.0, 0.0f32..=1.0),
    ) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, WriterOptions::default()).expect("an empty folder");
        // Background merges would remove deleted passages from the statistics at unpredictable times.
        writer.merge_in_background(false);
        let index = Bm25Index::open(folder.path()).expect("an intact index");
        let mut model = Model::default();
        let parameters = Bm25 { k1, b };
        for (number, step) in steps.into_iter().enumerate() {
            match step {
                Step::Add(text) => {
                    let (id, text) = (format!("p{number}"), terms(&text));
                    model.add(&id, &text);
                    writer.add(&id, None, &text.join(" ")).expect("a new id");
                }
                Step::Update(at, text) => {
                    let (id, text) = (format!("p{at}"), terms(&text));
                    let replaced = model.delete(&id);
                    // Updating an unknown id would add a passage with an id that a later addition needs.
                    if replaced {
                        model.add(&id, &text);
                        // An empty title adds no term.
                        prop_assert!(writer.update(&id, Some(""), &text.join(" ")).expect("an update"));
                    }
                }
                Step::Delete(at) => {
                    let id = format!("p{at}");
                    // If an id is given twice, its passage is deleted and counted once.
                    prop_assert_eq!(writer.delete(&[&id, &id]).expect("a deletion"), u64::from(model.delete(&id)));
                }
                Step::Commit => {
                    model.commit();
                    writer.commit().expect("a commit");
                    check(&index, &model, &queries, k, parameters)?;
                }
            }
        }
        // Uncommitted changes are not visible, and a merge keeps them.
        writer.merge().expect("a merge");
        model.merge();
        check(&index, &model, &queries, k, parameters)?;
        writer.commit().expect("a commit");
        model.commit();
        check(&index, &model, &queries, k, parameters)?;
        drop(writer);
        let mut writer = IndexWriter::open(folder.path(), WriterOptions::default()).expect("an intact index");
        writer.merge().expect("a merge");
        model.merge();
        check(&index, &model, &queries, k, parameters)?;
        prop_assert!(index.searcher().segments() <= 1);
    }
}

#[test]
fn hits_with_equal_scores_are_in_the_order_of_insertion_across_segments() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = WriterOptions { threads: 3, ..WriterOptions::default() };
    let mut writer = IndexWriter::create(folder.path(), Analyzer::SIMPLE, options).expect("an empty folder");
    let ids: Vec<String> = (0..3000).map(|at| format!("p{at}")).collect();
    for batch in ids.chunks(700) {
        batch.iter().for_each(|id| writer.add(id, Some("same"), "words").expect("a new id"));
        writer.commit().expect("a commit");
    }
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    // First with several segments, then with one.
    for _ in 0..2 {
        let searcher = index.searcher();
        for k in [1, 10, 1000, 3000, usize::MAX] {
            let hits = searcher.search("words", k, Bm25::default(), &Control::new()).expect("hits");
            assert_eq!(
                hits.iter().map(|hit| hit.ord).collect::<Vec<_>>(),
                (0..hits.len() as u32).collect::<Vec<_>>()
            );
            assert_eq!(searcher.ids(&hits).expect("ids"), ids[..k.min(3000)]);
        }
        writer.merge().expect("a merge");
        index.reload().expect("an intact index");
        assert_eq!(index.searcher().segments(), 1);
    }
}
