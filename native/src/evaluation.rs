use std::collections::HashMap;
use std::sync::Arc;

use corpus::PassageStore;
use evaluation::Measure;
use napi::Env;
use napi::bindgen_prelude::{Float64Array, Int32Array, Object};
use napi_derive::napi;
use ranking::Qrels;

use crate::error::Failure;
use crate::run::NativeRun;
use crate::task::{Outcome, call, spawn};

#[napi(catch_unwind)]
pub fn exact_match(prediction: String, answers: Vec<String>, patterns: bool) -> napi::Result<bool> {
    let matches = if patterns { evaluation::pattern_match } else { evaluation::exact_match };
    call(|| Ok(matches(&prediction, &answers)))
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

impl QrelsBuilder {
    /// What was added; the builder is empty afterwards.
    pub fn take(&mut self) -> Qrels {
        std::mem::take(&mut self.qrels)
    }
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
    let (run, qrels) = (run.clone(), qrels.take());
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
pub enum Texts {
    Store(Arc<PassageStore>),
    Memory(Arc<HashMap<String, String>>),
}

impl Texts {
    pub fn get(&self, id: &str) -> Outcome<&str> {
        let found = match self {
            Self::Store(store) => match store.find(id)? {
                Some(ord) => Some(store.get(ord)?.text),
                None => None,
            },
            Self::Memory(texts) => texts.get(id).map(String::as_str),
        };
        found.ok_or_else(|| {
            Failure::argument(format!(
                "passages: expected the text of every passage of the run, got none of \"{id}\""
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
    pub fn texts(&self) -> Texts {
        self.inner.clone()
    }

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
