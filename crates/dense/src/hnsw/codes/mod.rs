//! Rows in a few bits a number, by which walks find their way.
//!
//! A row is rotated and each of its numbers rounded to one of 16 levels, or of 255 where that takes no more lines of
//! memory; a factor for the row brings the levels to its length. So a walk fetches an eighth of what the row itself
//! takes. Scores are those of the rows themselves: candidates are scored again before they are hits.

mod encoder;
mod query;
mod rotation;
mod sign_sketch;
mod view;

use std::ops::Range;
use std::sync::Arc;

use kernels::int4::Int4Kernels;
use kernels::int8::{Int8Kernels, Int8Rows};
use kernels::{ByteRows, Line};
use storage::{File, Writer};

use self::encoder::{BYTE_DIM, Encoder, lines_of_row};
pub(crate) use self::query::Target;
use self::rotation::Rotation;
use self::sign_sketch::Rough;
pub(crate) use self::sign_sketch::{ROUGH_DEVIATIONS, Reach};
pub(crate) use self::view::CodesView;
use self::view::Rows;
use crate::hnsw::options::Layout;
use crate::similarity::squared_length;
use crate::store::columns::copy_on_write::{Lines, Numbers};
use crate::store::columns::reserve::reserve;
use crate::store::rows_view::View;
use crate::{Error, Similarity};

/// The codes of all rows.
#[derive(Debug)]
pub(crate) struct Codes {
    dim: usize,
    rotation: Rotation,
    lines: Lines,
    /// Of each row, what one step of its codes is worth.
    scales: Numbers<f32>,
    /// −|x|²/2 of each row x, for [`Similarity::L2`]: q·x − |x|²/2 falls with the distance.
    biases: Option<Numbers<f32>>,
    rough: Option<Rough>,
}

impl Codes {
    pub fn new(dim: usize, similarity: Similarity, layout: Layout) -> Self {
        let biases = (similarity == Similarity::L2).then(Numbers::new);
        Self {
            dim,
            rotation: Rotation::new(dim),
            lines: Lines::new(),
            scales: Numbers::new(),
            biases,
            rough: Rough::new(dim, layout),
        }
    }

    /// Rows that have codes.
    pub fn len(&self) -> usize {
        self.scales.as_slice().len()
    }

    /// Appends the codes of these rows, the next ones.
    pub fn extend(&mut self, view: &View<'_>, rows: Range<u32>) {
        let lines_of_row = lines_of_row(self.dim);
        let lines = self.lines.own();
        reserve(lines, rows.len() * lines_of_row);
        lines.resize(rows.end as usize * lines_of_row, Line::ZERO);
        let mut encoder =
            Encoder { rotation: &self.rotation, rotated: vec![0.0; self.dim], codes: vec![0; self.dim] };
        let scales = self.scales.own();
        if let Some(rough) = &mut self.rough {
            rough.reserve(rows.len());
        }
        for row in rows {
            let vector = view.row(row);
            let to = &mut lines[row as usize * lines_of_row..][..lines_of_row];
            let scale = encoder.encode(vector, Line::bytes_mut(to));
            scales.push(scale);
            let squared = squared_length(vector);
            let mut bias = 0.0;
            if let Some(biases) = &mut self.biases {
                bias = (-0.5 * squared) as f32;
                biases.own().push(bias);
            }
            if let Some(rough) = &mut self.rough {
                rough.push(&encoder.rotated, squared, bias, scale);
            }
        }
    }

    /// Takes back the codes from row `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        if rows < self.len() {
            self.lines.own().truncate(rows * lines_of_row(self.dim));
            self.scales.own().truncate(rows);
            if let Some(biases) = &mut self.biases {
                biases.own().truncate(rows);
            }
            if let Some(rough) = &mut self.rough {
                rough.truncate(rows);
            }
        }
    }

    pub fn view(&self) -> CodesView<'_> {
        let bytes = self.lines.bytes();
        let rows = if self.dim <= BYTE_DIM {
            Rows::Eight(Int8Kernels::detect(), Int8Rows::new(bytes, self.dim, size_of::<Line>()))
        } else {
            Rows::Four(
                Int4Kernels::detect(),
                ByteRows::new(bytes, lines_of_row(self.dim) * size_of::<Line>()),
            )
        };
        let (scales, biases) =
            (self.scales.as_slice(), self.biases.as_ref().map_or(&[][..], Numbers::as_slice));
        let rough = self.rough.as_ref().map(Rough::view);
        CodesView { dim: self.dim, rotation: &self.rotation, rows, scales, biases, rough }
    }

    /// Reads and checks the sections of a file, which stay there.
    pub fn open(
        file: &Arc<File>,
        dim: usize,
        rows: usize,
        similarity: Similarity,
        layout: Layout,
    ) -> Result<Self, Error> {
        let (lines, scales) = (Lines::open(file, "codes")?, Numbers::<f32>::open(file, "scales")?);
        let biases =
            if similarity == Similarity::L2 { Some(Numbers::<f32>::open(file, "biases")?) } else { None };
        let corrupt = |expected: String, got: String| storage::Error::corrupt(file.path(), expected, got);
        let (bytes, got) = (rows.checked_mul(lines_of_row(dim) * size_of::<Line>()), lines.bytes().len());
        if bytes != Some(got) {
            return Err(corrupt(format!("codes of {rows} rows"), format!("{got} bytes")).into());
        }
        for (name, numbers) in [("scales", Some(&scales)), ("biases", biases.as_ref())] {
            if let Some(got) = numbers.map(|numbers| numbers.as_slice().len()).filter(|&got| got != rows) {
                return Err(corrupt(format!("{rows} {name}"), format!("{got}")).into());
            }
        }
        let rough = Rough::open(file, dim, rows, layout)?;
        Ok(Self { dim, rotation: Rotation::new(dim), lines, scales, biases, rough })
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.lines.write(writer, "codes")?;
        self.scales.write(writer, "scales")?;
        self.biases.as_ref().map_or(Ok(()), |biases| biases.write(writer, "biases"))?;
        self.rough.as_ref().map_or(Ok(()), |rough| rough.write(writer))
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let biases = self.biases.as_ref().map_or(0, Numbers::memory_bytes);
        let rough = self.rough.as_ref().map_or(0, Rough::memory_bytes);
        self.lines.memory_bytes() + self.scales.memory_bytes() + biases + rough
    }
}
