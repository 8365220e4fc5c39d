//! Reciprocal rank (RR).

use crate::judged::Judged;

/// 1 / rank of the first relevant passage, or 0 if there is none within the cut-off. trec_eval calls it `recip_rank`.
pub(crate) fn reciprocal_rank(judged: &Judged, relevant: i32, cutoff: Option<usize>) -> f64 {
    let first = judged.top(cutoff).iter().position(|&grade| grade >= relevant);
    first.map_or(0.0, |at| 1.0 / (at + 1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_relevant_passage_counts() {
        let judged = Judged::of(&[0, 0, 1, 2], &[]);
        assert_eq!(reciprocal_rank(&judged, 1, None), 1.0 / 3.0);
        assert_eq!(reciprocal_rank(&judged, 2, None), 1.0 / 4.0);
        assert_eq!(reciprocal_rank(&judged, 1, Some(2)), 0.0);
        assert_eq!(reciprocal_rank(&Judged::of(&[0], &[1]), 1, None), 0.0);
    }
}
