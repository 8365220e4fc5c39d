//! Sums of selected query values with NEON. A mask clears the query values whose bits are 0 in the row.

pub(super) mod neon {
    use std::arch::aarch64::{
        int16x8_t, vaddlvq_s16, vandq_s8, vcombine_u8, vdup_n_u8, vdupq_n_s16, vdupq_n_u64, vld1q_s8,
        vpadalq_s8, vreinterpretq_s8_u8, vreinterpretq_u8_u64, vtstq_u8,
    };

    type Sums = int16x8_t;

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
        let mut sums = sums;
        let (chunks, _) = values.as_chunks::<16>();
        let bytes = bits.to_le_bytes();
        let (pairs, _) = bytes.as_chunks::<2>();
        for (chunk, &[low, high]) in chunks.iter().zip(pairs) {
            let bytes = vcombine_u8(vdup_n_u8(low), vdup_n_u8(high));
            let mask = vreinterpretq_s8_u8(vtstq_u8(bytes, bit_of_byte));
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
