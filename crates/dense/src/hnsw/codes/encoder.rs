use kernels::int4::{BLOCK_DIM, pack};

use super::query::round;
use super::rotation::Rotation;
use crate::similarity::squared_length;

/// Vectors up to this dimension have a byte for each number: they fit one line either way.
pub(super) const BYTE_DIM: usize = 64;
/// The best step of 16 even levels for numbers that are distributed normally, in standard deviations (Max, "Quantizing
/// for Minimum Distortion", 1960).
const STEP: f64 = 0.3352;
/// Half the number of levels less one: the middle between the levels 0 to 15.
const MIDDLE: f32 = 7.5;

pub(super) fn lines_of_row(dim: usize) -> usize {
    if dim <= BYTE_DIM { 1 } else { dim.div_ceil(BLOCK_DIM) }
}

/// Makes codes of vectors.
pub(super) struct Encoder<'a> {
    pub rotation: &'a Rotation,
    pub rotated: Vec<f32>,
    pub codes: Vec<u8>,
}

impl Encoder<'_> {
    /// Writes the codes of a vector and returns what one step is worth.
    pub fn encode(&mut self, vector: &[f32], to: &mut [u8]) -> f32 {
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
