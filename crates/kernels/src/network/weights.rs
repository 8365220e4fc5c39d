//! Weights of linear layers, arranged for products: [`ByteWeights`] and [`FloatWeights`].
//!
//! The outputs of a layer are divided into *blocks* of sixteen. A product reads a block from start to end, and has one
//! lane of a register for each output of the block:
//!
//! ```text
//! bytes    step 0 │ output 0: w0 w1 w2 w3 │ output 1: w0 w1 w2 w3 │ … │ output 15: w0 w1 w2 w3 │
//!          step 1 │ output 0: w4 w5 w6 w7 │ output 1: w4 w5 w6 w7 │ … │ output 15: w4 w5 w6 w7 │
//! floats  input 0 │ output 0: w0          │ output 1: w0          │ … │ output 15: w0          │
//!         input 1 │ output 0: w1          │ output 1: w1          │ … │ output 15: w1          │
//! ```
//!
//! If the number of outputs is not a multiple of sixteen, zeros fill the last block.

use super::LANES;
use super::operands::FloatBlocks;

/// Maximum number of inputs of a layer with weights of bytes: 2¹⁵ · 255 · 128 is less than 2³¹, so no sum overflows.
pub(super) const MAX_INPUTS: usize = 1 << 15;
/// Weights are *narrow* if the magnitudes of any two neighboring weights of an output add up to at most this. Then the
/// sum of their products with unsigned bytes fits in 16 bits: 128 · 255 is less than 2¹⁵.
const MAX_NARROW_PAIR: u8 = 128;

/// Four weights of each of sixteen outputs.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Step(pub(super) [[i8; 4]; LANES]);

/// The weights of a linear layer as signed bytes, with a scale and a bias for each output.
#[derive(Debug, Clone)]
pub struct ByteWeights {
    inputs: usize,
    outputs: usize,
    /// The steps of each block, block by block.
    steps: Vec<Step>,
    /// For each output, in blocks: the sum of its weights, its scale and its bias.
    pub(super) sums: Vec<[i32; LANES]>,
    pub(super) scales: Vec<[f32; LANES]>,
    pub(super) biases: Vec<[f32; LANES]>,
    is_narrow: bool,
}

impl ByteWeights {
    /// Arranges a row-major matrix `[inputs, outputs]` of bytes. A byte b of output j stands for the weight
    /// b · `scales[j]`.
    ///
    /// # Panics
    ///
    /// If the lengths do not match, or if there are more than 2¹⁵ inputs.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, bytes: &[i8], scales: &[f32], bias: &[f32]) -> Self {
        assert!(inputs <= MAX_INPUTS, "weights: expected at most {MAX_INPUTS} inputs, got {inputs}");
        check_lengths(inputs, outputs, bytes.len(), bias.len());
        assert!(scales.len() == outputs, "weights: expected {outputs} scales, got {}", scales.len());
        let (blocks, steps_per_block) = (outputs.div_ceil(LANES), inputs.div_ceil(4));
        let mut steps = vec![Step([[0; 4]; LANES]); blocks * steps_per_block];
        let mut sums = vec![[0; LANES]; blocks];
        for (input, row) in bytes.chunks_exact(outputs.max(1)).enumerate() {
            for (output, &byte) in row.iter().enumerate() {
                let step = &mut steps[output / LANES * steps_per_block + input / 4];
                step.0[output % LANES][input % 4] = byte;
                sums[output / LANES][output % LANES] += i32::from(byte);
            }
        }
        let is_narrow = steps.iter().flat_map(|step| step.0).all(|[a, b, c, d]| {
            let magnitude = |a: i8, b: i8| u16::from(a.unsigned_abs()) + u16::from(b.unsigned_abs());
            magnitude(a, b).max(magnitude(c, d)) <= u16::from(MAX_NARROW_PAIR)
        });
        Self { inputs, outputs, steps, sums, scales: in_blocks(scales), biases: in_blocks(bias), is_narrow }
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Number of values in a row of a product: the number of outputs, rounded up to whole blocks.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.sums.len() * LANES
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.sums.len()
    }

    /// The steps of a block.
    pub(super) fn block(&self, block: usize) -> &[Step] {
        let steps = self.inputs.div_ceil(4);
        &self.steps[block * steps..][..steps]
    }

    /// Whether the products of two neighboring weights with unsigned bytes add up to a magnitude below 2¹⁵.
    pub(super) fn is_narrow(&self) -> bool {
        self.is_narrow
    }
}

/// The weights of a linear layer as floats, with a bias for each output.
#[derive(Debug, Clone)]
pub struct FloatWeights {
    inputs: usize,
    outputs: usize,
    /// The rows of each block, block by block.
    values: Vec<f32>,
    biases: Vec<f32>,
}

impl FloatWeights {
    /// Arranges a row-major matrix `[inputs, outputs]`.
    ///
    /// # Panics
    ///
    /// If the lengths do not match.
    #[must_use]
    pub fn new(inputs: usize, outputs: usize, values: &[f32], bias: &[f32]) -> Self {
        check_lengths(inputs, outputs, values.len(), bias.len());
        let blocks = outputs.div_ceil(LANES);
        let mut arranged = vec![0.0; blocks * inputs * LANES];
        for (input, row) in values.chunks_exact(outputs.max(1)).enumerate() {
            for (block, lanes) in row.chunks(LANES).enumerate() {
                arranged[(block * inputs + input) * LANES..][..lanes.len()].copy_from_slice(lanes);
            }
        }
        Self { inputs, outputs, values: arranged, biases: in_blocks(bias).concat() }
    }

    /// Number of inputs.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Number of values in a row of a product: the number of outputs, rounded up to whole blocks.
    #[must_use]
    pub fn stride(&self) -> usize {
        self.biases.len()
    }

    /// The bias of each output. Zeros fill the last block.
    #[must_use]
    pub fn biases(&self) -> &[f32] {
        &self.biases
    }

    /// The matrix, as an operand of [`NetworkKernels::multiply_floats`](super::NetworkKernels::multiply_floats).
    #[must_use]
    pub fn blocks(&self) -> FloatBlocks<'_> {
        FloatBlocks {
            values: &self.values,
            inputs: self.inputs,
            blocks: self.biases.len() / LANES,
            block_stride: self.inputs * LANES,
            input_stride: LANES,
        }
    }
}

fn check_lengths(inputs: usize, outputs: usize, weights: usize, biases: usize) {
    assert!(
        inputs.checked_mul(outputs) == Some(weights),
        "weights: expected {inputs} times {outputs}, got {weights}"
    );
    assert!(biases == outputs, "weights: expected {outputs} biases, got {biases}");
}

/// Divides values into blocks and fills the last one with zeros.
fn in_blocks(values: &[f32]) -> Vec<[f32; LANES]> {
    let blocks = values.chunks(LANES).map(|chunk| {
        let mut block = [0.0; LANES];
        block[..chunk.len()].copy_from_slice(chunk);
        block
    });
    blocks.collect()
}
