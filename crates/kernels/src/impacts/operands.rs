//! Arguments and results of [`ImpactKernels`](super::ImpactKernels).

/// Number of passages in a group, which is the number of bits of one word of a bitmap.
pub const GROUP: usize = 64;

/// Number of bytes that must follow the last code of a [`DenseTerm`], because scans load whole registers. The values of
/// these bytes do not matter.
pub const PADDING: usize = GROUP;

/// Minimum number of codes in a class, over all instruction sets. The codes of a class share a bound in a scan; see
/// [`ImpactKernels::codes_per_class`](super::ImpactKernels::codes_per_class).
pub const MIN_CODES_PER_CLASS: usize = 4;

/// Maximum number of codes in a class, over all instruction sets.
pub const MAX_CODES_PER_CLASS: usize = 16;

/// A [`RankedBitmap`] stores one count per this many passages.
pub const RANK_INTERVAL: usize = 512;

/// A term that many passages have: a bitmap of these passages and a code for each.
#[derive(Debug, Clone)]
pub struct DenseTerm<'a> {
    /// A little-endian word for each group; bit `i` is set if passage `i` of the group has the term.
    pub words: &'a [[u8; 8]],
    /// A code for each set bit, in order, starting with the first of `words`; then [`PADDING`] more bytes.
    pub codes: &'a [u8],
    /// The bounds that the codes add to sums.
    pub bounds: &'a DenseBounds,
}

/// A bitmap of the passages of a term, with counts (ranks) for finding the code of any passage.
#[derive(Debug, Clone, Copy)]
pub struct RankedBitmap<'a> {
    /// The bitmap, as in [`DenseTerm::words`], starting with passage 0.
    pub words: &'a [[u8; 8]],
    /// For every [`RANK_INTERVAL`]th passage, the number of bits set before it, as a little-endian `u32`.
    pub ranks: &'a [[u8; 4]],
    /// A code for each set bit, in order.
    pub codes: &'a [u8],
}

/// The bounds that the codes of a [`DenseTerm`] add to sums: `units[c / n]` units of `1 << shift` for code `c`, where
/// `n` is [`ImpactKernels::codes_per_class`](super::ImpactKernels::codes_per_class) and `shift` is
/// [`ScanOptions::shift`].
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct DenseBounds {
    /// Units of each class of codes.
    pub units: [u8; 256 / MIN_CODES_PER_CLASS],
}

/// An upper bound on the contribution of each code, in quantization steps. The bound of code 0 is 0.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Bounds(pub [u16; 256]);

/// The sums of a block of `N` passages.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Sums<const N: usize>(pub [u16; N]);

/// A buffer for up to `N` passages whose sums reach the threshold; `N` is at least [`GROUP`].
#[derive(Debug, Clone)]
pub struct FoundPassages<const N: usize> {
    /// The sums of the passages, including the bounds of dense terms.
    pub sums: [u16; N],
    /// The positions of the passages among the scanned sums.
    pub positions: [u16; N],
}

/// How far a scan got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanProgress {
    /// Number of sums scanned.
    pub sums: usize,
    /// Number of passages found.
    pub found: usize,
}

/// The options of a scan.
#[derive(Debug, Clone, Copy)]
pub struct ScanOptions<'a> {
    /// Passages whose sum is at or above this threshold are reported. It is at least 1, so that passages without any of
    /// the terms are not reported.
    pub threshold: u16,
    /// A unit of [`DenseBounds`] adds `1 << shift` to a sum. At most 8.
    pub shift: u32,
    /// Which passages may be reported: passage `i` if bit `i % 64` of word `i / 64` is set. `None` allows all.
    pub allowed: Option<&'a [u64]>,
}
