//! Reads and writes relevance judgments (TREC qrels).

use std::path::Path;

use napi::Env;
use napi::bindgen_prelude::{Int32Array, Object};
use napi_derive::napi;
use ranking::Qrels;

use crate::call::{Control, control_or_new, spawn};

/// Relevance judgments, as three lists of the same length.
#[napi(object)]
pub struct QrelsColumns {
    pub queries: Vec<String>,
    pub passages: Vec<String>,
    pub grades: Int32Array,
}

/// Reads a TREC qrels file.
#[napi(ts_return_type = "Promise<QrelsColumns>", catch_unwind)]
pub fn read_qrels<'env>(
    env: &'env Env,
    path: String,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    spawn(env, move || {
        let qrels = corpus::read_qrels_cancelable(Path::new(&path), control)?;
        let (mut queries, mut passages, mut grades) = (Vec::new(), Vec::new(), Vec::new());
        for (query, judged) in qrels.iter() {
            for (passage, &grade) in judged {
                queries.push(query.to_owned());
                passages.push(passage.clone());
                grades.push(grade);
            }
        }
        Ok(QrelsColumns { queries, passages, grades: grades.into() })
    })
}

/// Writes a TREC qrels file.
#[napi(ts_return_type = "Promise<void>", catch_unwind)]
pub fn write_qrels<'env>(
    env: &'env Env,
    path: String,
    columns: QrelsColumns,
    control: Option<&Control>,
) -> napi::Result<Object<'env>> {
    let control = control_or_new(control);
    let grades = columns.grades.to_vec();
    let (queries, passages) = (columns.queries, columns.passages);
    spawn(env, move || {
        let mut qrels = Qrels::new();
        for ((query, passage), grade) in queries.into_iter().zip(passages).zip(grades) {
            qrels.insert(query, passage, grade);
        }
        Ok(corpus::write_qrels(Path::new(&path), &qrels, &control)?)
    })
}
