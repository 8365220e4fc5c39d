//! Quantizes vectors to codes. The [module](super) has the formulas.

use kernels::Line;
use kernels::int4::{BLOCK_DIM, pack};

use super::query::round;
use super::rotation::Rotation;
use crate::similarity::squared_length;

/// Vectors of up to this dimension get 8 bits per number: with 4 bits, their codes would take one cache line too.
pub(super) const MAX_EIGHT_BIT_DIM: usize = size_of::<Line>();
/// The largest absolute value of an 8-bit code.
const MAX_EIGHT_BIT_CODE: f32 = 127.0;
/// The distance between adjacent quantization levels of 4-bit codes, in standard deviations of the rotated numbers. For
/// 16 evenly spaced levels, this distance minimizes the squared error of normally distributed numbers (Max, "Quantizing
/// for Minimum Distortion", 1960).
const LEVEL_DISTANCE: f64 = 0.3352;
/// The highest of the 16 levels, which are numbered from 0.
const MAX_FOUR_BIT_CODE: f32 = 15.0;
/// The midpoint of the levels 0 and 15, which represents the number 0.
const MIDDLE_LEVEL: f32 = 7.5;

/// Returns the number of cache lines that the codes of a row take.
pub(super) fn lines_per_row(dim: usize) -> usize {
    if dim <= MAX_EIGHT_BIT_DIM { 1 } else { dim.div_ceil(BLOCK_DIM) }
}

/// Encodes vectors one after another and reuses its buffers.
pub(super) struct Encoder<'a> {
    rotation: &'a Rotation,
    rotated: Vec<f32>,
    levels: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub fn new(rotation: &'a Rotation, dim: usize) -> Self {
        Self { rotation, rotated: vec![0.0; dim], levels: vec![0; dim] }
    }

    /// Returns the rotated vector that the last call of [`encode`](Self::encode) computed.
    pub fn rotated(&self) -> &[f32] {
        &self.rotated
    }

    /// Writes the codes of a vector to `codes` and returns its quantization scale.
    pub fn encode(&mut self, vector: &[f32], codes: &mut [u8]) -> f32 {
        self.rotated.copy_from_slice(vector);
        self.rotation.apply(&mut self.rotated);
        if vector.len() <= MAX_EIGHT_BIT_DIM {
            self.encode_eight_bit(codes)
        } else {
            self.encode_four_bit(codes)
        }
    }

    fn encode_eight_bit(&mut self, codes: &mut [u8]) -> f32 {
        let max = self.rotated.iter().fold(0f32, |max, value| max.max(value.abs()));
        let scale = flush_subnormal(max / MAX_EIGHT_BIT_CODE);
        let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        for (code, value) in codes.iter_mut().zip(&self.rotated) {
            *code = (round(value * inverse) + 128.0) as u8;
        }
        scale
    }

    fn encode_four_bit(&mut self, codes: &mut [u8]) -> f32 {
        let squared = squared_length(&self.rotated);
        let deviation = (squared / self.rotated.len() as f64).sqrt();
        let step = flush_subnormal((LEVEL_DISTANCE * deviation) as f32);
        let inverse = if step > 0.0 { 1.0 / step } else { 0.0 };
        // ⟨x, ℓ − 7.5⟩ / step
        let mut product = 0.0;
        for (level, &value) in self.levels.iter_mut().zip(&self.rotated) {
            let rounded = round(value * inverse + MIDDLE_LEVEL).clamp(0.0, MAX_FOUR_BIT_CODE);
            product += (rounded - MIDDLE_LEVEL) * (value * inverse);
            *level = rounded as u8;
        }
        pack(&self.levels, codes);
        // The scale is |x|² / ⟨x, ℓ − 7.5⟩, computed as step · (|x|² / step²) / (⟨x, ℓ − 7.5⟩ / step).
        let squared_in_steps = (squared * f64::from(inverse).powi(2)) as f32;
        if product > 0.0 { step * (squared_in_steps / product) } else { 0.0 }
    }
}

/// Turns a subnormal step into 0, because its inverse might be infinite.
fn flush_subnormal(step: f32) -> f32 {
    if step >= f32::MIN_POSITIVE { step } else { 0.0 }
}
