//! A word that is being stemmed, and the conditions on its letters that the rules of Porter's paper (1980) check.

/// One unit of a word: a byte if the word is ASCII, otherwise a UTF-16 code unit, as in Lucene.
pub(crate) trait Unit: Copy + PartialEq + From<u8> {
    /// Returns the unit as a byte; 0 if it does not fit in a byte.
    fn byte_or_zero(self) -> u8;
}

impl Unit for u8 {
    #[inline]
    fn byte_or_zero(self) -> u8 {
        self
    }
}

impl Unit for u16 {
    #[inline]
    fn byte_or_zero(self) -> u8 {
        u8::try_from(self).unwrap_or(0)
    }
}

/// A word that is being stemmed, and the length of its stem: the part before the suffix that a rule matched.
pub(super) struct Word<'a, U> {
    units: &'a mut Vec<U>,
    /// Number of units before the suffix that [`ends_with`](Self::ends_with) last matched.
    stem_length: usize,
}

impl<'a, U: Unit> Word<'a, U> {
    #[inline]
    pub fn new(units: &'a mut Vec<U>) -> Self {
        Self { units, stem_length: 0 }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns true if the word ends with this suffix. If so, the units before the suffix become the stem.
    #[inline]
    pub fn ends_with(&mut self, suffix: &str) -> bool {
        let Some(at) = self.units.len().checked_sub(suffix.len()) else { return false };
        let found =
            self.units[at..].iter().zip(suffix.bytes()).rev().all(|(&unit, byte)| unit == U::from(byte));
        if found {
            self.stem_length = at;
        }
        found
    }

    /// Returns the unit at this distance from the end as a byte, where 1 is the last unit; 0 if the word is shorter or
    /// the unit does not fit in a byte.
    #[inline]
    pub fn nth_last(&self, distance: usize) -> u8 {
        self.units.len().checked_sub(distance).map_or(0, |at| self.units[at].byte_or_zero())
    }

    /// Replaces everything after the stem.
    #[inline]
    pub fn replace_suffix(&mut self, replacement: &str) {
        self.units.truncate(self.stem_length);
        self.units.extend(replacement.bytes().map(U::from));
    }

    /// Removes everything after the stem.
    #[inline]
    pub fn remove_suffix(&mut self) {
        self.units.truncate(self.stem_length);
    }

    /// Removes this many units from the end.
    #[inline]
    pub fn remove_last(&mut self, count: usize) {
        self.units.truncate(self.units.len() - count);
    }

    #[inline]
    pub fn push(&mut self, letter: u8) {
        self.units.push(U::from(letter));
    }

    #[inline]
    pub fn measure_of_stem(&self) -> usize {
        self.measure(self.stem_length)
    }

    #[inline]
    pub fn stem_has_vowel(&self) -> bool {
        let mut is_consonant = false;
        (0..self.stem_length).any(|at| {
            is_consonant = self.is_consonant_after(at, is_consonant);
            !is_consonant
        })
    }

    #[inline]
    pub fn stem_ends_cvc(&self) -> bool {
        self.ends_cvc(self.stem_length)
    }

    /// Returns the paper's *m*: the number of times that a vowel is followed by a consonant in the first `length`
    /// units.
    #[inline]
    pub fn measure(&self, length: usize) -> usize {
        let (mut count, mut after_vowel, mut is_consonant) = (0, false, false);
        for at in 0..length {
            is_consonant = self.is_consonant_after(at, is_consonant);
            count += usize::from(after_vowel && is_consonant);
            after_vowel = !is_consonant;
        }
        count
    }

    /// The paper's condition `*d`: the word ends with two equal consonants.
    #[inline]
    pub fn ends_in_double_consonant(&self) -> bool {
        let length = self.units.len();
        length > 1 && self.units[length - 1] == self.units[length - 2] && self.is_consonant(length - 1)
    }

    /// The paper's condition `*o`: the first `length` units end with a consonant, a vowel, and a consonant other than
    /// w, x and y.
    #[inline]
    pub fn ends_cvc(&self, length: usize) -> bool {
        length > 2
            && !matches!(self.units[length - 1].byte_or_zero(), b'w' | b'x' | b'y')
            && self.is_consonant(length - 1)
            && !self.is_consonant(length - 2)
            && self.is_consonant(length - 3)
    }

    #[inline]
    fn is_consonant(&self, at: usize) -> bool {
        match self.units[at].byte_or_zero() {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            // A `y` is a vowel if it follows a consonant, so consonants and vowels alternate in a run of `y`.
            b'y' => {
                let previous =
                    self.units[..at].iter().rev().take_while(|unit| unit.byte_or_zero() == b'y').count();
                let first = at - previous;
                let first_is_consonant = first == 0 || !self.is_consonant(first - 1);
                first_is_consonant == previous.is_multiple_of(2)
            }
            _ => true,
        }
    }

    /// Returns the same as [`is_consonant`](Self::is_consonant), given whether the previous unit is a consonant.
    #[inline]
    fn is_consonant_after(&self, at: usize, previous_is_consonant: bool) -> bool {
        match self.units[at].byte_or_zero() {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => at == 0 || !previous_is_consonant,
            _ => true,
        }
    }
}
