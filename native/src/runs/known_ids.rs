//! Passes the hits of quick searches, and of runs of an index, to JavaScript. Only the ids that JavaScript does not have
//! yet are passed as strings.

use std::sync::{Arc, Mutex, PoisonError};

use ranking::Hit;
use serving::KnownIds;

use super::hits::U32Buffer;
use crate::call::CallResult;

/// The ids that the JavaScript object of an index has.
#[derive(Default)]
pub struct JavaScriptIds(Mutex<KnownIds>);

/// The ids that the JavaScript object of an index has, and the state of the index at the time of a search. A run with
/// these uses the ids that JavaScript has.
#[derive(Clone)]
pub struct IdsOfIndex {
    pub known: Arc<JavaScriptIds>,
    /// The argument `space` of [`KnownIds::record`].
    pub space: u64,
    /// The argument `size` of [`KnownIds::record`].
    pub size: usize,
}

impl JavaScriptIds {
    /// Returns the maximum number of hits for which a buffer has room; `None` if it does not even have room for their
    /// number.
    pub fn max_hits(buffer: &[u32]) -> Option<usize> {
        Some(buffer.len().checked_sub(1)? / 2)
    }

    /// Writes the number of hits to `buffer`, then the bits of their f32 scores and, in the second half of the remaining
    /// elements, their slots. Returns the new ids as a JSON array, or an empty string if there are none.
    ///
    /// If the first element of `buffer` is 0, JavaScript does not have the ids of the last search or reading, so all
    /// ids are new. `space` and `size` are those of [`KnownIds::record`]. `visit_ids` calls its second argument with
    /// the id of each hit. `buffer` must have room for all hits (see [`max_hits`](Self::max_hits)).
    pub fn write(
        &self,
        (space, size): (u64, usize),
        hits: &[Hit],
        buffer: U32Buffer<'_>,
        visit_ids: impl FnOnce(&[Hit], &mut dyn FnMut(&str)) -> CallResult<()>,
    ) -> CallResult<String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, rest) = buffer.split_first_mut().expect("room for the number of hits");
        let (scores, slots) = rest.split_at_mut(rest.len() / 2);
        if *first == 0 {
            known.clear();
        }
        *first = hits.len() as u32;
        scores.iter_mut().zip(hits).for_each(|(bits, hit)| *bits = hit.score.to_bits());
        let new = known.record(space, size, hits, slots);
        let mut json = Vec::new();
        if !new.is_empty() {
            let mut ords = new.iter().map(|hit| hit.ord);
            visit_ids(&new, &mut |id| {
                json.push(if json.is_empty() { b'[' } else { b',' });
                serde_json::to_writer(&mut json, id).expect("a string is valid JSON");
                let ord = ords.next().expect("one id for each hit");
                if id.len() > KnownIds::MAX_BYTES {
                    known.forget(ord);
                }
            })?;
            json.push(b']');
        }
        Ok(String::from_utf8(json).expect("JSON is UTF-8"))
    }
}
