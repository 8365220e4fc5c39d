//! The operations of a network agree with their definitions, and all instruction sets return the same bits.

use kernels::network::{
    ByteWeights, FloatBlocks, FloatRows, FloatWeights, LANES, NetworkKernels, QuantizedRows,
};
use numerics::SplitMix64;
use proptest::prelude::*;

/// Returns random numbers between −`magnitude` and `magnitude`.
fn floats(count: usize, magnitude: f32, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| ((random.next_u64() >> 40) as f32 / 8_388_608.0 - 1.0) * magnitude).collect()
}

/// Returns random weights. If they are `narrow`, their magnitude is at most 64.
fn weights(count: usize, narrow: bool, seed: u64) -> Vec<i8> {
    let mut random = SplitMix64::new(seed);
    let mut next = || (random.next_u64() >> 56) as u8;
    (0..count)
        .map(|_| match (narrow, next() % 4) {
            (true, 0) => 64,
            (true, 1) => -64,
            (true, _) => (next() % 129) as i8 - 64,
            (false, 0) => 127,
            (false, 1) => -128,
            (false, _) => next().cast_signed(),
        })
        .collect()
}

/// Returns the bits of floats, so that NaN equals NaN, and 0 does not equal −0.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn scalar() -> &'static NetworkKernels {
    NetworkKernels::available().pop().expect("every CPU has scalar kernels")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn products_of_bytes_are_exact_sums(
        rows in 0usize..30, inputs in 1usize..70, outputs in 1usize..70, narrow in any::<bool>(), seed in any::<u64>(),
    ) {
        let bytes = weights(inputs * outputs, narrow, seed);
        let (scales, bias) = (floats(outputs, 0.1, seed ^ 1), floats(outputs, 10.0, seed ^ 2));
        let packed = ByteWeights::new(inputs, outputs, &bytes, &scales, &bias);
        // With a maximum of 255 and a minimum of 0, the scale is 1, and bytes are the values themselves.
        let mut random = SplitMix64::new(seed ^ 3);
        let mut values: Vec<f32> = (0..rows * inputs).map(|_| ((random.next_u64() >> 60) * 17) as f32).collect();
        values.chunks_mut(inputs).for_each(|row| row[0] = 255.0);
        for kernels in NetworkKernels::available() {
            let mut quantized = QuantizedRows::new(inputs);
            kernels.quantize(&values, inputs, &mut quantized);
            let mut out = vec![f32::NAN; rows * packed.stride()];
            kernels.multiply_bytes(&quantized, &packed, &mut out);
            for (row, out) in values.chunks(inputs).zip(out.chunks(packed.stride())) {
                for output in 0..outputs {
                    let products = row.iter().enumerate().map(|(input, &value)| {
                        value as i32 * i32::from(bytes[input * outputs + output])
                    });
                    let expected = (products.sum::<i32>() as f32).mul_add(scales[output], bias[output]);
                    prop_assert_eq!(out[output], expected, "{}", kernels.name());
                }
                prop_assert!(out[outputs..].iter().all(|&value| value == 0.0));
            }
        }
    }

    #[test]
    fn quantized_products_are_near_the_products_of_floats_and_do_not_depend_on_other_rows(
        rows in 1usize..20, inputs in 1usize..200, outputs in 1usize..40, seed in any::<u64>(),
    ) {
        let values = floats(rows * inputs, 3.0, seed);
        let bytes = weights(inputs * outputs, true, seed ^ 1);
        let packed = ByteWeights::new(inputs, outputs, &bytes, &vec![0.5; outputs], &vec![0.25; outputs]);
        let product = |kernels: &NetworkKernels, values: &[f32]| {
            let mut quantized = QuantizedRows::new(inputs);
            kernels.quantize(values, inputs, &mut quantized);
            let mut out = vec![f32::NAN; quantized.len() * packed.stride()];
            kernels.multiply_bytes(&quantized, &packed, &mut out);
            out
        };
        let expected = product(scalar(), &values);
        for kernels in NetworkKernels::available() {
            prop_assert_eq!(bits(&product(kernels, &values)), bits(&expected), "{}", kernels.name());
            let last = product(kernels, &values[(rows - 1) * inputs..]);
            prop_assert_eq!(bits(&last), bits(&expected[(rows - 1) * packed.stride()..]), "{}", kernels.name());
        }
        for (row, out) in values.chunks(inputs).zip(expected.chunks(packed.stride())) {
            // A byte differs from the value that it stands for by at most half a step, and the zero point by another
            // half.
            let step = row.iter().fold(0.0f32, |max, &x| max.max(x)) - row.iter().fold(0.0f32, |min, &x| min.min(x));
            for output in 0..outputs {
                let column = || (0..inputs).map(|input| f64::from(bytes[input * outputs + output]) * 0.5);
                let exact: f64 = row.iter().zip(column()).map(|(&x, w)| f64::from(x) * w).sum::<f64>() + 0.25;
                let tolerance = column().map(f64::abs).sum::<f64>() * f64::from(step) / 255.0 + 1e-3;
                prop_assert!((f64::from(out[output]) - exact).abs() <= tolerance, "{} {exact}", out[output]);
            }
        }
    }

    #[test]
    fn products_of_floats_are_sums_in_the_order_of_the_inputs(
        rows in 0usize..30, inputs in 1usize..50, outputs in 1usize..70, gap in 0usize..5, seed in any::<u64>(),
    ) {
        let (values, matrix) = (floats(rows * (inputs + gap), 1.0, seed), floats(inputs * outputs, 1.0, seed ^ 1));
        let bias = floats(outputs, 1.0, seed ^ 2);
        let packed = FloatWeights::new(inputs, outputs, &matrix, &bias);
        let operand = FloatRows { values: &values, rows, inputs, stride: inputs + gap };
        for kernels in NetworkKernels::available() {
            let mut out = vec![f32::NAN; rows * packed.stride()];
            kernels.multiply_floats(operand, packed.blocks(), Some(packed.biases()), &mut out, packed.stride());
            for (row, out) in values.chunks(inputs + gap).zip(out.chunks(packed.stride())) {
                for output in 0..outputs {
                    let mut expected = 0.0f32;
                    for input in 0..inputs {
                        expected = row[input].mul_add(matrix[input * outputs + output], expected);
                    }
                    prop_assert_eq!(out[output].to_bits(), (expected + bias[output]).to_bits(), "{}", kernels.name());
                }
            }
        }
    }

    #[test]
    fn all_instruction_sets_change_rows_to_the_same_bits(length in 1usize..100, seed in any::<u64>()) {
        let (row, residual) = (floats(length, 5.0, seed), floats(length, 1.0, seed ^ 1));
        let (weight, bias) = (floats(length, 2.0, seed ^ 2), floats(length, 1.0, seed ^ 3));
        let change = |kernels: &NetworkKernels| {
            let (mut normalized, mut softmax, mut gelu) = (row.clone(), row.clone(), row.clone());
            kernels.normalize(&mut normalized, Some(&residual), &weight, &bias, 1e-12);
            kernels.softmax(&mut softmax, 0.3);
            kernels.gelu(&mut gelu);
            [normalized, softmax, gelu]
        };
        let expected = change(scalar());
        for kernels in NetworkKernels::available() {
            for (got, expected) in change(kernels).iter().zip(&expected) {
                prop_assert_eq!(bits(got), bits(expected), "{}", kernels.name());
            }
        }
        let [normalized, softmax, _] = expected;
        let sums: Vec<f64> = row.iter().zip(&residual).map(|(&a, &b)| f64::from(a) + f64::from(b)).collect();
        let mean = sums.iter().sum::<f64>() / length as f64;
        let variance = sums.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / length as f64;
        // The deviation of one value is 0, so rounding errors would be divided by about 0.
        if length > 1 {
            for at in 0..length {
                let exact = (sums[at] - mean) / (variance + 1e-12).sqrt() * f64::from(weight[at]) + f64::from(bias[at]);
                prop_assert!((f64::from(normalized[at]) - exact).abs() < 1e-4, "{} {exact}", normalized[at]);
            }
        }
        let total: f64 = row.iter().map(|&x| (0.3 * f64::from(x)).exp()).sum();
        for at in 0..length {
            let exact = (0.3 * f64::from(row[at])).exp() / total;
            prop_assert!((f64::from(softmax[at]) - exact).abs() < 1e-6 * exact, "{} {exact}", softmax[at]);
        }
    }
}

#[test]
fn gelu_agrees_with_its_definition() {
    for kernels in NetworkKernels::available() {
        let mut values: Vec<f32> = (-8_000..=8_000).map(|at| at as f32 / 1_000.0).collect();
        let inputs = values.clone();
        kernels.gelu(&mut values);
        for (x, got) in inputs.into_iter().map(f64::from).zip(values) {
            let exact = x * 0.5 * libm_erfc(-x / 2f64.sqrt());
            assert!((f64::from(got) - exact).abs() <= 2e-7 * x.abs().max(1.0), "{x}: {got}, {exact}");
        }
        let mut special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0];
        kernels.gelu(&mut special);
        assert!(special[0].is_nan() && special[1] == f32::INFINITY && special[3] == 0.0, "{special:?}");
    }
}

/// erfc by integration of its derivative (Simpson's rule), because the standard library does not have it.
fn libm_erfc(x: f64) -> f64 {
    let steps = 2_000;
    let step = x.abs() / f64::from(steps);
    let density = |at: i32| (-(f64::from(at) * step).powi(2)).exp();
    let inner: f64 = (1..steps).map(|at| density(at) * if at % 2 == 1 { 4.0 } else { 2.0 }).sum();
    let integral = (density(0) + inner + density(steps)) * step / 3.0;
    let erf = std::f64::consts::FRAC_2_SQRT_PI * integral;
    if x < 0.0 { 1.0 + erf } else { 1.0 - erf }
}

#[test]
fn rows_of_one_value_and_rows_that_are_not_finite_are_quantized() {
    for kernels in NetworkKernels::available() {
        let identity = ByteWeights::new(1, 1, &[1], &[1.0], &[0.0]);
        let product = |value: f32| {
            let mut rows = QuantizedRows::new(1);
            kernels.quantize(&[value], 1, &mut rows);
            let mut out = [0.0; LANES];
            kernels.multiply_bytes(&rows, &identity, &mut out);
            out[0]
        };
        for value in [0.0, 3.0, -3.0, 1e-30, -1e30] {
            assert!((product(value) - value).abs() <= value.abs() * 1e-6, "{}: {value}", kernels.name());
        }
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(!product(value).is_finite(), "{}: {value}", kernels.name());
        }
    }
}

#[test]
fn a_matrix_whose_blocks_overlap_other_columns_can_be_multiplied() {
    // The columns 16..32 of a row-major matrix [3, 40].
    let matrix = floats(3 * 40, 1.0, 7);
    let blocks =
        FloatBlocks { values: &matrix[16..], inputs: 3, blocks: 1, block_stride: LANES, input_stride: 40 };
    for kernels in NetworkKernels::available() {
        let mut out = [0.0; LANES];
        let rows = FloatRows { values: &[1.0, 0.0, 2.0], rows: 1, inputs: 3, stride: 3 };
        kernels.multiply_floats(rows, blocks, None, &mut out, LANES);
        for (column, got) in out.iter().enumerate() {
            assert_eq!(*got, 2.0f32.mul_add(matrix[96 + column], matrix[16 + column]), "{}", kernels.name());
        }
    }
}

#[test]
fn the_largest_products_do_not_overflow() {
    let inputs = 1 << 15;
    for weight in [-128, 127, 64] {
        let weights = ByteWeights::new(inputs, 1, &vec![weight; inputs], &[1.0], &[0.0]);
        // The bytes are 255 with the zero point 0, and 0 with the zero point 255.
        for value in [255.0, -255.0] {
            let expected = (inputs as i64 * i64::from(weight) * value as i64) as f32;
            for kernels in NetworkKernels::available() {
                let mut rows = QuantizedRows::new(inputs);
                kernels.quantize(&vec![value; inputs], inputs, &mut rows);
                let mut out = [0.0; LANES];
                kernels.multiply_bytes(&rows, &weights, &mut out);
                assert_eq!(out[0], expected, "{}: {weight} {value}", kernels.name());
            }
        }
    }
}

#[test]
#[should_panic(expected = "product: expected rows of 3 values, got 2")]
fn rows_of_another_length_are_refused() {
    let weights = ByteWeights::new(3, 1, &[1, 2, 3], &[1.0], &[0.0]);
    NetworkKernels::detect().multiply_bytes(&QuantizedRows::new(2), &weights, &mut []);
}
