//! Rows in a few bits a number, by which walks find their way.
//!
//! A row is rotated and each of its numbers rounded to one of 16 levels, or of 255 where that takes no more lines of
//! memory; a factor for the row brings the levels to its length. So a walk fetches an eighth of what the row itself
//! takes. Scores are those of the rows themselves: candidates are scored again before they are hits.

mod rotation;
mod rough;
mod target;

use std::ops::Range;
use std::sync::Arc;

use kernels::Line;
use kernels::int4::{BLOCK_DIM, Int4Kernels, Int4Query, Int4Rows, pack, unpack};
use kernels::int8::{BOUND_ROWS, Int8Bound, Int8Kernels, Int8Queries, Int8RowBounds, Int8Rows};
use storage::{File, Writer};

use self::rotation::Rotation;
use self::rough::{Rough, RoughTarget, RoughView};
pub(crate) use self::target::Target;
use self::target::{Values, round, to_bytes};
use crate::hnsw::options::Layout;
use crate::numbers::{Lines, Numbers, reserve};
use crate::rows::View;
use crate::similarity::squared_length;
use crate::{Error, Similarity};

/// Vectors up to this dimension have a byte for each number: they fit one line either way.
const BYTE_DIM: usize = 64;
/// The best step of 16 even levels for numbers that are distributed normally, in standard deviations (Max, "Quantizing
/// for Minimum Distortion", 1960).
const STEP: f64 = 0.3352;
/// Half the number of levels less one: the middle between the levels 0 to 15.
const MIDDLE: f32 = 7.5;

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
            scales.push(encoder.encode(vector, Line::bytes_mut(to)));
            let squared = squared_length(vector);
            let mut bias = 0.0;
            if let Some(biases) = &mut self.biases {
                bias = (-0.5 * squared) as f32;
                biases.own().push(bias);
            }
            if let Some(rough) = &mut self.rough {
                rough.push(&encoder.rotated, squared, bias);
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
                Int4Rows::new(bytes, lines_of_row(self.dim) * size_of::<Line>()),
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

    /// Copies them to memory.
    pub fn load(&mut self) {
        self.lines.own();
        self.scales.own();
        self.biases.as_mut().map(Numbers::own);
        self.rough.iter_mut().for_each(Rough::load);
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

fn lines_of_row(dim: usize) -> usize {
    if dim <= BYTE_DIM { 1 } else { dim.div_ceil(BLOCK_DIM) }
}

/// Makes codes of vectors.
struct Encoder<'a> {
    rotation: &'a Rotation,
    rotated: Vec<f32>,
    codes: Vec<u8>,
}

impl Encoder<'_> {
    /// Writes the codes of a vector and returns what one step is worth.
    fn encode(&mut self, vector: &[f32], to: &mut [u8]) -> f32 {
        let dim = vector.len();
        self.rotated.copy_from_slice(vector);
        self.rotation.apply(&mut self.rotated);
        if dim <= BYTE_DIM {
            let greatest = self.rotated.iter().fold(0f32, |greatest, value| greatest.max(value.abs()));
            let scale = usable(greatest / 127.0);
            let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
            for (to, value) in to.iter_mut().zip(&self.rotated) {
                *to = (round(value * inverse) + 128.0) as u8;
            }
            return scale;
        }
        let squared = squared_length(&self.rotated);
        let step = usable((STEP * (squared / dim as f64).sqrt()) as f32);
        let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
        let mut product = 0.0;
        for (code, &value) in self.codes.iter_mut().zip(&self.rotated) {
            let level = round(value * inverse + MIDDLE).clamp(0.0, 15.0);
            product += (level - MIDDLE) * (value * inverse);
            *code = level as u8;
        }
        pack(&self.codes, to);
        // So that the levels' product with the vector itself is right (Gao and Long, "RaBitQ", 2024).
        let in_steps = (squared * f64::from(inverse).powi(2)) as f32;
        if product > 0.0 { step * (in_steps / product) } else { 0.0 }
    }
}

/// A step so small that nothing can be divided by it counts as none.
fn usable(step: f32) -> f32 {
    if step >= f32::MIN_POSITIVE { step } else { 0.0 }
}

/// Codes while they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CodesView<'a> {
    dim: usize,
    rotation: &'a Rotation,
    rows: Rows<'a>,
    scales: &'a [f32],
    biases: &'a [f32],
    rough: Option<RoughView<'a>>,
}

#[derive(Debug, Clone, Copy)]
enum Rows<'a> {
    Four(&'static Int4Kernels, Int4Rows<'a>),
    Eight(&'static Int8Kernels, Int8Rows<'a>),
}

impl<'a> CodesView<'a> {
    /// What a vector makes of rows: x·y, for [`Similarity::L2`] less |y|²/2.
    pub fn target(&self, vector: &[f32]) -> Target {
        let mut rotated = vector.to_vec();
        self.rotation.apply(&mut rotated);
        let mut bytes = Vec::with_capacity(self.dim);
        let scale = to_bytes(&rotated, &mut bytes);
        let length = squared_length(vector).sqrt() as f32;
        let biased = !self.biases.is_empty();
        let signs = self.rough.map(|rough| rough.query(&bytes));
        let (values, scale) = match self.rows {
            Rows::Four(..) => (Values::Four(Int4Query::new(&bytes)), scale / 2.0),
            Rows::Eight(..) => (Values::Eight(Int8Queries::new(self.dim, bytes)), scale),
        };
        Target { values, signs, scale, offset: 0.0, biased, length, augmented: 0.0 }
    }

    /// What a row makes of others, by its codes.
    pub fn target_of(&self, row: u32) -> Target {
        let values = match self.rows {
            Rows::Four(..) => Values::Four(Int4Query::new(&vec![0; self.dim])),
            Rows::Eight(..) => Values::Eight(Int8Queries::new(self.dim, vec![0; self.dim])),
        };
        let biased = !self.biases.is_empty();
        let mut target =
            Target { values, signs: None, scale: 0.0, offset: 0.0, biased, length: 0.0, augmented: 0.0 };
        self.turn(&mut target, row);
        target
    }

    /// Makes a target of [`target_of`](Self::target_of) that of another row.
    pub fn turn(&self, target: &mut Target, row: u32) {
        let scale = self.scales[row as usize];
        target.offset = self.biases.get(row as usize).copied().unwrap_or(0.0);
        match (&mut target.values, self.rows) {
            (Values::Four(query), Rows::Four(_, rows)) => {
                query.set_to_row(rows.row(row), self.dim);
                target.scale = scale / 4.0;
            }
            (Values::Eight(queries), Rows::Eight(_, rows)) => {
                let values = rows.row(row as usize).iter().map(|&code| (code ^ 0x80).cast_signed());
                *queries = Int8Queries::new(self.dim, values.collect());
                target.scale = scale;
            }
            _ => unreachable!("targets are made by the codes they are for"),
        }
    }

    /// The closeness of `target` and each of the rows, by their codes: the greater the nearer, never NaN. `products` is
    /// room to work in.
    pub fn closeness(
        &self,
        target: &Target,
        rows: &[u32],
        products: &mut Vec<i32>,
        closeness: &mut Vec<f32>,
    ) {
        products.clear();
        products.resize(rows.len(), 0);
        closeness.clear();
        match (&target.values, self.rows) {
            (Values::Four(query), Rows::Four(kernels, codes)) => {
                kernels.products_of(query, codes, rows, products);
                // Twice the product with the levels, of which the middle is 7.5.
                let middle = 15 * query.sum();
                products.iter_mut().for_each(|product| *product = 2 * *product - middle);
            }
            (Values::Eight(query), Rows::Eight(kernels, codes)) => {
                kernels.products_of(query, codes, rows, products)
            }
            _ => unreachable!("targets are made by the codes they are for"),
        }
        let pairs = rows.iter().zip(products.iter());
        if target.biased {
            closeness.extend(pairs.map(|(&row, &product)| {
                let (scale, bias) = (self.scales[row as usize], self.biases[row as usize]);
                (target.offset + (product as f32 * target.scale) * scale + bias).max(f32::NEG_INFINITY)
            }));
        } else {
            closeness.extend(pairs.map(|(&row, &product)| {
                let scale = self.scales[row as usize];
                (target.offset + (product as f32 * target.scale) * scale).max(f32::NEG_INFINITY)
            }));
        }
    }

    /// All targets in one: their values, in bytes.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn together<'t>(&self, targets: impl Iterator<Item = &'t Target>) -> Int8Queries {
        let values = targets.flat_map(|target| match &target.values {
            Values::Four(query) => &query.values()[..self.dim],
            Values::Eight(queries) => queries.query(0),
        });
        Int8Queries::new(self.dim, values.copied().collect())
    }

    /// What a product of bytes of [`together`](Self::together) and of a [`block`](Self::block) is worth: the closeness but
    /// for the offset and the augmented part.
    pub fn worth(&self, target: &Target) -> Int8Bound {
        let per_error = if target.biased { 1.0 } else { 0.0 };
        Int8Bound {
            scale: target.scale,
            per_error,
            per_length: 0.0,
            per_square: 0.0,
            constant: target.offset,
        }
    }

    /// The codes of consecutive rows a byte each, with their numbers; `bytes` is room for them.
    pub fn block<'b>(
        &'b self,
        rows: Range<u32>,
        bytes: &'b mut Vec<u8>,
    ) -> (Int8Rows<'b>, Int8RowBounds<'b>) {
        const ZEROS: [f32; BOUND_ROWS] = [0.0; BOUND_ROWS];
        let range = rows.start as usize..rows.end as usize;
        let zeros = &ZEROS[..rows.len()];
        let errors = if self.biases.is_empty() { zeros } else { &self.biases[range.clone()] };
        let numbers = Int8RowBounds { scales: &self.scales[range.clone()], errors, lengths: zeros };
        let codes = match self.rows {
            Rows::Four(_, codes) => {
                bytes.resize(rows.len() * self.dim, 0);
                for (row, bytes) in rows.zip(bytes.chunks_exact_mut(self.dim)) {
                    unpack(codes.row(row), bytes);
                    // Twice what the level is above the middle, as in a product.
                    bytes.iter_mut().for_each(|byte| *byte = 2 * *byte + (128 - 15));
                }
                Int8Rows::new(bytes, self.dim, self.dim)
            }
            Rows::Eight(_, codes) => codes.part(range),
        };
        (codes, numbers)
    }

    /// Keeps those of `rows` that may be as near to `target` as `least`, as their signs have it, with `more` of each row
    /// added; all of them where rows have no signs. `sums` is room to work in.
    pub fn reaching(
        &self,
        target: &Target,
        rows: &mut Vec<u32>,
        least: f32,
        sums: &mut Vec<i32>,
        more: impl Fn(u32) -> f32,
    ) {
        if let (Some(rough), Some(query)) = (self.rough, &target.signs) {
            // Of four bits the steps are halves.
            let target = RoughTarget { query, scale: target.scale * 2.0, length: target.length };
            rough.reaching(target, rows, least, sums, more);
        }
    }

    /// Asks for the signs of a row to be fetched; false if it has none.
    pub fn prefetch_rough(&self, row: u32) -> bool {
        self.rough.inspect(|rough| rough.prefetch(row)).is_some()
    }

    /// The standard deviation of what [`closeness`](Self::closeness) of a vector and a row is off by: numbers are off by
    /// up to half a step, evenly spread.
    pub fn deviation(&self, target: &Target, row: u32) -> f32 {
        let step = match self.rows {
            Rows::Four(..) => self.scales[row as usize],
            // The numbers of the vector are off as much.
            Rows::Eight(..) => 2.0 * self.scales[row as usize],
        };
        target.length * step * const { 0.288_675_13 } // 1/√12
    }

    /// Whether two rows have the same codes, as equal vectors have.
    pub fn same(&self, a: u32, b: u32) -> bool {
        self.scales[a as usize].to_bits() == self.scales[b as usize].to_bits() && self.row(a) == self.row(b)
    }

    /// Asks for a row to be fetched.
    pub fn prefetch(&self, row: u32) {
        kernels::prefetch_bytes(self.row(row));
        kernels::prefetch_bytes(bytemuck::bytes_of(&self.scales[row as usize]));
        if let Some(bias) = self.biases.get(row as usize) {
            kernels::prefetch_bytes(bytemuck::bytes_of(bias));
        }
    }

    fn row(&self, row: u32) -> &'a [u8] {
        match self.rows {
            Rows::Four(_, rows) => rows.row(row),
            Rows::Eight(_, rows) => rows.row(row as usize),
        }
    }
}
