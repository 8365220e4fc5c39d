//! The form in which hits are passed to JavaScript: all ids in one string, and the scores in a typed array.
//!
//! Creating one JavaScript string per id takes about as long as a quick search. Short lists of a run are also passed
//! without creating an array for the scores: they are written to an array that JavaScript reuses
//! ([`PassageIdBuilder::write`]). That array holds integers, because its first element is the number of hits, so scores
//! are written as the bits of their f32 values. Searches on the JavaScript thread, and runs of an index, pass their hits
//! in a third way ([`JavaScriptIds`](super::JavaScriptIds)).

use napi::bindgen_prelude::{Either, Float32Array};
use napi_derive::napi;

/// Hits of one query.
#[napi(object)]
pub struct Hits {
    /// Passage ids with U+0000 between them. Not set if `ids` is set.
    pub joined: Option<String>,
    /// Passage ids as a list. Set only if one of them contains U+0000.
    pub ids: Option<Vec<String>>,
    pub scores: Float32Array,
}

/// Passage ids in one string, with U+0000 between them, or as a list if one of them contains that character.
pub type JoinedIds = Either<String, Vec<String>>;

/// A `Uint32Array` of JavaScript that a call writes to. The reference is valid until the call returns.
pub type U32Buffer<'a> = &'a mut [u32];

/// Returns whether a buffer has room for the number of hits, followed by one score per hit.
pub fn has_room(hit_count: usize, buffer: &[u32]) -> bool {
    hit_count < buffer.len()
}

const SEPARATOR: char = '\0';

/// The length of an id in bytes that is assumed when memory is reserved.
const USUAL_ID_BYTES: usize = 16;

/// Joins passage ids to one string, or to a list if one of them contains U+0000.
#[derive(Default)]
pub struct PassageIdBuilder {
    joined: String,
    /// Where each id ends in `joined`.
    ends: Vec<usize>,
}

impl PassageIdBuilder {
    /// Returns an empty builder with room for `id_count` ids.
    pub fn with_capacity(id_count: usize) -> Self {
        Self { joined: String::with_capacity(USUAL_ID_BYTES * id_count), ends: Vec::with_capacity(id_count) }
    }

    pub fn push(&mut self, id: &str) {
        if !self.ends.is_empty() {
            self.joined.push(SEPARATOR);
        }
        self.joined.push_str(id);
        self.ends.push(self.joined.len());
    }

    /// Returns the ids together with the scores of their hits.
    pub fn with_scores(self, scores: impl Iterator<Item = f32>) -> Hits {
        let scores = scores.collect::<Vec<f32>>().into();
        match self.join() {
            Either::A(joined) => Hits { joined: Some(joined), ids: None, scores },
            Either::B(ids) => Hits { joined: None, ids: Some(ids), scores },
        }
    }

    /// Writes the number of hits and then the bits of their scores to `buffer`, and returns the ids. If `buffer` is too
    /// short for all scores (see [`has_room`]), writes only the number.
    pub fn write(self, scores: impl Iterator<Item = f32> + Clone, buffer: &mut [u32]) -> JoinedIds {
        let hit_count = scores.clone().count();
        if let Some((count, bits)) = buffer.split_first_mut() {
            *count = hit_count as u32;
            if hit_count <= bits.len() {
                bits.iter_mut().zip(scores).for_each(|(bits, score)| *bits = score.to_bits());
            }
        }
        self.join()
    }

    fn join(self) -> JoinedIds {
        let separators = self.joined.bytes().filter(|&byte| char::from(byte) == SEPARATOR).count();
        // There are n − 1 separators between n ids (0 if there are no ids). If the string has more, an id contains one.
        if separators < self.ends.len().max(1) {
            return Either::A(self.joined);
        }
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| end + SEPARATOR.len_utf8()));
        Either::B(starts.zip(&self.ends).map(|(start, &end)| self.joined[start..end].to_owned()).collect())
    }
}

impl<S: AsRef<str>> FromIterator<S> for PassageIdBuilder {
    fn from_iter<T: IntoIterator<Item = S>>(ids: T) -> Self {
        let mut builder = Self::default();
        ids.into_iter().for_each(|id| builder.push(id.as_ref()));
        builder
    }
}
