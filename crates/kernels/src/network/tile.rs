//! The loops that multiply activations and weights. They accumulate a *tile* in registers: the results of a few rows
//! for one or two blocks of sixteen outputs.

/// Defines `KERNELS` for an instruction set.
///
/// `rows` is the maximum number of rows in a tile, followed by all smaller numbers, and `blocks` the maximum number of
/// blocks. Rows are divided evenly among tiles. `unsigned` says whether `add_products` multiplies unsigned bytes;
/// otherwise, bytes are multiplied as b − 128.
///
/// These must be in scope:
///
/// - The `Copy` types `Sums`, sixteen 32-bit integers, `Bytes`, four bytes that are repeated in every lane,
///   `ByteLanes`, the bytes of a step, and `Floats`, sixteen floats.
/// - The functions `zero_sums`, `splat_bytes`, `load_step`, `add_products`, `store_sums`; `zero_floats`, `splat_float`,
///   `load_floats`, `multiply_add`, `store_floats`.
macro_rules! define_network {
    ($name:literal, rows: $rows:literal > [$($fewer:literal)*], blocks: $blocks:literal, unsigned: $unsigned:literal
     $(, #[$feature:meta])?) => {
        use $crate::network::{ByteWeights, FloatBlocks, FloatRows, LANES, NetworkKernels, QuantizedRows, lanes};

        pub(in crate::network) static KERNELS: NetworkKernels = NetworkKernels {
            name: $name,
            multiply_bytes,
            multiply_floats,
            normalize,
            softmax,
            gelu,
            quantize,
        };

        $(#[$feature])?
        fn normalize(row: &mut [f32], residual: Option<&[f32]>, weight: &[f32], bias: &[f32], epsilon: f32) {
            lanes::normalize(row, residual, weight, bias, epsilon);
        }

        $(#[$feature])?
        fn softmax(row: &mut [f32], scale: f32) {
            lanes::softmax(row, scale);
        }

        $(#[$feature])?
        fn gelu(values: &mut [f32]) {
            lanes::gelu(values);
        }

        $(#[$feature])?
        fn quantize(row: &[f32], bytes: &mut [u8]) -> (f32, i32) {
            lanes::quantize(row, bytes)
        }

        $(#[$feature])?
        fn multiply_bytes(rows: &QuantizedRows, weights: &ByteWeights, out: &mut [f32]) {
            if weights.is_narrow() {
                multiply_bytes_of::<true>(rows, weights, out);
            } else {
                multiply_bytes_of::<false>(rows, weights, out);
            }
        }

        $(#[$feature])?
        fn multiply_bytes_of<const NARROW: bool>(rows: &QuantizedRows, weights: &ByteWeights, out: &mut [f32]) {
            let groups = rows.len().div_ceil($rows);
            let mut block = 0;
            while block < weights.blocks() {
                let blocks = (weights.blocks() - block).min($blocks);
                for group in 0..groups {
                    let (start, end) = (rows.len() * group / groups, rows.len() * (group + 1) / groups);
                    match (end - start, blocks) {
                        $(($fewer, 1) => byte_tile::<$fewer, 1, NARROW>(rows, start, weights, block, out),)*
                        (_, 1) => byte_tile::<$rows, 1, NARROW>(rows, start, weights, block, out),
                        $(($fewer, _) => byte_tile::<$fewer, $blocks, NARROW>(rows, start, weights, block, out),)*
                        _ => byte_tile::<$rows, $blocks, NARROW>(rows, start, weights, block, out),
                    }
                }
                block += blocks;
            }
        }

        /// Computes the outputs of the blocks `block..block + B` for the rows `first..first + R`.
        #[allow(
            clippy::needless_range_loop,
            reason = "sums that an iterator borrows are kept in memory, not in registers"
        )]
        $(#[$feature])?
        #[inline]
        fn byte_tile<const R: usize, const B: usize, const NARROW: bool>(
            rows: &QuantizedRows,
            first: usize,
            weights: &ByteWeights,
            block: usize,
            out: &mut [f32],
        ) {
            let mut weight_steps: [&[$crate::network::weights::Step]; B] = [&[]; B];
            for b in 0..B {
                weight_steps[b] = weights.block(block + b);
            }
            let steps = weight_steps[0].len();
            let mut row_steps: [&[[u8; 4]]; R] = [&[]; R];
            for r in 0..R {
                row_steps[r] = &rows.row(first + r)[..steps];
            }
            for b in 0..B {
                weight_steps[b] = &weight_steps[b][..steps];
            }
            let mut sums = [[zero_sums(); B]; R];
            for step in 0..steps {
                if first == 0 {
                    // The first tile of a block reads the weights from memory or from a slow cache, so the weights of
                    // the block that comes next are requested. With 15 rows, this saves 5% of the time.
                    for b in 0..B {
                        $crate::memory::prefetch::prefetch_ahead(&weight_steps[b][step].0, 0);
                    }
                }
                let mut lanes = [load_step(&weight_steps[0][step]); B];
                for b in 1..B {
                    lanes[b] = load_step(&weight_steps[b][step]);
                }
                for r in 0..R {
                    let bytes = splat_bytes(row_steps[r][step]);
                    for b in 0..B {
                        sums[r][b] = add_products::<NARROW>(sums[r][b], bytes, lanes[b]);
                    }
                }
            }
            let stride = weights.stride();
            for r in 0..R {
                let row = first + r;
                let into = &mut out[row * stride + block * LANES..][..B * LANES];
                let (scale, zero) = (rows.scales[row], rows.zeros[row] - if $unsigned { 0 } else { 128 });
                for (b, into) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                    let products = store_sums(sums[r][b]);
                    let (sums, scales) = (&weights.sums[block + b], &weights.scales[block + b]);
                    let biases = &weights.biases[block + b];
                    for lane in 0..LANES {
                        let product = products[lane].wrapping_sub(zero.wrapping_mul(sums[lane]));
                        into[lane] = (product as f32).mul_add(scale * scales[lane], biases[lane]);
                    }
                }
            }
        }

        $(#[$feature])?
        fn multiply_floats(
            rows: FloatRows<'_>,
            matrix: FloatBlocks<'_>,
            bias: Option<&[f32]>,
            out: &mut [f32],
            stride: usize,
        ) {
            let groups = rows.rows.div_ceil($rows);
            let mut block = 0;
            while block < matrix.blocks {
                let blocks = (matrix.blocks - block).min($blocks);
                for group in 0..groups {
                    let (start, end) = (rows.rows * group / groups, rows.rows * (group + 1) / groups);
                    let out = (&mut *out, stride);
                    match (end - start, blocks) {
                        $(($fewer, 1) => float_tile::<$fewer, 1>(rows, start, matrix, block, bias, out),)*
                        (_, 1) => float_tile::<$rows, 1>(rows, start, matrix, block, bias, out),
                        $(($fewer, _) => float_tile::<$fewer, $blocks>(rows, start, matrix, block, bias, out),)*
                        _ => float_tile::<$rows, $blocks>(rows, start, matrix, block, bias, out),
                    }
                }
                block += blocks;
            }
        }

        /// Computes the outputs of the blocks `block..block + B` for the rows `first..first + R`. Row i of the result
        /// begins at the position i · stride.
        #[allow(
            clippy::needless_range_loop,
            reason = "sums that an iterator borrows are kept in memory, not in registers"
        )]
        $(#[$feature])?
        #[inline]
        fn float_tile<const R: usize, const B: usize>(
            rows: FloatRows<'_>,
            first: usize,
            matrix: FloatBlocks<'_>,
            block: usize,
            bias: Option<&[f32]>,
            (out, stride): (&mut [f32], usize),
        ) {
            let inputs = rows.inputs;
            let mut values: [&[f32]; R] = [&[]; R];
            for r in 0..R {
                values[r] = &rows.row(first + r)[..inputs];
            }
            let mut sums = [[zero_floats(); B]; R];
            for input in 0..inputs {
                let mut lanes = [zero_floats(); B];
                for b in 0..B {
                    lanes[b] = load_floats(matrix.lanes(block + b, input));
                }
                for r in 0..R {
                    let value = splat_float(values[r][input]);
                    for b in 0..B {
                        sums[r][b] = multiply_add(value, lanes[b], sums[r][b]);
                    }
                }
            }
            for r in 0..R {
                let into = &mut out[(first + r) * stride + block * LANES..][..B * LANES];
                for (b, into) in into.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
                    *into = store_floats(sums[r][b]);
                    if let Some(bias) = bias {
                        let biases = &bias[(block + b) * LANES..][..LANES];
                        into.iter_mut().zip(biases).for_each(|(value, bias)| *value += bias);
                    }
                }
            }
        }
    };
}
