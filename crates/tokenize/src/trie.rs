//! A set of byte strings with a number each, as a double array (Aoe, 1989, "An Efficient Digital Search Algorithm by Using
//! a Double-Array Structure"): a step takes one addition and one comparison.

/// No number.
const NONE: u32 = u32::MAX;

/// Where a walk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State(u32);

/// One place of the array.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// The place of a child is this plus its byte.
    base: u32,
    /// The parent; `NONE` where nothing is.
    parent: u32,
    /// Of the string that ends here.
    number: u32,
}

const FREE: Cell = Cell { base: 0, parent: NONE, number: NONE };

#[derive(Debug)]
pub(crate) struct Trie {
    cells: Vec<Cell>,
}

impl Trie {
    /// The strings, sorted and distinct, with their numbers, all below `u32::MAX`.
    pub fn new(strings: &[(&[u8], u32)]) -> Self {
        let mut trie = Self { cells: vec![FREE; 512] };
        // The root is its own parent, so that nothing else takes its place.
        trie.cells[0].parent = 0;
        let mut free = 1;
        // Strings of a node: those from `first` to `last` share `depth` bytes.
        let mut waiting = vec![(0usize, 0usize, strings.len(), 0usize)];
        while let Some((node, mut first, last, depth)) = waiting.pop() {
            if first < last && strings[first].0.len() == depth {
                trie.cells[node].number = strings[first].1;
                first += 1;
            }
            let mut children: Vec<(u8, usize, usize)> = Vec::new();
            for (at, (string, _)) in strings.iter().enumerate().take(last).skip(first) {
                match children.last_mut() {
                    Some((byte, _, end)) if *byte == string[depth] => *end = at + 1,
                    _ => children.push((string[depth], at, at + 1)),
                }
            }
            if children.is_empty() {
                continue;
            }
            let base = trie.place(&children, &mut free);
            trie.cells[node].base = base as u32;
            for (byte, from, to) in children {
                let child = base + usize::from(byte);
                trie.cells[child].parent = node as u32;
                waiting.push((child, from, to, depth + 1));
            }
        }
        trie
    }

    /// A base at which all children find a free place. Looks from `start` on, and moves it where hardly a place was free.
    fn place(&mut self, children: &[(u8, usize, usize)], start: &mut usize) -> usize {
        let least = usize::from(children[0].0);
        let (mut at, mut taken) = ((*start).max(least), 0);
        let (first, base) = (
            at,
            loop {
                if self.cells.len() < at + 256 {
                    self.cells.resize(2 * self.cells.len() + 256, FREE);
                }
                if self.cells[at].parent != NONE {
                    taken += 1;
                } else if children
                    .iter()
                    .all(|&(byte, ..)| self.cells[at - least + usize::from(byte)].parent == NONE)
                {
                    break at - least;
                }
                at += 1;
            },
        );
        if taken * 16 > (at - first) * 15 {
            *start = at;
        }
        base
    }

    /// Before the first byte.
    pub const ROOT: State = State(0);

    /// The state after a byte; none where no string goes on so.
    #[inline]
    pub fn step(&self, State(from): State, byte: u8) -> Option<State> {
        let at = self.cells[from as usize].base as usize + usize::from(byte);
        // The root is no child, though it says that it is its own.
        (at != 0 && self.cells.get(at)?.parent == from).then_some(State(at as u32))
    }

    /// The number of the string that ends here.
    #[inline]
    pub fn number(&self, State(at): State) -> Option<u32> {
        let number = self.cells[at as usize].number;
        (number != NONE).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn find(trie: &Trie, string: &[u8]) -> Option<u32> {
        let end = string.iter().try_fold(Trie::ROOT, |state, &byte| trie.step(state, byte));
        end.and_then(|state| trie.number(state))
    }

    proptest! {
        #[test]
        fn a_trie_has_its_strings_and_no_other(
            strings in prop::collection::btree_map(prop::collection::vec(0..=255u8, 0..5), 0..1000u32, 0..200),
            others in prop::collection::vec(prop::collection::vec(0..=255u8, 0..6), 0..100),
        ) {
            let sorted: Vec<(&[u8], u32)> = strings.iter().map(|(string, &number)| (&string[..], number)).collect();
            let trie = Trie::new(&sorted);
            for (string, &number) in &strings {
                prop_assert_eq!(find(&trie, string), Some(number));
            }
            for other in &others {
                prop_assert_eq!(find(&trie, other), strings.get(other).copied());
            }
        }

        #[test]
        fn strings_of_few_letters_share_most_of_their_way(
            strings in prop::collection::btree_map("[ab]{0,9}", 0..1000u32, 0..300),
            other in "[abc]{0,9}",
        ) {
            let bytes: BTreeMap<&[u8], u32> = strings.iter().map(|(string, &number)| (string.as_bytes(), number)).collect();
            let trie = Trie::new(&bytes.iter().map(|(&string, &number)| (string, number)).collect::<Vec<_>>());
            for (string, &number) in &bytes {
                prop_assert_eq!(find(&trie, string), Some(number));
            }
            prop_assert_eq!(find(&trie, other.as_bytes()), bytes.get(other.as_bytes()).copied());
        }
    }
}
