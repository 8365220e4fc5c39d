use crate::hnsw::codes::{CodesView, Reach, Target};
use crate::hnsw::squared_lengths::SquaredLengths;
use crate::store::rows_view::View;

/// How near vectors are, by their codes: a number, the greater the nearer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closeness<'a> {
    view: View<'a>,
    codes: CodesView<'a>,
    augmented: Option<Augmented<'a>>,
}

/// Room to work in.
#[derive(Debug, Default)]
pub(crate) struct Work {
    products: Vec<i32>,
    /// The closeness asked for last.
    pub closeness: Vec<f32>,
}

/// |x|² of the rows in a file and of those appended, and φ².
#[derive(Debug, Clone, Copy)]
struct Augmented<'a> {
    base: &'a [f32],
    tail: &'a [f32],
    greatest: f32,
}

impl<'a> Closeness<'a> {
    pub fn new(view: View<'a>, codes: CodesView<'a>, squared_lengths: Option<&'a SquaredLengths>) -> Self {
        let augmented = squared_lengths.map(|SquaredLengths { column, greatest }| {
            let (base, tail) = column.parts();
            Augmented { base, tail, greatest: *greatest }
        });
        Self { view, codes, augmented }
    }

    /// What a prepared query makes of rows. Where they are augmented it has 0 there.
    pub fn of_query(&self, query: &[f32]) -> Target {
        self.codes.target(query)
    }

    /// What a row makes of others, by its vector.
    pub fn of_row(&self, row: u32) -> Target {
        let mut target = self.codes.target(self.view.row(row));
        target.augmented = self.augmented_part(row);
        target
    }

    /// What a row makes of others, by its codes: less exact, and fetched sooner.
    pub fn of_codes(&self, row: u32) -> Target {
        let mut target = self.codes.target_of(row);
        target.augmented = self.augmented_part(row);
        target
    }

    /// Makes a target of [`of_codes`](Self::of_codes) that of another row.
    pub fn turn(&self, target: &mut Target, row: u32) {
        self.codes.turn(target, row);
        target.augmented = self.augmented_part(row);
    }

    /// How near each of the rows is, in `work.closeness`. For augmented rows |x' − y'|² = 2φ² − 2(x·y +
    /// √(φ² − |x|²)·√(φ² − |y|²)), so near in that distance is great in this sum.
    pub fn all(&self, target: &Target, rows: &[u32], work: &mut Work) {
        self.codes.closeness(target, rows, &mut work.products, &mut work.closeness);
        if let Some(augmented) = self.augmented.filter(|_| target.augmented > 0.0) {
            for (closeness, &row) in work.closeness.iter_mut().zip(rows) {
                *closeness += target.augmented * augmented.of(row);
            }
        }
    }

    /// Keeps those of `rows` that are within `reach` by a quick look; all where there is no quicker way than
    /// [`all`](Self::all).
    pub fn reaching(&self, target: &Target, rows: &mut Vec<u32>, reach: Reach, work: &mut Work) {
        match self.augmented.filter(|_| target.augmented > 0.0) {
            Some(augmented) => {
                let more = |row| target.augmented * augmented.of(row);
                self.codes.reaching(target, rows, reach, &mut work.products, more);
            }
            None => self.codes.reaching(target, rows, reach, &mut work.products, |_| 0.0),
        }
    }

    /// Whether two rows are one vector.
    pub fn same(&self, a: u32, b: u32) -> bool {
        self.codes.same(a, b) && self.view.row(a) == self.view.row(b)
    }

    pub fn codes(&self) -> &CodesView<'a> {
        &self.codes
    }

    pub fn view(&self) -> &View<'a> {
        &self.view
    }

    fn augmented_part(&self, row: u32) -> f32 {
        self.augmented.map_or(0.0, |augmented| augmented.of(row))
    }
}

impl Augmented<'_> {
    /// √(φ² − |x|²)
    fn of(&self, row: u32) -> f32 {
        let squared = match (row as usize).checked_sub(self.base.len()) {
            Some(row) => self.tail[row],
            None => self.base[row as usize],
        };
        (self.greatest - squared).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::hnsw::codes::Codes;
    use crate::hnsw::options::Layout;
    use crate::store::rows::Rows;

    #[test]
    fn augmented_rows_rank_as_their_euclidean_distance_does() {
        let mut rows = Rows::new(2, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        rows.append(&["a", "b", "c"], &[3.0, 0.0, 0.0, 4.0, 1.0, 1.0]).expect("rows");
        let mut lengths = SquaredLengths::new();
        (0..3).for_each(|row| lengths.push(rows.stored(row)));
        let mut codes = Codes::new(2, Similarity::Dot, Layout::Fast);
        codes.extend(&rows.view(), 0..3);
        let closeness = Closeness::new(rows.view(), codes.view(), Some(&lengths));
        // φ² = 16: a' = (3, 0, √7), b' = (0, 4, 0), c' = (1, 1, √14).
        let expected = |a: u32, b: u32| {
            let augmented = [[3.0, 0.0, 7f32.sqrt()], [0.0, 4.0, 0.0], [1.0, 1.0, 14f32.sqrt()]];
            let [a, b] = [augmented[a as usize], augmented[b as usize]];
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
        };
        let mut work = Work::default();
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            for target in [closeness.of_row(a), closeness.of_codes(a)] {
                closeness.all(&target, &[b], &mut work);
                let distance = 32.0 - 2.0 * work.closeness[0];
                assert!((distance - expected(a, b)).abs() < 0.5, "{a} and {b}: {distance}");
            }
        }
    }
}
