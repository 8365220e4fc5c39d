//! Sums of selected query values with NEON. A mask clears the query values whose bits are 0 in the row.

pub(super) mod neon {
    use std::arch::aarch64::{
        int16x8_t, vaddlvq_s16, vandq_s8, vdupq_n_s16, vdupq_n_u64, vld1q_s8, vld1q_u8, vpadalq_s8,
        vqtbl1q_u8, vreinterpretq_s8_u8, vreinterpretq_u8_u64, vtstq_u8,
    };

    type Sums = int16x8_t;

    /// For each value of each chunk of sixteen values: the index of the byte, in the word of 64 bits, that has its bit.
    static BYTE_OF_VALUE: [[u8; 16]; 4] = {
        let mut bytes = [[0; 16]; 4];
        let mut value = 0;
        while value < 64 {
            bytes[value / 16][value % 16] = value as u8 / 8;
            value += 1;
        }
        bytes
    };

    define_signs!("neon", #[target_feature(enable = "neon")]);

    #[target_feature(enable = "neon")]
    #[inline]
    fn zero() -> Sums {
        vdupq_n_s16(0)
    }

    /// Adds two of every sixteen values to each 16-bit lane. [`MAX_DIM`](crate::signs::MAX_DIM) is so small that no
    /// lane overflows.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_selected(bits: u64, values: &[i8; 64], sums: Sums) -> Sums {
        let bit_of_byte = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
        let all_bits = vreinterpretq_u8_u64(vdupq_n_u64(bits));
        let mut sums = sums;
        for (chunk, index) in values.as_chunks::<16>().0.iter().zip(&BYTE_OF_VALUE) {
            // SAFETY: `index` is sixteen readable bytes; the load needs no more alignment than they have.
            let index = unsafe { vld1q_u8(index.as_ptr()) };
            let mask = vreinterpretq_s8_u8(vtstq_u8(vqtbl1q_u8(all_bits, index), bit_of_byte));
            // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
            let values = unsafe { vld1q_s8(chunk.as_ptr()) };
            sums = vpadalq_s8(sums, vandq_s8(mask, values));
        }
        sums
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn totals(sums: [Sums; 4]) -> [i32; 4] {
        sums.map(|sums| vaddlvq_s16(sums))
    }
}
