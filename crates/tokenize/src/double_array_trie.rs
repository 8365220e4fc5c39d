//! Maps byte strings to numbers with a double-array trie (Aoe, 1989, "An Efficient Digital Search Algorithm by Using a
//! Double-Array Structure").
//!
//! All nodes are cells of one array. The child of node `n` for byte `b` is cell `base[n] + b`, if that cell's parent is
//! `n`, so following an edge takes one addition and one comparison. For "a" = 7 and "ab" = 9, with free cells left out:
//!
//! ```text
//! cell    0 (root)   base[0] + 'a'   base[base[0] + 'a'] + 'b'
//! parent  itself     0               base[0] + 'a'
//! value   –          7               9
//! ```

/// Stands for "no value" and "no parent".
const NONE: u32 = u32::MAX;

/// A node of the trie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Node(u32);

/// One cell of the array.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// The child for a byte is the cell at this index plus the byte.
    base: u32,
    /// The parent node; `NONE` if the cell is free.
    parent: u32,
    /// The value of the string that ends here, or `NONE`.
    value: u32,
}

const FREE: Cell = Cell { base: 0, parent: NONE, value: NONE };

/// Maps byte strings to numbers below `u32::MAX`.
#[derive(Debug)]
pub(crate) struct Trie {
    cells: Vec<Cell>,
}

impl Trie {
    /// Builds a trie from sorted, distinct strings with values below `u32::MAX`.
    pub fn new(strings: &[(&[u8], u32)]) -> Self {
        let mut trie = Self { cells: vec![FREE; 512] };
        // The root is its own parent, so that its cell is not free.
        trie.cells[0].parent = 0;
        let mut search_start = 1;
        // Nodes to expand: (node, first string, end of strings, depth). All strings below a node have the same first
        // `depth` bytes.
        let mut pending = vec![(0usize, 0usize, strings.len(), 0usize)];
        while let Some((node, mut first, end, depth)) = pending.pop() {
            if first < end && strings[first].0.len() == depth {
                trie.cells[node].value = strings[first].1;
                first += 1;
            }
            let mut children: Vec<(u8, usize, usize)> = Vec::new();
            for (at, (string, _)) in strings.iter().enumerate().take(end).skip(first) {
                match children.last_mut() {
                    Some((byte, _, child_end)) if *byte == string[depth] => *child_end = at + 1,
                    _ => children.push((string[depth], at, at + 1)),
                }
            }
            if children.is_empty() {
                continue;
            }
            let base = trie.find_base(&children, &mut search_start);
            trie.cells[node].base = base as u32;
            for (byte, from, to) in children {
                let child = base + usize::from(byte);
                trie.cells[child].parent = node as u32;
                pending.push((child, from, to, depth + 1));
            }
        }
        trie
    }

    /// Finds a base at which the cells of all children are free. The search begins at cell `search_start`. If more than
    /// 15 of 16 cells that it passes are taken, it sets `search_start` to the cell of the first child, so that later
    /// searches skip these cells.
    fn find_base(&mut self, children: &[(u8, usize, usize)], search_start: &mut usize) -> usize {
        let min_byte = usize::from(children[0].0);
        let (mut at, mut taken) = ((*search_start).max(min_byte), 0);
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
                    .all(|&(byte, ..)| self.cells[at - min_byte + usize::from(byte)].parent == NONE)
                {
                    break at - min_byte;
                }
                at += 1;
            },
        );
        if taken * 16 > (at - first) * 15 {
            *search_start = at;
        }
        base
    }

    /// The node of the empty string.
    pub const ROOT: Node = Node(0);

    /// Returns the child of a node for a byte; `None` if no string continues with this byte.
    #[inline]
    pub fn step(&self, Node(from): Node, byte: u8) -> Option<Node> {
        let at = self.cells[from as usize].base as usize + usize::from(byte);
        // The root is not a child, although it is its own parent.
        (at != 0 && self.cells.get(at)?.parent == from).then_some(Node(at as u32))
    }

    /// Returns the value of the string that ends at this node; `None` if no string ends there.
    #[inline]
    pub fn value(&self, Node(at): Node) -> Option<u32> {
        let value = self.cells[at as usize].value;
        (value != NONE).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Looks up the value of a string.
    fn find(trie: &Trie, string: &[u8]) -> Option<u32> {
        let end = string.iter().try_fold(Trie::ROOT, |node, &byte| trie.step(node, byte));
        end.and_then(|node| trie.value(node))
    }

    proptest! {
        #[test]
        fn a_trie_finds_its_strings_and_no_others(
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
        fn strings_with_long_common_prefixes_are_found(
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
