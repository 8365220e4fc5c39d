use std::collections::hash_map::Entry;

use ranking::{Hit, by_rank};
use rustc_hash::FxHashMap;

use crate::{Error, Method};

/// The passages of several lists, and the lists as columns over them.
pub(crate) struct Union {
    /// In order of first appearance, the lists read one after the other.
    passages: Vec<u32>,
    columns: Vec<Column>,
    places: FxHashMap<u32, u32>,
}

/// One list as (place in the union, score), best first.
pub(crate) type Column = Vec<(u32, f64)>;

impl Union {
    /// Of no lists; [`fill`](Self::fill) uses its memory again and again.
    pub fn new() -> Self {
        Self { passages: Vec::new(), columns: Vec::new(), places: FxHashMap::default() }
    }

    /// Takes the place of what was there. Where a list has a passage twice, the first counts.
    pub fn fill(&mut self, lists: &[&[Hit]]) {
        self.passages.clear();
        self.places.clear();
        self.columns.resize_with(lists.len(), Column::new);
        for (list, column) in lists.iter().zip(&mut self.columns) {
            column.clear();
            let known = self.passages.len();
            // A bit for each passage of earlier lists that this one has had.
            let mut had = vec![false; known];
            for hit in *list {
                let place = match self.places.entry(hit.ord) {
                    Entry::Vacant(entry) => {
                        entry.insert(self.passages.len() as u32);
                        self.passages.push(hit.ord);
                        self.passages.len() - 1
                    }
                    Entry::Occupied(entry) => {
                        let place = *entry.get() as usize;
                        if place >= known || std::mem::replace(&mut had[place], true) {
                            continue;
                        }
                        place
                    }
                };
                column.push((place as u32, f64::from(hit.score)));
            }
        }
    }

    pub fn passages(&self) -> &[u32] {
        &self.passages
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The fused score of every passage.
    pub fn scores(&self, method: &Method) -> Result<Vec<f64>, Error> {
        match method {
            Method::Linear(linear) => {
                linear.check(self.columns.len())?;
                let parts = linear.parts(self);
                let mut scores = vec![0.0; self.passages.len()];
                linear.add(&parts, &mut scores);
                Ok(scores)
            }
            Method::ReciprocalRank(reciprocal) => reciprocal.scores(self),
        }
    }

    /// The `k` best by their scores, best first; of equal ones the passage that appears first.
    pub fn best(&self, scores: &[f64], k: usize) -> Vec<Hit> {
        // Places in the union stand in for ords, so that ties go by first appearance.
        let mut fused: Vec<Hit> =
            scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score: score as f32 }).collect();
        if k < fused.len() && k > 0 {
            fused.select_nth_unstable_by(k - 1, by_rank);
        }
        fused.truncate(k);
        fused.sort_unstable_by(by_rank);
        fused.iter_mut().for_each(|hit| hit.ord = self.passages[hit.ord as usize]);
        fused
    }
}
