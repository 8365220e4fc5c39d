//! Quantized codes: copies of the rows with 4 bits per number (8 bits for up to 64 dimensions), which beam searches and
//! code scans score in place of the vectors.
//!
//! Scores by codes are approximate. They decide which rows are candidates; candidates are then scored by their vectors
//! (`search/rescore.rs`). Four-bit codes take about an eighth of the bytes of the vectors, so a search reads less
//! memory.
//!
//! **Codes.** A row `x` of dimension `d` is [rotated](rotation::Rotation). The rotated numbers are approximately
//! normally distributed with a standard deviation of `|x| / √d`. Each is rounded to one of 16 evenly spaced
//! quantization levels, whose number `ℓᵢ` (0 to 15) is the code (`encoder.rs`). The codes approximate the rotated row
//! by `x̂`:
//!
//! ```text
//! x̂ᵢ = s · (ℓᵢ − 7.5)        s = |x|² / ⟨x, ℓ − 7.5⟩
//! ```
//!
//! Here, `x` is the rotated row, and `q` a rotated query; a rotation does not change inner products. With this
//! quantization scale `s`, `⟨x, x̂⟩ = |x|²`, so `⟨q, x̂⟩` is an unbiased estimate of `⟨q, x⟩` over random rotations
//! (Gao and Long, "RaBitQ: Quantizing High-Dimensional Vectors with a Theoretical Error Bound for Approximate Nearest
//! Neighbor Search", 2024, section 3.2). Rows of up to 64 dimensions get 8 bits per number: their codes take one cache
//! line either way.
//!
//! **Layout.** Each row's codes begin on a cache line. Four-bit codes are packed in blocks of 128 numbers:
//!
//! ```text
//! byte      0                1                …   63
//! low half  ℓ₀               ℓ₁               …   ℓ₆₃
//! high half ℓ₆₄              ℓ₆₅              …   ℓ₁₂₇
//! ```
//!
//! Eight-bit codes take one byte per number, which is the code plus 128. Scales, and biases for L2, are in separate
//! arrays; if rows have sketches, each sketch has a copy of both.
//!
//! **Sketches.** Above dimension 128, unless the [`Layout`] is `Compact`, each row has a [sign-bit sketch](sign_sketch)
//! of one cache line. With it, a search discards most of the neighbors it finds before it reads their codes.
//!
//! [`Codes`] owns the codes and sketches of all rows. A search reads them through a [`CodesView`] (`view.rs`), which
//! turns the query vector into a [`QuantizedQuery`] (`query.rs`).

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

use self::encoder::{Encoder, MAX_EIGHT_BIT_DIM, lines_per_row};
pub(crate) use self::query::QuantizedQuery;
use self::rotation::Rotation;
use self::sign_sketch::{RowSummary, SignSketches};
pub(crate) use self::sign_sketch::{SKETCH_DEVIATIONS, Threshold};
pub(crate) use self::view::CodesView;
use self::view::PackedRows;
use crate::hnsw::options::Layout;
use crate::similarity::squared_length;
use crate::store::columns::copy_on_write::{CowArray, CowLines};
use crate::store::columns::reserve::reserve;
use crate::store::rows_view::RowsView;
use crate::{Error, Similarity};

/// The codes of all rows.
#[derive(Debug)]
pub(crate) struct Codes {
    dim: usize,
    rotation: Rotation,
    /// The codes: a fixed number of cache lines per row.
    lines: CowLines,
    /// The quantization scale of each row.
    scales: CowArray<f32>,
    /// For [`Similarity::L2`], −|x|²/2 of each row x. The score of x is q·x − |x|²/2, which decreases as its distance
    /// from q increases.
    biases: Option<CowArray<f32>>,
    sketches: Option<SignSketches>,
}

impl Codes {
    pub fn new(dim: usize, similarity: Similarity, layout: Layout) -> Self {
        let biases = (similarity == Similarity::L2).then(CowArray::new);
        Self {
            dim,
            rotation: Rotation::new(dim),
            lines: CowLines::new(),
            scales: CowArray::new(),
            biases,
            sketches: SignSketches::new(dim, layout),
        }
    }

    /// Returns the number of rows that have codes.
    pub fn len(&self) -> usize {
        self.scales.as_slice().len()
    }

    /// Appends the codes of these rows, which follow the rows that already have codes.
    pub fn extend(&mut self, view: &RowsView<'_>, rows: Range<u32>) {
        self.reserve(rows.len());
        let lines_per_row = lines_per_row(self.dim);
        let lines = self.lines.to_mut();
        lines.resize(rows.end as usize * lines_per_row, Line::ZERO);
        let mut encoder = Encoder::new(&self.rotation, self.dim);
        let scales = self.scales.to_mut();
        for row in rows {
            let vector = view.row(row);
            let row_lines = &mut lines[row as usize * lines_per_row..][..lines_per_row];
            let scale = encoder.encode(vector, Line::bytes_mut(row_lines));
            scales.push(scale);
            let squared_length = squared_length(vector);
            let mut bias = 0.0;
            if let Some(biases) = &mut self.biases {
                bias = (-0.5 * squared_length) as f32;
                biases.to_mut().push(bias);
            }
            if let Some(sketches) = &mut self.sketches {
                sketches.push(encoder.rotated(), RowSummary { squared_length, bias, scale });
            }
        }
    }

    /// Copies mapped codes to memory, where they can be changed, and reserves space for `additional` rows.
    pub fn reserve(&mut self, additional: usize) {
        reserve(self.lines.to_mut(), additional * lines_per_row(self.dim));
        reserve(self.scales.to_mut(), additional);
        if let Some(biases) = &mut self.biases {
            reserve(biases.to_mut(), additional);
        }
        if let Some(sketches) = &mut self.sketches {
            sketches.reserve(additional);
        }
    }

    /// Keeps the codes of the first `num_rows` rows and removes the others.
    pub fn truncate(&mut self, num_rows: usize) {
        if num_rows < self.len() {
            self.lines.to_mut().truncate(num_rows * lines_per_row(self.dim));
            self.scales.to_mut().truncate(num_rows);
            if let Some(biases) = &mut self.biases {
                biases.to_mut().truncate(num_rows);
            }
            if let Some(sketches) = &mut self.sketches {
                sketches.truncate(num_rows);
            }
        }
    }

    pub fn view(&self) -> CodesView<'_> {
        let bytes = self.lines.bytes();
        let rows = if self.dim <= MAX_EIGHT_BIT_DIM {
            PackedRows::EightBit(Int8Kernels::detect(), Int8Rows::new(bytes, self.dim, size_of::<Line>()))
        } else {
            PackedRows::FourBit(
                Int4Kernels::detect(),
                ByteRows::new(bytes, lines_per_row(self.dim) * size_of::<Line>()),
            )
        };
        let (scales, biases) =
            (self.scales.as_slice(), self.biases.as_ref().map_or(&[][..], CowArray::as_slice));
        let sketches = self.sketches.as_ref().map(SignSketches::view);
        CodesView { dim: self.dim, rotation: &self.rotation, rows, scales, biases, sketches }
    }

    /// Returns whether each row has a sketch.
    pub fn have_sketches(&self) -> bool {
        self.sketches.is_some()
    }

    /// Opens the sections of a file and checks their lengths, without copying them to memory.
    pub fn open(
        file: &Arc<File>,
        dim: usize,
        num_rows: usize,
        similarity: Similarity,
        layout: Layout,
    ) -> Result<Self, Error> {
        let (lines, scales) = (CowLines::open(file, "codes")?, CowArray::<f32>::open(file, "scales")?);
        let biases =
            if similarity == Similarity::L2 { Some(CowArray::<f32>::open(file, "biases")?) } else { None };
        let corrupt = |expected: String, got: String| storage::Error::corrupt(file.path(), expected, got);
        let expected = num_rows.checked_mul(lines_per_row(dim) * size_of::<Line>());
        let got = lines.bytes().len();
        if expected != Some(got) {
            return Err(corrupt(format!("codes of {num_rows} rows"), format!("{got} bytes")).into());
        }
        for (name, numbers) in [("scales", Some(&scales)), ("biases", biases.as_ref())] {
            let got = numbers.map(|numbers| numbers.as_slice().len());
            if let Some(got) = got.filter(|&got| got != num_rows) {
                return Err(corrupt(format!("{num_rows} {name}"), format!("{got}")).into());
            }
        }
        let sketches = SignSketches::open(file, dim, num_rows, layout)?;
        Ok(Self { dim, rotation: Rotation::new(dim), lines, scales, biases, sketches })
    }

    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        self.lines.write(writer, "codes")?;
        self.scales.write(writer, "scales")?;
        self.biases.as_ref().map_or(Ok(()), |biases| biases.write(writer, "biases"))?;
        self.sketches.as_ref().map_or(Ok(()), |sketches| sketches.write(writer))
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let biases = self.biases.as_ref().map_or(0, CowArray::memory_bytes);
        let sketches = self.sketches.as_ref().map_or(0, SignSketches::memory_bytes);
        self.lines.memory_bytes() + self.scales.memory_bytes() + biases + sketches
    }
}
