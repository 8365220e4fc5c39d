//! Finds the root of an increasing function of one variable.

/// Precision of a root: absolute, or relative to the absolute value of the root if that is above 1.
const PRECISION: f64 = 1e-14;
/// Maximum number of steps.
const MAX_STEPS: usize = 200;

/// Returns the root between `low` and `high` of a function that is at most 0 at `low` and at least 0 at `high`.
/// `function` returns its value and its derivative. Uses Newton's method, and bisection if a Newton step would leave
/// the interval.
pub(super) fn increasing_root(mut low: f64, mut high: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut x = (low + high) / 2.0;
    for step in 0..MAX_STEPS {
        let (value, slope) = function(x);
        if value == 0.0 {
            return x;
        }
        if value < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - value / slope;
        // Every third step is a bisection, because Newton's method can be slow where the curvature is strong.
        let next = if newton > low && newton < high && step % 3 != 2 { newton } else { (low + high) / 2.0 };
        if (next - x).abs() <= PRECISION * x.abs().max(1.0) || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_smooth_steep_and_flat_functions_are_found() {
        let cube = increasing_root(0.0, 9.0, |x| (x * x * x - 2.0, 3.0 * x * x));
        assert!((cube - 2f64.cbrt()).abs() < 1e-13);
        let steep = increasing_root(-5.0, 5.0, |x| {
            let tanh = (100.0 * (x - 1.25)).tanh();
            (tanh, 100.0 * (1.0 - tanh * tanh))
        });
        assert!((steep - 1.25).abs() < 1e-12, "{steep}");
        // A derivative of 0 makes every step a bisection.
        let flat = increasing_root(-1.0, 2.0, |x| (x.powi(3), 0.0));
        assert!(flat.abs() < 1e-12, "{flat}");
    }
}
