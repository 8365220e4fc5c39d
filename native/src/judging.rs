//! Runs judged by the answers that their passages have.

use std::collections::HashMap;
use std::sync::Arc;

use evaluation::{Candidates, first_with_answer, with_answers};
use fusion::{JudgedQuestion, first_ranks};
use napi::Env;
use napi::bindgen_prelude::{Object, Uint32Array};
use napi_derive::napi;
use ranking::Hit;
use text::AnswerMatcher;

use crate::control::{Control, or_new};
use crate::evaluation::{NativeTexts, Texts};
use crate::fusion::{FusionMethod, parse};
use crate::numbering::Aligned;
use crate::run::NativeRun;
use crate::task::{Outcome, spawn};

/// Finds passages with answers in runs of the same questions.
#[napi]
pub struct AnswerJudge {
    runs: Vec<NativeRun>,
    texts: Texts,
    depth: usize,
    patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

#[napi]
impl AnswerJudge {
    /// Of each list the first `depth` passages count.
    #[napi(constructor, catch_unwind)]
    pub fn new(runs: Vec<&NativeRun>, texts: &NativeTexts, depth: u32, patterns: bool) -> Self {
        let (runs, texts) = (runs.into_iter().cloned().collect(), texts.texts());
        Self { runs, texts, depth: depth as usize, patterns, questions: Vec::new() }
    }

    #[napi(catch_unwind)]
    pub fn add(&mut self, question: String, answers: Vec<String>) {
        self.questions.push((question, answers));
    }

    /// Of the first run: ranks from 1, in the order in which questions were added; 0 where no passage has an answer.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn first_ranks<'env>(
        &mut self,
        env: &'env Env,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (work, control) = (self.taken(), or_new(control));
        spawn(env, move || {
            control.set_total(work.questions.len() as u64);
            let aligned = Aligned::new(&work.runs[..1], work.depth)?;
            let candidates = work.candidates(&aligned, |lists| lists[0].iter().map(|hit| hit.ord).collect());
            let text = |passage: u32| work.texts.get(aligned.numbering.id(passage));
            Ok(Uint32Array::from(first_with_answer(&candidates, text, &control)?))
        })
    }

    /// All passages with answers, for many questions to be asked of them.
    #[napi(ts_return_type = "Promise<JudgedLists>", catch_unwind)]
    pub fn judge<'env>(&mut self, env: &'env Env, control: Option<&Control>) -> napi::Result<Object<'env>> {
        let (work, control) = (self.taken(), or_new(control));
        spawn(env, move || {
            control.set_total(work.questions.len() as u64);
            let aligned = Aligned::new(&work.runs, work.depth)?;
            let union = |lists: &[&[Hit]]| {
                let mut passages: Vec<u32> = lists.iter().copied().flatten().map(|hit| hit.ord).collect();
                passages.sort_unstable();
                passages.dedup();
                passages
            };
            let candidates = work.candidates(&aligned, union);
            let text = |passage: u32| work.texts.get(aligned.numbering.id(passage));
            let relevant = with_answers(&candidates, text, &control)?;
            let questions = work.positions(&aligned);
            let Aligned { lists, .. } = aligned;
            Ok(JudgedLists { inner: Arc::new(Inner { lists, questions, relevant }) })
        })
    }

    fn taken(&mut self) -> Work {
        let (runs, texts) = (self.runs.clone(), self.texts.clone());
        let (depth, patterns, questions) = (self.depth, self.patterns, std::mem::take(&mut self.questions));
        Work { runs, texts, depth, patterns, questions }
    }
}

struct Work {
    runs: Vec<NativeRun>,
    texts: Texts,
    depth: usize,
    patterns: bool,
    questions: Vec<(String, Vec<String>)>,
}

impl Work {
    /// Where the runs have each question, if they do.
    fn positions(&self, aligned: &Aligned) -> Vec<Option<usize>> {
        let positions: HashMap<&str, usize> =
            aligned.queries.iter().enumerate().map(|(at, query)| (query.as_str(), at)).collect();
        self.questions.iter().map(|(id, _)| positions.get(id.as_str()).copied()).collect()
    }

    fn candidates(&self, aligned: &Aligned, passages: impl Fn(&[&[Hit]]) -> Vec<u32>) -> Vec<Candidates> {
        let positions = self.positions(aligned);
        let questions = self.questions.iter().zip(positions);
        let candidates = questions.map(|((_, answers), at)| {
            // As Pyserini: a pattern that Python would refuse matches nothing.
            let matcher = if self.patterns {
                AnswerMatcher::patterns_lossy(answers).0
            } else {
                AnswerMatcher::tokens(answers)
            };
            let passages = at.map_or_else(Vec::new, |at| passages(&aligned.of(at)));
            Candidates { matcher, passages }
        });
        candidates.collect()
    }
}

/// Lists of questions, of which it is known which passages have answers.
#[napi]
pub struct JudgedLists {
    inner: Arc<Inner>,
}

struct Inner {
    /// `[runs][queries]`.
    lists: Vec<Vec<Vec<Hit>>>,
    /// Where the runs have each question.
    questions: Vec<Option<usize>>,
    /// `[questions]`
    relevant: Vec<Vec<u32>>,
}

impl Inner {
    fn questions(&self) -> Vec<JudgedQuestion<'_>> {
        let of = |at: Option<usize>| -> Vec<&[Hit]> {
            self.lists.iter().map(|lists| at.map_or(&[][..], |at| &lists[at])).collect()
        };
        let questions = self.questions.iter().zip(&self.relevant);
        questions.map(|(&at, relevant)| JudgedQuestion { lists: of(at), relevant }).collect()
    }
}

#[napi]
impl JudgedLists {
    /// `[methods, questions]`: the rank, from 1, of the first passage with an answer in the fused list; 0 where there is
    /// none up to `within`.
    #[napi(ts_return_type = "Promise<Uint32Array>", catch_unwind)]
    pub fn first_ranks<'env>(
        &self,
        env: &'env Env,
        methods: Vec<FusionMethod>,
        within: u32,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (judged, control) = (Arc::clone(&self.inner), or_new(control));
        spawn(env, move || {
            let lists = judged.lists.len();
            let methods = methods.iter().map(|method| parse(method, lists)).collect::<Outcome<Vec<_>>>()?;
            control.set_total(judged.questions.len() as u64);
            let ranks = first_ranks(&judged.questions(), &methods, within as usize, &control)?;
            Ok(Uint32Array::from(ranks.concat()))
        })
    }
}
