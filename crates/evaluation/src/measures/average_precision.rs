//! Average precision (AP).

use crate::judged::Judged;

/// The sum of the precisions at the ranks of the relevant passages, divided by the number of relevant passages, retrieved or
/// not. trec_eval calls it `map` and `map_cut`. It is 0 without a relevant passage.
pub(crate) fn average_precision(judged: &Judged, relevant: i32, cutoff: Option<usize>) -> f64 {
    let total = judged.relevant(relevant);
    if total == 0 {
        return 0.0;
    }
    let mut found = 0;
    let mut sum = 0.0;
    for (at, &grade) in judged.top(cutoff).iter().enumerate() {
        if grade >= relevant {
            found += 1;
            sum += f64::from(found) / (at + 1) as f64;
        }
    }
    sum / total as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precisions_are_averaged_over_all_relevant_passages() {
        let judged = Judged::of(&[1, 0, 2, 0], &[1]);
        assert_eq!(average_precision(&judged, 1, None), (1.0 + 2.0 / 3.0) / 3.0);
        assert_eq!(average_precision(&judged, 1, Some(2)), 1.0 / 3.0);
        assert_eq!(average_precision(&judged, 2, None), 1.0 / 3.0);
        assert_eq!(average_precision(&Judged::of(&[0], &[]), 1, None), 0.0);
    }
}
