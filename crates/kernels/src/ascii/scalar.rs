//! Classes of bytes, for every CPU.

use super::kernels::{AsciiClasses, AsciiKernels, GROUP};

pub(super) static KERNELS: AsciiKernels = AsciiKernels { name: "scalar", classify };

fn classify(groups: &[[u8; GROUP]], classes: &mut [AsciiClasses]) {
    for (group, classes) in groups.iter().zip(classes) {
        let bits = |is_in: fn(u8) -> bool| {
            group.iter().rev().fold(0, |bits, &byte| bits << 1 | u64::from(is_in(byte)))
        };
        *classes = AsciiClasses {
            alphanumeric: bits(|byte| byte.is_ascii_alphanumeric()),
            inside_words: bits(|byte| matches!(byte, b'.' | b',' | b':' | b';' | b'\'')),
            others: bits(|byte| byte == b'_' || !byte.is_ascii()),
        };
    }
}
