//! Portable code for every CPU.

use super::kernels::ImpactKernels;
use super::operands::{DenseTerm, GROUP, PADDING, ScanOptions, ScanProgress};
use super::scan::{Found, advance, append_found, max_units, min_sum_to_reach_threshold, set_bits};
use super::tables::scalar::{bounds, class_bounds, codes, kth_sum};

pub(super) static KERNELS: ImpactKernels = ImpactKernels {
    name: "scalar",
    codes_per_class: CODES_PER_CLASS,
    scan,
    add,
    kth_sum,
    bounds,
    class_bounds: class_bounds::<CODES_PER_CLASS>,
    codes,
};

const CODES_PER_CLASS: usize = 4;

/// See [`ImpactKernels::scan`].
fn scan(
    sums: &mut [u16],
    dense: &mut Vec<DenseTerm<'_>>,
    options: ScanOptions<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> ScanProgress {
    let max_units: Vec<u8> = dense.iter().map(max_units).collect();
    let min_sum = min_sum_to_reach_threshold(&max_units, &options);
    let mut codes_read = vec![0; dense.len()];
    let mut scanned = sums.len();
    let mut found = Found { sums: found, positions, count: 0 };
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if found.count + GROUP > found.sums.len() {
            scanned = group * GROUP;
            break;
        }
        let mut max_sum = 0;
        for &sum in sums.iter() {
            max_sum = max_sum.max(sum);
        }
        if max_sum < min_sum {
            for (term, read) in dense.iter().zip(&mut codes_read) {
                *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
            }
            *sums = [0; GROUP];
            continue;
        }
        add_to_group(sums, group, dense, options.shift, &mut codes_read);
        let mut mask = 0u64;
        for (bit, &sum) in sums.iter().enumerate() {
            mask |= u64::from(sum >= options.threshold) << bit;
        }
        mask &= options.allowed.map_or(u64::MAX, |allowed| allowed[group]);
        append_found(mask, group, sums, &mut found);
        *sums = [0; GROUP];
    }
    advance(dense.iter_mut(), scanned / GROUP, &codes_read);
    ScanProgress { sums: scanned, found: found.count }
}

/// See [`ImpactKernels::add`].
fn add(sums: &mut [u16], dense: &[DenseTerm<'_>], shift: u32) {
    let mut codes_read = vec![0; dense.len()];
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        add_to_group(sums, group, dense, shift, &mut codes_read);
    }
}

/// Adds the bounds of dense terms to the sums of a group. `codes_read` has, for each term, the number of codes before
/// those of the group, to which this function adds theirs.
fn add_to_group(
    sums: &mut [u16; GROUP],
    group: usize,
    dense: &[DenseTerm<'_>],
    shift: u32,
    codes_read: &mut [usize],
) {
    for (term, read) in dense.iter().zip(codes_read) {
        let word = u64::from_le_bytes(term.words[group]);
        // This requires the padding, as the SIMD code does, so that a corrupt file is detected on every CPU.
        let codes: &[u8; PADDING] = term.codes[*read..].first_chunk().expect("codes and their padding");
        for (bit, &code) in set_bits(word).zip(codes) {
            let units = u16::from(term.bounds.units[usize::from(code) / CODES_PER_CLASS]);
            sums[bit] = sums[bit].wrapping_add(units << shift);
        }
        *read += word.count_ones() as usize;
    }
}
