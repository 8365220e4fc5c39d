//! With every instruction set, each byte has the classes of its definition.

use kernels::ascii::{AsciiClasses, AsciiKernels, GROUP};
use proptest::prelude::*;

/// The definition of the classes, byte by byte.
fn expected(text: &[u8]) -> Vec<AsciiClasses> {
    let bits = |group: &[u8], is_in: fn(u8) -> bool| {
        group.iter().enumerate().map(|(at, &byte)| u64::from(is_in(byte)) << at).sum()
    };
    text.chunks(GROUP)
        .map(|group| AsciiClasses {
            alphanumeric: bits(group, |byte| byte.is_ascii_alphanumeric()),
            inside_words: bits(group, |byte| b".,:;'".contains(&byte)),
            others: bits(group, |byte| byte == b'_' || byte >= 0x80),
        })
        .collect()
}

proptest! {
    #[test]
    fn random_texts_have_the_classes_of_their_bytes(text in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut classes = vec![AsciiClasses { alphanumeric: 1, inside_words: 2, others: 3 }; text.len().div_ceil(GROUP)];
        for kernels in AsciiKernels::available() {
            kernels.classify(&text, &mut classes);
            prop_assert_eq!(&classes, &expected(&text), "{}", kernels.name());
        }
    }
}

#[test]
fn every_byte_has_its_classes_at_every_place_of_a_group() {
    let mut classes = [AsciiClasses::default(); 2];
    for byte in 0..=u8::MAX {
        for place in 0..GROUP {
            let mut text = vec![b' '; 2 * GROUP];
            text[GROUP + place] = byte;
            for kernels in AsciiKernels::available() {
                kernels.classify(&text, &mut classes);
                assert_eq!(classes, *expected(&text), "{}: {byte} at {place}", kernels.name());
            }
        }
    }
}
