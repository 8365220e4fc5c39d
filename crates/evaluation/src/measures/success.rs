//! Success at a cut-off (Success@k).

use crate::judged::Judged;

/// 1 if a relevant passage is among the first `cutoff` hits, otherwise 0. trec_eval calls it `success`.
pub(crate) fn success(judged: &Judged, relevant: i32, cutoff: usize) -> f64 {
    let found = judged.top(Some(cutoff)).iter().any(|&grade| grade >= relevant);
    f64::from(u8::from(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_relevant_passage_is_enough() {
        let judged = Judged::of(&[0, 1, 0, 2], &[1]);
        assert_eq!(success(&judged, 1, 1), 0.0);
        assert_eq!(success(&judged, 1, 2), 1.0);
        assert_eq!(success(&judged, 2, 3), 0.0);
        assert_eq!(success(&judged, 2, 100), 1.0);
    }
}
