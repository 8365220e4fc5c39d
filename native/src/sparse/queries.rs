//! Receives batches of queries from JavaScript, and looks up the passage ids of hits.

use std::sync::Arc;

use napi_derive::napi;
use ranking::{Hit, PassageIds};
use sparse::Searcher;

use crate::call::CallResult;
use crate::runs::{Hits, PassageIdBuilder};

/// Queries that JavaScript passes in several calls, so that no call takes long.
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

    /// Adds queries, with one id and one text each.
    #[napi(catch_unwind)]
    pub fn push(&mut self, ids: Vec<String>, texts: Vec<String>) {
        self.ids.extend(ids);
        self.texts.extend(texts);
    }

    /// Adds `count` queries. The ids are joined into one string with U+0000 between them, and so are the texts, because
    /// passing one string to the addon is faster than passing many. Returns false, and adds nothing, if an id or a text
    /// contains that character.
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

/// Looks up the passage ids of the hits of a run, in the snapshot of the index that the run was made from.
pub struct SearcherIds(pub Arc<Searcher>);

impl PassageIds for SearcherIds {
    fn for_each_id(
        &self,
        _list: usize,
        hits: &[Hit],
        visit: &mut dyn FnMut(&str),
    ) -> Result<(), ranking::Error> {
        self.0.for_each_id(hits, visit).map_err(|error| ranking::Error::Ids(error.into()))
    }
}

/// Converts hits that `searcher` returned to their passage ids and scores.
pub fn to_hits(searcher: &Searcher, hits: &[Hit]) -> CallResult<Hits> {
    Ok(ids_of(searcher, hits)?.with_scores(hits.iter().map(|hit| hit.score)))
}

/// Looks up the passage ids of hits that `searcher` returned.
fn ids_of(searcher: &Searcher, hits: &[Hit]) -> CallResult<PassageIdBuilder> {
    let mut ids = PassageIdBuilder::with_capacity(hits.len());
    searcher.for_each_id(hits, |id| ids.push(id))?;
    Ok(ids)
}
