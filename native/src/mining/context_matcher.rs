//! Finds the passages of a corpus that correspond to contexts.

use corpus::PassageTexts;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use pipelines::{Context, ContextMatch, ContextMatching, match_contexts};
use text::AnswerMatcher;

use crate::call::{Control, control_or_new, spawn};
use crate::corpus::NativeTexts;
use crate::runs::NativeRun;

/// Matches contexts with passages of a corpus.
#[napi]
pub struct ContextMatcher {
    texts: PassageTexts,
    /// Whether answers are regular expressions.
    has_patterns: bool,
    contexts: Vec<(String, String, Vec<String>)>,
}

#[napi]
impl ContextMatcher {
    #[napi(constructor, catch_unwind)]
    pub fn new(texts: &NativeTexts, patterns: bool) -> Self {
        Self { texts: texts.texts(), has_patterns: patterns, contexts: Vec::new() }
    }

    /// Adds a context: the id of its query in the run, its text, and the accepted answers of its question. Without
    /// answers, every passage may match.
    #[napi(catch_unwind)]
    pub fn add(&mut self, query: String, text: String, answers: Vec<String>) {
        self.contexts.push((query, text, answers));
    }

    /// Returns for each context the id of its passage; or, if there is none, `""` if no hit has enough in common with
    /// it, and `null` if such hits contain no answer. Removes the contexts from the matcher.
    #[napi(ts_return_type = "Promise<Array<string | null>>", catch_unwind)]
    pub fn find<'env>(
        &mut self,
        env: &'env Env,
        run: &NativeRun,
        depth: u32,
        min_overlap: f64,
        control: Option<&Control>,
    ) -> napi::Result<Object<'env>> {
        let (run, texts, has_patterns) = (run.retrieved(), self.texts.clone(), self.has_patterns);
        let contexts = std::mem::take(&mut self.contexts);
        let control = control_or_new(control);
        spawn(env, move || {
            let context = |(query, text, answers): (String, String, Vec<String>)| {
                let matcher = || matcher_of(&answers, has_patterns);
                Context { query, text, answers: (!answers.is_empty()).then(matcher) }
            };
            let contexts: Vec<Context> = contexts.into_iter().map(context).collect();
            let matching = ContextMatching { depth: depth as usize, min_overlap: min_overlap as f32 };
            let found = match_contexts(&run, &contexts, &texts, matching, &control)?;
            let id = |found| match found {
                ContextMatch::Passage(id) => Some(id),
                ContextMatch::NoOverlap => Some(String::new()),
                ContextMatch::NoAnswer => None,
            };
            Ok(found.into_iter().map(id).collect::<Vec<_>>())
        })
    }
}

/// Prepares accepted answers. A pattern that Python would reject matches nothing, as in Pyserini.
pub(super) fn matcher_of(answers: &[String], has_patterns: bool) -> AnswerMatcher {
    if has_patterns { AnswerMatcher::patterns_lossy(answers).0 } else { AnswerMatcher::tokens(answers) }
}
