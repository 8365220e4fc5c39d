//! Finds roots of one-dimensional functions.

/// Precision of a root in u = ln T.
const PRECISION: f64 = 1e-14;
/// Maximum number of steps.
const MAX_STEPS: usize = 200;

/// Returns the root between `low` and `high` of a function that is at most 0 at `low` and at least 0 at `high`. `of` returns the
/// function's value and derivative. Uses Newton's method, and bisection whenever a Newton step would leave the interval.
pub(super) fn increasing_root(mut low: f64, mut high: f64, of: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut at = (low + high) / 2.0;
    for step in 0..MAX_STEPS {
        let (value, slope) = of(at);
        if value == 0.0 {
            return at;
        }
        if value < 0.0 {
            low = at;
        } else {
            high = at;
        }
        let newton = at - value / slope;
        // Every third step bisects, so that strong curvature cannot make the search slow.
        let next = if newton > low && newton < high && step % 3 != 2 { newton } else { (low + high) / 2.0 };
        if (next - at).abs() <= PRECISION * at.abs().max(1.0) || next <= low || next >= high {
            return next;
        }
        at = next;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_roots_of_smooth_and_of_steep_functions() {
        let cube = increasing_root(0.0, 9.0, |x| (x * x * x - 2.0, 3.0 * x * x));
        assert!((cube - 2f64.cbrt()).abs() < 1e-13);
        let steep = increasing_root(-5.0, 5.0, |x| {
            let tanh = (100.0 * (x - 1.25)).tanh();
            (tanh, 100.0 * (1.0 - tanh * tanh))
        });
        assert!((steep - 1.25).abs() < 1e-12, "{steep}");
        // A derivative of 0 makes every step a bisection.
        let flat = increasing_root(-1.0, 2.0, |x| (x.powi(3), 0.0));
        assert!(flat.abs() < 1e-4, "{flat}");
    }
}
