//! Finds which passages of runs contain an accepted answer, and the rank of the first such passage for each question.

use std::sync::Arc;

use corpus::PassageTexts;
use evaluation::{RunQuestion, first_answer_ranks, passages_with_answers};
use fusion::JudgedRuns;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array, Uint32Array};
use napi_derive::napi;
use ranking::{AlignedRuns, RetrievedRun};

use crate::call::{CallResult, Control, control_or_new, spawn};
use crate::corpus::{NativeTexts, text_of};
use crate::fusion::{FusionMethod, parse_method};
use crate::runs::NativeRun;

/// Finds the passages that contain answers, in runs of the same questions.
#[napi]
pub struct AnswerJudge {
    runs: Vec<RetrievedRun>,
    texts: PassageTexts,
    depth: usize,
    /// Whether answers are regular expressions.
    has_patterns: bool,
    /// The id and the accepted answers of each question.
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl AnswerJudge {
    /// Only the first `depth` passages of each list count. With `patterns`, answers are regular expressions.
    #[napi(constructor, catch_unwind)]
    pub fn new(runs: Vec<&NativeRun>, texts: &NativeTexts, depth: u32, patterns: bool) -> Self {
        let (runs, texts) = (runs.into_iter().map(NativeRun::retrieved).collect(), texts.texts());
        Self { runs, texts, depth: depth as usize, has_patterns: patterns, questions: Vec::new() }
    }

    /// Adds a question with its accepted answers.
    #[napi(catch_unwind)]
    pub fn add(&mut self, question: String, answers: Vec<String>) {
        self.questions.push((question, answers));
    }

    /// Returns a rank for each question, in the order in which the questions were added: the rank, from 1, of the first
    /// passage with an answer in the first run, or 0 if no passage has one. Removes the questions from the judge.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn first_ranks<'env>(
        &mut self,
        env: &'env Env,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (job, control) = (self.take_job(), control_or_new(control));
        spawn(env, move || {
            let runs = AlignedRuns::new(&job.runs[..1], job.depth)?;
            let text = |id: &str| text_of(&job.texts, id);
            Ok(Uint32Array::from(first_answer_ranks(&runs, job.questions(), text, &control)?))
        })
    }

    /// Returns for each hit of the first run 1 if its passage has an answer, else 0: the hits of one question after
    /// another, in the order in which the questions were added. Removes the questions from the judge.
    #[napi(ts_return_type = "Promise<Uint8Array>", catch_unwind)]
    pub fn with_answers<'env>(
        &mut self,
        env: &'env Env,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (job, control) = (self.take_job(), control_or_new(control));
        spawn(env, move || {
            let runs = AlignedRuns::new(&job.runs[..1], job.depth)?;
            let text = |id: &str| text_of(&job.texts, id);
            let relevant = passages_with_answers(&runs, job.questions(), text, &control)?;
            let queries = runs.query_indexes(job.questions.iter().map(|(id, _)| id.as_str()));
            let mut flags = Vec::new();
            for (query, relevant) in queries.into_iter().zip(relevant) {
                let hits = query.map(|query| runs.lists_of(query)[0]).unwrap_or_default();
                flags.extend(hits.iter().map(|hit| u8::from(relevant.binary_search(&hit.ord).is_ok())));
            }
            Ok(Uint8Array::from(flags))
        })
    }

    /// Finds all passages with answers. The result can evaluate many fusion methods without matching answers again.
    /// Removes the questions from the judge.
    #[napi(ts_return_type = "Promise<JudgedLists>", catch_unwind)]
    pub fn judge<'env>(&mut self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let (job, control) = (self.take_job(), control_or_new(control));
        spawn(env, move || {
            let runs = AlignedRuns::new(&job.runs, job.depth)?;
            let text = |id: &str| text_of(&job.texts, id);
            let relevant = passages_with_answers(&runs, job.questions(), text, &control)?;
            let ids = job.questions.iter().map(|(id, _)| id.as_str());
            Ok(JudgedLists { inner: Arc::new(JudgedRuns::new(runs, ids, relevant)) })
        })
    }

    fn take_job(&mut self) -> Job {
        Job {
            runs: self.runs.clone(),
            texts: self.texts.clone(),
            depth: self.depth,
            has_patterns: self.has_patterns,
            questions: std::mem::take(&mut self.questions),
        }
    }
}

/// The data that a call moves to another thread.
struct Job {
    runs: Vec<RetrievedRun>,
    texts: PassageTexts,
    depth: usize,
    has_patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

impl Job {
    fn questions(&self) -> Vec<RunQuestion> {
        let questions = self.questions.iter();
        questions.map(|(id, answers)| RunQuestion::new(id.clone(), answers, self.has_patterns)).collect()
    }
}

/// The hits of several runs for each question, and which of these passages contain an accepted answer.
#[napi]
pub struct JudgedLists {
    inner: Arc<JudgedRuns>,
}

#[napi]
impl JudgedLists {
    /// Returns ranks `[methods, questions]`: the rank, from 1, of the first passage with an answer in the fused list,
    /// or 0 if there is none up to rank `within`.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn first_ranks<'env>(
        &self,
        env: &'env Env,
        methods: Vec<FusionMethod>,
        within: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (judged, control) = (Arc::clone(&self.inner), control_or_new(control));
        spawn(env, move || {
            let run_count = judged.run_count();
            let methods = methods
                .iter()
                .map(|method| parse_method(method, run_count))
                .collect::<CallResult<Vec<_>>>()?;
            let ranks = judged.first_ranks(&methods, within as usize, &control)?;
            Ok(Uint32Array::from(ranks.concat()))
        })
    }
}
