use crate::judged::Judged;

/// Share of relevant passages among the first `cutoff` hits; hits that are not there count as not
/// relevant: trec_eval's `P`.
pub(crate) fn precision(judged: &Judged, relevant: i32, cutoff: usize) -> f64 {
    let found = judged.top(Some(cutoff)).iter().filter(|&&grade| grade >= relevant).count();
    found as f64 / cutoff as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_list_is_as_if_filled_up() {
        let judged = Judged::of(&[1, 0, 2], &[1]);
        assert_eq!(precision(&judged, 1, 2), 0.5);
        assert_eq!(precision(&judged, 1, 5), 0.4);
        assert_eq!(precision(&judged, 2, 5), 0.2);
        assert_eq!(precision(&Judged::of(&[], &[1]), 1, 5), 0.0);
    }
}
