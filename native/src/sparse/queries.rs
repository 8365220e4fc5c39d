use std::sync::Arc;

use napi_derive::napi;
use ranking::Hit;
use sparse::Searcher;

use crate::hits::{Hits, Ids};
use crate::run::Names;
use crate::task::Outcome;

/// Queries on their way from JavaScript, copied a slice at a time.
#[napi]
#[derive(Default)]
pub struct QueryBatch {
    pub(super) ids: Vec<String>,
    pub(super) texts: Vec<String>,
}

#[napi]
impl QueryBatch {
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    #[napi(catch_unwind)]
    pub fn push(&mut self, ids: Vec<String>, texts: Vec<String>) {
        self.ids.extend(ids);
        self.texts.extend(texts);
    }

    /// Ids and texts of `count` queries, each with U+0000 between them: one string crosses faster than many. False,
    /// and nothing taken, if some have that character in them.
    #[napi(catch_unwind)]
    pub fn push_joined(&mut self, count: u32, ids: String, texts: String) -> bool {
        let (ids, texts) = (ids.split('\0'), texts.split('\0'));
        let count = count as usize;
        if (ids.clone().count(), texts.clone().count()) != (count, count) {
            return false;
        }
        self.ids.extend(ids.map(str::to_owned));
        self.texts.extend(texts.map(str::to_owned));
        true
    }
}

/// Names what a searcher found.
pub struct Found(pub Arc<Searcher>);

impl Names for Found {
    fn for_each_id(&self, _list: usize, hits: &[Hit], with: &mut dyn FnMut(&str)) -> Outcome<()> {
        Ok(self.0.for_each_id(hits, with)?)
    }
}

/// What a searcher found, with ids.
pub fn found(searcher: &Searcher, hits: &[Hit]) -> Outcome<Hits> {
    Ok(ids_of(searcher, hits)?.with_scores(hits.iter().map(|hit| hit.score).collect()))
}

pub fn ids_of(searcher: &Searcher, hits: &[Hit]) -> Outcome<Ids> {
    let mut ids = Ids::of(hits.len());
    searcher.for_each_id(hits, |id| ids.push(id))?;
    Ok(ids)
}
