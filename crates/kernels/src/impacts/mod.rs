//! Scans over quantised sums of impacts: which passages of a window can still be among the best.
//!
//! A window's passages have a `u16` each, the sum of the terms that were added one posting at a time. Terms that
//! stand in many passages are added here instead, 64 passages at a time, from a bitmap and a code for each
//! posting, and only where the sum can reach the bound at all.

mod dispatch;
mod generic;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

pub use dispatch::{ImpactKernels, MANY};

/// Passages that one word of a bitmap stands for, and that are looked at together.
pub const GROUP: usize = 64;

/// Codes that must be readable behind the last of a [`DenseTerm`], whatever they are.
pub const PADDING: usize = GROUP;

/// The fewest codes that are bounded together, see [`ImpactKernels::class`].
pub const LEAST_CLASS: usize = 4;

/// The most.
pub const MOST_CLASS: usize = 16;

/// A term that stands in many passages: which, and a code for each.
#[derive(Debug, Clone)]
pub struct DenseTerm<'a> {
    /// For each 64 passages a little-endian word; bit `i` is set if passage `i` of them has the term.
    pub words: &'a [[u8; 8]],
    /// A code for each set bit, in order, from the first of `words` on; then [`PADDING`] more bytes.
    pub codes: &'a [u8],
    /// What each code adds.
    pub bounds: &'a DenseBounds,
}

/// Passages of a bitmap after which the number of bits before is noted again.
pub const RANK_EVERY: usize = 512;

/// A term's passages, from passage 0 on, to be asked for any of them.
#[derive(Debug, Clone, Copy)]
pub struct Ranked<'a> {
    /// As those of [`DenseTerm`].
    pub words: &'a [[u8; 8]],
    /// Before every [`RANK_EVERY`]th passage the bits set so far, as little-endian u32.
    pub ranks: &'a [[u8; 4]],
    /// A code for each set bit, in order.
    pub codes: &'a [u8],
}

/// What the codes of a [`DenseTerm`] add to a sum at most: of code `c` so many steps as `steps` has for the class
/// `c / class`, see [`ImpactKernels::class`].
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct DenseBounds {
    /// By class of codes.
    pub steps: [u8; 256 / LEAST_CLASS],
}

/// For each code what it adds to a sum; code 0 adds 0.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Bounds(pub [u16; 256]);

/// Sums of a window of `N` passages.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Sums<const N: usize>(pub [u16; N]);

/// Room for the passages whose sums reach the bound: `N` of them, more than [`GROUP`].
#[derive(Debug, Clone)]
pub struct Reached<const N: usize> {
    /// Sums, dense terms included.
    pub sums: [u16; N],
    /// Positions among the sums scanned.
    pub positions: [u16; N],
}

/// How far a scan came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scanned {
    /// Sums looked at.
    pub sums: usize,
    /// Passages found.
    pub found: usize,
}

/// What to look for in a window.
#[derive(Debug, Clone, Copy)]
pub struct Scan<'a> {
    /// Sums below are of no interest; at least 1, so that passages without any term are none.
    pub bound: u16,
    /// A step of a dense term is `1 << shift` of a sum; at most 8.
    pub shift: u32,
    /// Which passages may be reported: bit `i % 64` of word `i / 64`. All if there is none.
    pub allowed: Option<&'a [u64]>,
}

/// Writes those of a group's sums that are in `reached` from `count` on, and returns how many there are then.
#[inline]
fn report(
    reached: u64,
    group: usize,
    sums: &[u16; GROUP],
    (found, positions): (&mut [u16], &mut [u16]),
    mut count: usize,
) -> usize {
    for bit in bits(reached) {
        found[count] = sums[bit];
        positions[count] = (group * GROUP + bit) as u16;
        count += 1;
    }
    count
}

/// Has dense terms point behind the groups looked at, given how many codes of each were read.
#[inline]
fn pass<'t, 'a: 't>(dense: impl Iterator<Item = &'t mut DenseTerm<'a>>, groups: usize, read: &[usize]) {
    for (term, &read) in dense.zip(read) {
        term.words = &term.words[groups..];
        term.codes = &term.codes[read..];
    }
}

/// The set bits of a word, lowest first.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then_some(word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
