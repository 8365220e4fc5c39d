use crate::rows::View;
use crate::scan::Filter;

/// A walk scores about this many rows for each candidate that it keeps, at the price of a row of a scan.
pub(crate) const ROWS_PER_CANDIDATE: usize = 16;
/// One more candidate is kept for so many hits.
const SPARE: usize = 4;
/// Rows on which a filter is tried to estimate how many it allows.
const FILTER_SAMPLE: usize = 256;

/// How searches with the same `k`, `ef` and filter go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// Hits wanted, at most the rows that are not deleted.
    pub k: usize,
    /// Candidates that a walk goes to.
    pub ef: usize,
    /// Candidates kept, at least `ef` and somewhat more than `k`, for their codes rank them about right.
    pub kept: usize,
    /// Through the graph, else through all rows.
    pub walks: bool,
}

impl Plan {
    /// A walk keeps `ef` candidates that are allowed and passes `ef / share` to find them, where `share` of the
    /// rows are; a scan scores `share * rows`. The cheaper one is planned.
    pub fn new(view: &View, k: usize, ef: usize, filter: Option<Filter>) -> Self {
        let k = k.min(view.live_len());
        let ef = ef.max(1);
        let kept = ef.max(k + k / SPARE);
        let share = share_allowed(view, filter);
        let scored_by_walk = ROWS_PER_CANDIDATE as f64 * ef.max(k) as f64 / share;
        // A share of 0 makes that infinite.
        let walks = scored_by_walk < share * view.len() as f64;
        Self { k, ef, kept, walks }
    }
}

/// About which share of the rows are neither deleted nor filtered out, from 0 to 1.
fn share_allowed(view: &View, filter: Option<Filter>) -> f64 {
    let rows = view.len();
    if rows == 0 {
        return 0.0;
    }
    let Some(allows) = filter else {
        return view.live_len() as f64 / rows as f64;
    };
    let tried = rows.min(FILTER_SAMPLE);
    // Evenly spread; the products stay below 2⁴⁰.
    let sample = (0..tried).map(|at| (at as u64 * rows as u64 / tried as u64) as u32);
    sample.filter(|&row| view.is_live(row) && allows(row)).count() as f64 / tried as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::rows::Rows;

    #[test]
    fn a_walk_is_planned_where_it_scores_fewer_rows() {
        let mut rows = Rows::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..1000).map(|row| row.to_string()).collect();
        rows.append(&ids, &vec![1.0; 1000]).expect("rows");
        let walks = |k, ef, filter| Plan::new(&rows.view(), k, ef, filter).walks;
        assert!(walks(1, 62, None)); // 16 · 62 = 992 < 1000
        assert!(!walks(1, 63, None) && !walks(63, 1, None) && !walks(usize::MAX, 1, None));
        // Half the rows: 16 · 16 / 0.5 = 512 > 500.
        let even = |row: u32| row.is_multiple_of(2);
        assert!(walks(1, 15, Some(&even)) && !walks(1, 16, Some(&even)));
        assert!(!walks(1, 1, Some(&|_| false)));
        rows.delete(&ids).expect("there");
        let plan = Plan::new(&rows.view(), 5, 5, None);
        assert_eq!((plan.k, plan.walks), (0, false));
    }
}
