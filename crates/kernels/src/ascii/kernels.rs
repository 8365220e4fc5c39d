//! [`AsciiKernels`]: the public function, which checks its arguments.

/// Number of bytes per group.
pub const GROUP: usize = 64;

/// The classes of the 64 bytes of a group. Bit `i` of a class is set if byte `i` belongs to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AsciiClasses {
    /// The ASCII letters and digits.
    pub alphanumeric: u64,
    /// `.` `,` `:` `;` `'`: the ASCII characters that may be inside a word, between two letters or two digits (UAX
    /// #29).
    pub inside_words: u64,
    /// `_`, which joins words, and the bytes of characters that are not ASCII.
    pub others: u64,
}

/// `(groups, classes)`: writes the classes of each group. `groups` and `classes` have the same length.
pub(super) type ClassifyFn = unsafe fn(&[[u8; GROUP]], &mut [AsciiClasses]);

/// Classifies bytes with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`AsciiKernels::detect`],
/// [`AsciiKernels::available`] and [`AsciiKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct AsciiKernels {
    pub(super) name: &'static str,
    pub(super) classify: ClassifyFn,
}

impl AsciiKernels {
    /// Writes the classes of each group of a text. In an incomplete last group, the bits after the end of the text are
    /// 0.
    ///
    /// ```
    /// use kernels::ascii::{AsciiClasses, AsciiKernels};
    ///
    /// let mut classes = [AsciiClasses::default()];
    /// AsciiKernels::detect().classify("It's 5_°".as_bytes(), &mut classes);
    /// // The lowest bit is the first byte; `°` has two bytes.
    /// assert_eq!(classes[0].alphanumeric, 0b000101011);
    /// assert_eq!(classes[0].inside_words, 0b000000100);
    /// assert_eq!(classes[0].others, 0b111000000);
    /// ```
    ///
    /// # Panics
    ///
    /// Unless `classes` has one element per group.
    pub fn classify(&self, text: &[u8], classes: &mut [AsciiClasses]) {
        assert_eq!(
            classes.len(),
            text.len().div_ceil(GROUP),
            "classify: expected room for one element per group"
        );
        let (groups, rest) = text.as_chunks::<GROUP>();
        let (of_groups, of_rest) = classes.split_at_mut(groups.len());
        // SAFETY: `self` exists, so the CPU has the features that `self.classify` needs.
        unsafe { (self.classify)(groups, of_groups) };
        if !rest.is_empty() {
            let mut last = [0; GROUP];
            last[..rest.len()].copy_from_slice(rest);
            // SAFETY: as above.
            unsafe { (self.classify)(&[last], of_rest) };
        }
    }
}
