//! Parts of a scan that the instruction sets share. `define_scan_pass` defines the loops over the groups for AVX2 and
//! NEON.

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

/// Maximum number of dense terms of a `scan_pass`, which is compiled once for each number of terms. For each term, it
/// has an array of the starts of codes on the stack.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const TERMS_PER_PASS: usize = 8;

/// Number of groups that are checked before those that may reach the threshold are scanned.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const GROUPS_PER_CHECK: usize = 64;

/// If the second check rules out none of this many groups, the rest of the sums is scanned without it.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const MIN_SECOND_CHECKS: usize = 16;

/// Defines `scan` (see [`ImpactKernels`](super::ImpactKernels)), which calls `scan_pass::<D>` for `D` dense terms, 0 to
/// [`TERMS_PER_PASS`]. If there are more, it first adds the others to all sums.
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
            use crate::impacts::scan::TERMS_PER_PASS;
            if dense.len() > TERMS_PER_PASS {
                add(sums, &dense[TERMS_PER_PASS..], options.shift);
                dense.truncate(TERMS_PER_PASS);
            }
            match &mut dense[..] {
                [] => scan_pass::<0>(sums, &mut [], options, found, positions),
                [a] => scan_pass(sums, &mut [a], options, found, positions),
                [a, b] => scan_pass(sums, &mut [a, b], options, found, positions),
                [a, b, c] => scan_pass(sums, &mut [a, b, c], options, found, positions),
                [a, b, c, d] => scan_pass(sums, &mut [a, b, c, d], options, found, positions),
                [a, b, c, d, e] => scan_pass(sums, &mut [a, b, c, d, e], options, found, positions),
                [a, b, c, d, e, f] => scan_pass(sums, &mut [a, b, c, d, e, f], options, found, positions),
                [a, b, c, d, e, f, g] => {
                    scan_pass(sums, &mut [a, b, c, d, e, f, g], options, found, positions)
                }
                [a, b, c, d, e, f, g, h, ..] => {
                    scan_pass(sums, &mut [a, b, c, d, e, f, g, h], options, found, positions)
                }
            }
        }
    };
}

/// Defines `scan_pass` (see [`define_scan`]) and `add` (see [`ImpactKernels`](super::ImpactKernels)) for AVX2 and NEON.
/// The module must define, with the same target features:
///
/// - `Group` and `Shift`: the registers with the 64 sums of a group, and with a shift; the functions `load_group`,
///   `store_group`, `splat` (a value in all lanes) and `shift_of`;
/// - `reaches(group, min)`: true if a sum is at or above `min`; and `mask_at_least(group, min)`: a mask whose bit `i`
///   is set if sum `i` is at or above `min`;
/// - `Units`, the registers with a byte for each passage of the group, the sum of the bounds of its terms in units (see
///   the [module](super)); `zero_units`; `add_units(units, term, word, start)`, which adds the units of a term to the
///   passages whose bits are set in `word` and whose codes begin at `start`; and `add_equal_units(units, added, word)`,
///   which adds the same number of units to each of these passages, saturating at 255;
/// - `add_shifted(group, units, shift)`: the sums of the group plus the shifted units, saturating at 65,535.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! define_scan_pass {
    (#[$feature:meta]) => {
        #[$feature]
        fn scan_pass<const D: usize>(
            sums: &mut [u16],
            dense: &mut [&mut DenseTerm<'_>; D],
            options: ScanOptions<'_>,
            found: &mut [u16],
            positions: &mut [u16],
        ) -> ScanProgress {
            let max_units = dense.each_ref().map(|term| max_units(term));
            let min_sum = splat(min_sum_to_reach_threshold(&max_units, &options));
            let (threshold, shift) = (splat(options.threshold), shift_of(options.shift));
            let (mut codes_read, mut starts) = ([0; D], [[0u32; GROUPS_PER_CHECK]; D]);
            let mut found = Found { sums: found, positions, count: 0 };
            let mut runs_second_check = D > 0;
            let mut first_group = 0;
            for chunk in sums.as_chunks_mut::<GROUP>().0.chunks_mut(GROUPS_PER_CHECK) {
                let words = dense.each_ref().map(|term| &term.words[first_group..][..chunk.len()]);
                let mut groups = 0;
                for (group, sums) in chunk.iter().enumerate() {
                    groups |= u64::from(reaches(load_group(sums), min_sum)) << group;
                }
                if runs_second_check {
                    let mut remaining = 0u64;
                    for (checked, group) in set_bits(groups).enumerate() {
                        if checked == MIN_SECOND_CHECKS && remaining.count_ones() as usize == checked {
                            remaining = groups;
                            break;
                        }
                        let mut units = zero_units();
                        for (words, &max) in words.iter().zip(&max_units) {
                            units = add_equal_units(units, max, u64::from_le_bytes(words[group]));
                        }
                        let max_sums = add_shifted(load_group(&chunk[group]), units, shift);
                        remaining |= u64::from(reaches(max_sums, threshold)) << group;
                    }
                    // If it rules out less than 1/4 of the groups, the second check costs more than it saves, so the
                    // rest of the sums is scanned without it. 1/4 is an estimate from the numbers of instructions.
                    runs_second_check = remaining.count_ones() * 4 <= groups.count_ones() * 3;
                    groups = remaining;
                }
                let mut codes_end = codes_read;
                for ((words, starts), end) in words.iter().zip(&mut starts).zip(&mut codes_end) {
                    for (word, start) in words.iter().zip(starts) {
                        *start = *end;
                        *end += u64::from_le_bytes(*word).count_ones();
                    }
                }
                for in_chunk in set_bits(groups) {
                    let group = first_group + in_chunk;
                    if found.count + GROUP > found.sums.len() {
                        chunk[..in_chunk].as_flattened_mut().fill(0);
                        let codes_read = starts.map(|starts| starts[in_chunk] as usize);
                        advance(dense.iter_mut().map(|term| &mut **term), group, &codes_read);
                        return ScanProgress { sums: group * GROUP, found: found.count };
                    }
                    let mut values = load_group(&chunk[in_chunk]);
                    if D > 0 {
                        let mut units = zero_units();
                        for ((term, words), starts) in dense.iter().zip(&words).zip(&starts) {
                            let word = u64::from_le_bytes(words[in_chunk]);
                            units = add_units(units, term, word, starts[in_chunk] as usize);
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
                chunk.as_flattened_mut().fill(0);
                codes_read = codes_end;
                first_group += chunk.len();
            }
            let codes_read = codes_read.map(|read| read as usize);
            advance(dense.iter_mut().map(|term| &mut **term), first_group, &codes_read);
            ScanProgress { sums: first_group * GROUP, found: found.count }
        }

        #[$feature]
        fn add(sums: &mut [u16], dense: &[DenseTerm<'_>], shift: u32) {
            let (shift, mut codes_read) = (shift_of(shift), [0usize; MAX_DENSE_TERMS]);
            for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
                let mut units = zero_units();
                for (term, read) in dense.iter().zip(&mut codes_read) {
                    let word = u64::from_le_bytes(term.words[group]);
                    units = add_units(units, term, word, *read);
                    *read += word.count_ones() as usize;
                }
                let values = add_shifted(load_group(sums), units, shift);
                store_group(sums, values);
            }
        }
    };
}

/// Returns the smallest sum that can reach the threshold once all dense terms are added, given the maximum number of
/// units that each of them adds.
pub(super) fn min_sum_to_reach_threshold(max_units: &[u8], options: &ScanOptions<'_>) -> u16 {
    let max_units: u32 = max_units.iter().map(|&units| u32::from(units)).sum();
    options.threshold.saturating_sub(u16::try_from(max_units << options.shift).unwrap_or(u16::MAX))
}

/// Returns the maximum number of units that a dense term adds to a sum.
pub(super) fn max_units(term: &DenseTerm<'_>) -> u8 {
    term.bounds.units.iter().fold(0, |max, &units| units.max(max))
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
