//! Hits on their way to JavaScript.

use napi::bindgen_prelude::{Either, Float32Array};
use napi_derive::napi;

/// Hits of one query.
#[napi(object)]
pub struct Hits {
    /// Passage ids with U+0000 between them: one string crosses faster than many.
    pub joined: Option<String>,
    /// Passage ids, where one has U+0000 in it.
    pub ids: Option<Vec<String>>,
    pub scores: Float32Array,
}

/// Passage ids with U+0000 between them, or apart where one has that character in it.
pub type Joined = Either<String, Vec<String>>;

/// Memory of JavaScript for the numbers of hits: see [`Ids::put`]. It is gone when the call returns.
pub type Room<'a> = &'a mut [u32];

/// Whether there is room for so many hits: see [`Ids::put`].
pub fn fits(hits: usize, into: &[u32]) -> bool {
    hits < into.len()
}

const BETWEEN: char = '\0';

/// Passage ids on their way to JavaScript.
#[derive(Default)]
pub struct Ids {
    joined: String,
    ends: Vec<usize>,
}

impl Ids {
    /// None yet of so many.
    pub fn of(hits: usize) -> Self {
        Self { joined: String::with_capacity(16 * hits), ends: Vec::with_capacity(hits) }
    }

    pub fn push(&mut self, id: &str) {
        if !self.ends.is_empty() {
            self.joined.push(BETWEEN);
        }
        self.joined.push_str(id);
        self.ends.push(self.joined.len());
    }

    pub fn with_scores(self, scores: Vec<f32>) -> Hits {
        let scores = scores.into();
        match self.joined() {
            Either::A(joined) => Hits { joined: Some(joined), ids: None, scores },
            Either::B(ids) => Hits { joined: None, ids: Some(ids), scores },
        }
    }

    /// Puts hits `into` memory of JavaScript, `[1 + room]`: how many they are, and the bits of their scores. Of more than
    /// there is [room](fits) for, the number alone. An object and an array of their own would take longer than a search.
    pub fn put(self, scores: impl Iterator<Item = f32> + Clone, into: &mut [u32]) -> Joined {
        let hits = scores.clone().count();
        if let Some((count, bits)) = into.split_first_mut() {
            *count = hits as u32;
            if hits <= bits.len() {
                bits.iter_mut().zip(scores).for_each(|(bits, score)| *bits = score.to_bits());
            }
        }
        self.joined()
    }

    fn joined(self) -> Joined {
        let between = self.joined.bytes().filter(|&byte| char::from(byte) == BETWEEN).count();
        if between < self.ends.len().max(1) {
            return Either::A(self.joined);
        }
        let starts = std::iter::once(0).chain(self.ends.iter().map(|end| end + BETWEEN.len_utf8()));
        Either::B(starts.zip(&self.ends).map(|(start, &end)| self.joined[start..end].to_owned()).collect())
    }
}

impl<S: AsRef<str>> FromIterator<S> for Ids {
    fn from_iter<T: IntoIterator<Item = S>>(ids: T) -> Self {
        let mut all = Self::default();
        ids.into_iter().for_each(|id| all.push(id.as_ref()));
        all
    }
}
