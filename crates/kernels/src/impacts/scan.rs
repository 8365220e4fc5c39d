//! Parts of a scan that the instruction sets share. `define_scan` defines the loops over the groups for AVX2 and NEON.

use super::operands::{DenseTerm, GROUP, ScanOptions};

/// For each value of a byte of a bitmap, the shuffle that moves the next codes to the lanes of the set bits, stored as
/// eight one-byte indexes. The index 0x80 sets a lane to 0. AVX2 and NEON have no instruction that expands bytes by a
/// mask.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) static SHUFFLES: [u64; 256] = shuffles();

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const fn shuffles() -> [u64; 256] {
    let mut shuffles = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            let present = byte >> bit & 1 == 1;
            shuffles[byte] |= (if present { rank } else { 0x80 }) << (8 * bit);
            rank += present as u64;
            bit += 1;
        }
        byte += 1;
    }
    shuffles
}

/// Defines `scan` and `add` (see [`ImpactKernels`](super::ImpactKernels)) for an instruction set. The module must
/// define, with the same target features:
///
/// - `Group` and `Shift`: the registers with the 64 sums of a group, and with a
///   shift; the functions `load_group`, `clear_group`, `store_group`, `splat` (a value in all lanes) and `shift_of`;
/// - `mask_at_least(group, min)`: a mask whose bit `i` is set if sum `i` is at or above `min`;
/// - `Units`, the registers with a byte for each passage of the group, the sum of the bounds of its terms in units (see
///   the [module](super)); `zero_units`; and `add_units(units, term, word, start)`, which adds the units of a term to
///   the passages whose bits are set in `word`. The codes of these passages begin at `start`. It returns the new units
///   and the number of codes that it read;
/// - `add_shifted(group, units, shift)`: the sums of the group plus the shifted units.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! define_scan {
    (#[$feature:meta]) => {
        #[$feature]
        fn scan(
            sums: &mut [u16],
            dense: &mut Vec<DenseTerm<'_>>,
            options: ScanOptions<'_>,
            found: &mut [u16],
            positions: &mut [u16],
        ) -> ScanProgress {
            let min_sum = splat(min_sum_to_reach_threshold(dense.iter(), &options));
            let (threshold, shift) = (splat(options.threshold), shift_of(options.shift));
            let mut codes_read = [0usize; MAX_DENSE_TERMS];
            let mut scanned = sums.len();
            let mut found = Found { sums: found, positions, count: 0 };
            for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                if found.count + GROUP > found.sums.len() {
                    scanned = group * GROUP;
                    break;
                }
                let mut values = load_group(sums);
                clear_group(sums);
                if !dense.is_empty() {
                    if mask_at_least(values, min_sum) == 0 {
                        for (term, read) in dense.iter().zip(&mut codes_read) {
                            *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
                        }
                        continue;
                    }
                    let mut units = zero_units();
                    for (term, read) in dense.iter().zip(&mut codes_read) {
                        let count;
                        (units, count) = add_units(units, term, u64::from_le_bytes(term.words[group]), *read);
                        *read += count;
                    }
                    values = add_shifted(values, units, shift);
                }
                let mask = mask_at_least(values, threshold)
                    & options.allowed.map_or(u64::MAX, |allowed| allowed[group]);
                if mask != 0 {
                    let mut group_sums = [0; GROUP];
                    store_group(&mut group_sums, values);
                    append_found(mask, group, &group_sums, &mut found);
                }
            }
            advance(dense.iter_mut(), scanned / GROUP, &codes_read);
            ScanProgress { sums: scanned, found: found.count }
        }

        #[$feature]
        fn add(sums: &mut [u16], dense: &[DenseTerm<'_>], shift: u32) {
            let (shift, mut codes_read) = (shift_of(shift), [0usize; MAX_DENSE_TERMS]);
            for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let mut units = zero_units();
                for (term, read) in dense.iter().zip(&mut codes_read) {
                    let count;
                    (units, count) = add_units(units, term, u64::from_le_bytes(term.words[group]), *read);
                    *read += count;
                }
                let values = add_shifted(load_group(sums), units, shift);
                store_group(sums, values);
            }
        }
    };
}

/// Returns the smallest sum that can reach the threshold once all dense terms are added.
pub(super) fn min_sum_to_reach_threshold<'a>(
    dense: impl Iterator<Item = &'a DenseTerm<'a>>,
    options: &ScanOptions<'_>,
) -> u16 {
    let max_units: u32 = dense.map(|term| u32::from(max_units(term))).sum();
    options.threshold.saturating_sub(u16::try_from(max_units << options.shift).unwrap_or(u16::MAX))
}

/// Returns the maximum number of units that a dense term adds to a sum.
pub(super) fn max_units(term: &DenseTerm<'_>) -> u16 {
    term.bounds.units.iter().fold(0, |max, &units| units.max(max)).into()
}

/// The buffers to which a scan writes the passages that it finds, and the number of passages found so far.
pub(super) struct Found<'a> {
    pub sums: &'a mut [u16],
    pub positions: &'a mut [u16],
    pub count: usize,
}

/// Appends the passages of a group whose bits are set in `mask`.
#[inline]
pub(super) fn append_found(mask: u64, group: usize, group_sums: &[u16; GROUP], found: &mut Found<'_>) {
    for bit in set_bits(mask) {
        found.sums[found.count] = group_sums[bit];
        found.positions[found.count] = (group * GROUP + bit) as u16;
        found.count += 1;
    }
}

/// Advances each dense term past the scanned groups, in which it has `codes_read` codes.
#[inline]
pub(super) fn advance<'t, 'a: 't>(
    dense: impl Iterator<Item = &'t mut DenseTerm<'a>>,
    groups: usize,
    codes_read: &[usize],
) {
    for (term, &codes_read) in dense.zip(codes_read) {
        term.words = &term.words[groups..];
        term.codes = &term.codes[codes_read..];
    }
}

/// Returns the positions of the set bits of a word, lowest first.
#[inline]
pub(super) fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
