//! Rows in half precision: widened block by block, then scored as rows in single precision are.

use std::borrow::Cow;

use control::Control;
use kernels::half::{HalfFormat, HalfKernels};
use ranking::{Hit, TopK};

use crate::rows::{Element, Rows};
use crate::scan::Filter;
use crate::shares::{Source, scan_source, search_shares};
use crate::{Error, Similarity};

/// The greatest finite number.
const GREATEST: f32 = 65_504.0;
/// Queries scored at once.
const GROUP_QUERIES: usize = 48;

/// The bits of a number in half precision.
impl Element for u16 {
    fn encode<'a>(dim: usize, vectors: Cow<'a, [f32]>) -> Result<Cow<'a, [Self]>, Error> {
        let mut halves = vec![0; vectors.len()];
        HalfKernels::detect().narrow(HalfFormat::F16, &vectors, &mut halves);
        let infinite = |&half: &u16| half & 0x7fff == 0x7c00;
        match halves.iter().position(infinite) {
            Some(at) => Err(Error::Range {
                operation: "add",
                row: at / dim,
                column: at % dim,
                expected: GREATEST,
                got: vectors[at],
            }),
            None => Ok(Cow::Owned(halves)),
        }
    }
}

impl Rows<u16> {
    /// The values of a row.
    pub fn widened_row(&self, ord: u32) -> Vec<f32> {
        widened(self.stored(ord))
    }

    /// The same rows in single precision, in memory.
    pub fn widened(self) -> Rows {
        self.converted(widened)
    }
}

impl Source for Rows<u16> {
    fn dim(&self) -> usize {
        Rows::dim(self)
    }

    fn similarity(&self) -> Similarity {
        Rows::similarity(self)
    }

    fn is_live(&self, ord: u32) -> bool {
        Rows::is_live(self, ord)
    }

    fn block<'a>(&'a self, start: usize, most: usize, room: &'a mut Vec<f32>) -> &'a [f32] {
        let halves = self.stored_rows(start, most);
        room.resize(halves.len(), 0.0);
        HalfKernels::detect().widen(HalfFormat::F16, halves, room);
        room
    }
}

/// The `k` best rows for one prepared query, best first.
pub(crate) fn search(
    rows: &Rows<u16>,
    query: &[f32],
    k: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let mut found = scan_source(rows, 0..rows.len(), query, k, filter, control)?;
    Ok(found.pop().map(TopK::into_sorted).unwrap_or_default())
}

/// The `k` best rows for each of the prepared queries `[q * dim]`, best first.
pub(crate) fn search_many(
    rows: &Rows<u16>,
    queries: &[f32],
    k: usize,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    search_shares(
        (queries, rows.dim(), GROUP_QUERIES),
        (rows.len(), k),
        threads,
        control,
        |share, queries| scan_source(rows, share, queries, k, filter, control),
    )
}

fn widened(halves: &[u16]) -> Vec<f32> {
    let mut values = vec![0.0; halves.len()];
    HalfKernels::detect().widen(HalfFormat::F16, halves, &mut values);
    values
}
