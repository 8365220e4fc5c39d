//! Recall at a cut-off (R@k).

use crate::judged::Judged;

/// The fraction of the relevant passages that is among the first `cutoff` hits. trec_eval calls it `recall`. It is 0 without a
/// relevant passage.
pub(crate) fn recall(judged: &Judged, relevant: i32, cutoff: usize) -> f64 {
    let total = judged.relevant(relevant);
    if total == 0 {
        return 0.0;
    }
    let found = judged.top(Some(cutoff)).iter().filter(|&&grade| grade >= relevant).count();
    found as f64 / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relevant_passages_that_were_not_retrieved_count() {
        let judged = Judged::of(&[1, 0, 2], &[1, 1]);
        assert_eq!(recall(&judged, 1, 1), 0.25);
        assert_eq!(recall(&judged, 1, 100), 0.5);
        assert_eq!(recall(&judged, 2, 3), 1.0);
        assert_eq!(recall(&Judged::of(&[0], &[]), 1, 1), 0.0);
    }
}
