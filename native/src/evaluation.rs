use std::collections::HashMap;
use std::sync::Arc;

use corpus::PassageStore;
use evaluation::Measure;
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Int32Array, Object, Uint32Array};
use napi_derive::napi;
use ranking::Qrels;
use text::{AnswerMatcher, PreparedText};

use crate::control::{Control, or_new};
use crate::error::Failure;
use crate::run::NativeRun;
use crate::task::{Outcome, call, spawn};

#[napi(catch_unwind)]
pub fn exact_match(prediction: String, answers: Vec<String>) -> napi::Result<bool> {
    call(|| Ok(evaluation::exact_match(&prediction, &answers)))
}

#[napi(catch_unwind)]
pub fn f1(prediction: String, answers: Vec<String>) -> napi::Result<f64> {
    call(|| Ok(evaluation::f1(&prediction, &answers)))
}

/// Takes judgements from JavaScript, query by query.
#[napi]
#[derive(Default)]
pub struct QrelsBuilder {
    qrels: Qrels,
}

#[napi]
impl QrelsBuilder {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, query: String, passages: Vec<String>, grades: Int32Array) {
        for (passage, &grade) in passages.into_iter().zip(grades.iter()) {
            self.qrels.insert(query.as_str(), passage, grade);
        }
    }
}

/// `values` is `[queries, measures]`.
#[napi(object)]
pub struct NativeEvaluation {
    pub means: Float64Array,
    pub queries: Vec<String>,
    pub values: Float64Array,
    pub missing: u32,
    pub unjudged: u32,
}

/// Measures a run. The builder is empty afterwards.
#[napi(ts_return_type = "Promise<NativeEvaluation>", catch_unwind)]
pub fn evaluate<'env>(
    env: &'env Env,
    run: &NativeRun,
    qrels: &mut QrelsBuilder,
    measures: Vec<String>,
) -> napi::Result<Object<'env>> {
    let (run, qrels) = (run.clone(), std::mem::take(&mut qrels.qrels));
    spawn(env, move || {
        let measures = measures.iter().map(|name| name.parse::<Measure>()).collect::<Result<Vec<_>, _>>()?;
        let evaluation = evaluation::evaluate(&*run.named()?, &qrels, &measures)?;
        let means: Vec<f64> = evaluation.measured.iter().map(|measured| measured.mean).collect();
        let values: Vec<f64> = (0..evaluation.queries.len())
            .flat_map(|query| evaluation.measured.iter().map(move |measured| measured.values[query]))
            .collect();
        Ok(NativeEvaluation {
            means: means.into(),
            queries: evaluation.queries,
            values: values.into(),
            missing: evaluation.missing as u32,
            unjudged: evaluation.unjudged as u32,
        })
    })
}

/// Where passages' texts are.
#[derive(Clone)]
enum Texts {
    Store(Arc<PassageStore>),
    Memory(Arc<HashMap<String, String>>),
}

impl Texts {
    fn get(&self, id: &str) -> Outcome<&str> {
        let found = match self {
            Self::Store(store) => match store.find(id)? {
                Some(ord) => Some(store.get(ord)?.text),
                None => None,
            },
            Self::Memory(texts) => texts.get(id).map(String::as_str),
        };
        found.ok_or_else(|| {
            Failure::argument(format!(
                "topKAccuracy: expected the text of every passage of the run, got none of \"{id}\""
            ))
        })
    }
}

/// Passages' texts, in a store or copied from JavaScript.
#[napi]
pub struct NativeTexts {
    inner: Texts,
}

impl NativeTexts {
    pub fn of_store(store: Arc<PassageStore>) -> Self {
        Self { inner: Texts::Store(store) }
    }

    /// The store that the texts are in, if they are in one.
    pub fn store(&self) -> Option<Arc<PassageStore>> {
        match &self.inner {
            Texts::Store(store) => Some(Arc::clone(store)),
            Texts::Memory(_) => None,
        }
    }
}

#[napi]
impl NativeTexts {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { inner: Texts::Memory(Arc::default()) }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, ids: Vec<String>, texts: Vec<String>) {
        if let Texts::Memory(memory) = &mut self.inner {
            Arc::make_mut(memory).extend(ids.into_iter().zip(texts));
        }
    }
}

/// Finds the first passage with an answer for each question.
#[napi]
pub struct AnswerJudge {
    run: NativeRun,
    texts: Texts,
    depth: usize,
    patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl AnswerJudge {
    #[napi(constructor, catch_unwind)]
    pub fn new(run: &NativeRun, texts: &NativeTexts, depth: u32, patterns: bool) -> Self {
        let (run, texts) = (run.clone(), texts.inner.clone());
        Self { run, texts, depth: depth as usize, patterns, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, question: String, answers: Vec<String>) {
        self.questions.push((question, answers));
    }

    /// Ranks from 1, in the order in which questions were added; 0 where no passage has an answer.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn first_ranks<'env>(
        &mut self,
        env: &'env Env,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (run, texts, control) = (self.run.clone(), self.texts.clone(), or_new(control));
        let (depth, patterns, questions) = (self.depth, self.patterns, std::mem::take(&mut self.questions));
        spawn(env, move || {
            let run = run.named()?;
            control.set_total(questions.len() as u64);
            let mut prepared: HashMap<&str, PreparedText<'_>> = HashMap::new();
            let mut ranks = Vec::with_capacity(questions.len());
            for (question, answers) in &questions {
                control.check()?;
                // As Pyserini: a pattern that Python would refuse matches nothing.
                let answers = if patterns {
                    AnswerMatcher::patterns_lossy(answers).0
                } else {
                    AnswerMatcher::tokens(answers)
                };
                let mut first = 0;
                for (rank, hit) in run.get(question).unwrap_or_default().iter().take(depth).enumerate() {
                    if !prepared.contains_key(hit.id.as_str()) {
                        prepared.insert(&hit.id, PreparedText::new(texts.get(&hit.id)?));
                    }
                    if answers.matches_prepared(&prepared[hit.id.as_str()]) {
                        first = rank as u32 + 1;
                        break;
                    }
                }
                ranks.push(first);
                control.advance(1);
            }
            Ok(Uint32Array::from(ranks))
        })
    }
}
