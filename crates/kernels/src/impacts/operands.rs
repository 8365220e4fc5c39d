/// Number of passages in a group: those of one word of a bitmap.
pub const GROUP: usize = 64;

/// Number of codes that must be readable behind the last one of a [`DenseTerm`]. Their values do not matter.
pub const PADDING: usize = GROUP;

/// Minimum number of codes that share a bound in a scan; see
/// [`ImpactKernels::codes_per_class`](super::ImpactKernels::codes_per_class).
pub const MIN_CODES_PER_CLASS: usize = 4;

/// Maximum number of codes that share a bound in a scan.
pub const MAX_CODES_PER_CLASS: usize = 16;

/// Number of passages after which a [`RankedBitmap`] has the next count.
pub const RANK_INTERVAL: usize = 512;

/// A term that many passages have: a bitmap of these passages and a code for each.
#[derive(Debug, Clone)]
pub struct DenseTerm<'a> {
    /// A little-endian word for each group; bit `i` is set if passage `i` of the group has the term.
    pub words: &'a [[u8; 8]],
    /// A code for each set bit, in order, starting with the first of `words`; then [`PADDING`] more bytes.
    pub codes: &'a [u8],
    /// What the codes add to sums.
    pub bounds: &'a DenseBounds,
}

/// A bitmap of the passages of a term with counts that make every passage's code accessible.
#[derive(Debug, Clone, Copy)]
pub struct RankedBitmap<'a> {
    /// As in [`DenseTerm::words`], starting with passage 0.
    pub words: &'a [[u8; 8]],
    /// For every [`RANK_INTERVAL`]th passage, the number of bits set before it, as a little-endian `u32`.
    pub ranks: &'a [[u8; 4]],
    /// A code for each set bit, in order.
    pub codes: &'a [u8],
}

/// What the codes of a [`DenseTerm`] add to a sum: at most `steps[c / n]` steps for code `c`, where `n` is
/// [`ImpactKernels::codes_per_class`](super::ImpactKernels::codes_per_class).
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct DenseBounds {
    /// Steps of each class of codes.
    pub steps: [u8; 256 / MIN_CODES_PER_CLASS],
}

/// What each code adds to a sum at most. Code 0 adds 0.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Bounds(pub [u16; 256]);

/// The sums of a block of `N` passages.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct Sums<const N: usize>(pub [u16; N]);

/// Room for `N` passages whose sums reach the bound; `N` is at least [`GROUP`].
#[derive(Debug, Clone)]
pub struct FoundPassages<const N: usize> {
    /// Their sums, including dense terms.
    pub sums: [u16; N],
    /// Their positions among the scanned sums.
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

/// What a scan looks for.
#[derive(Debug, Clone, Copy)]
pub struct ScanOptions<'a> {
    /// Sums at or above this are reported. It is at least 1, so that passages without any term are not.
    pub bound: u16,
    /// A step of a dense term adds `1 << shift` to a sum; at most 8.
    pub shift: u32,
    /// Which passages may be reported: bit `i % 64` of word `i / 64`. `None` is all.
    pub allowed: Option<&'a [u64]>,
}
