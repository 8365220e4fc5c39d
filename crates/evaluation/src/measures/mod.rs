//! The measures of rankings. A [`Measure`] is parsed from a name, and computes its value for one query as trec_eval
//! does.
//!
//! ```
//! use evaluation::Measure;
//!
//! let measure: Measure = "Recall@100".parse()?;
//! assert_eq!(measure.to_string(), "R@100");
//! assert_eq!("AP(rel=2)@1000".parse::<Measure>()?.to_string(), "AP(rel=2)@1000");
//! # Ok::<(), evaluation::Error>(())
//! ```

mod average_precision;
mod ndcg;
mod precision;
mod recall;
mod reciprocal_rank;
mod success;

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::graded_ranking::GradedRanking;

/// A measure of the ranking of one query.
///
/// Names are those of the Python package `ir_measures`: `nDCG@10`, `nDCG`, `RR@10`, `RR`, `AP@1000`, `AP`, `R@100`,
/// `P@5`, `Success@1`. `MRR`, `MAP`, `Recall` and `Precision` are also accepted, for `RR`, `AP`, `R` and `P`.
///
/// A passage is relevant if its grade is at least 1, or at least the grade in parentheses: `(rel=2)` in `RR(rel=2)@10`
/// has the effect of trec_eval's option `-l 2`. nDCG takes no such grade, because it uses every grade above 0 as a
/// gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Measure {
    kind: Kind,
    /// The minimum grade of a relevant passage; at least 1. nDCG ignores it.
    min_grade: i32,
}

/// A measure with its cut-off, which is at least 1. `None` means all hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Ndcg(Option<usize>),
    ReciprocalRank(Option<usize>),
    AveragePrecision(Option<usize>),
    Recall(usize),
    Precision(usize),
    Success(usize),
}

/// The list of names in error messages. `k` stands for a cut-off.
const NAMES: &str = "one of nDCG, nDCG@k, RR, RR@k, AP, AP@k, R@k, P@k, Success@k with k at least 1 (names \
     are case-sensitive; MRR, MAP, Recall and Precision are accepted, too, and a minimum grade, as in AP(rel=2))";

impl Measure {
    /// Returns the value for one query, from 0 to 1.
    pub(crate) fn value(self, ranking: &GradedRanking) -> f64 {
        match self.kind {
            Kind::Ndcg(cutoff) => ndcg::ndcg(ranking, cutoff),
            Kind::ReciprocalRank(cutoff) => reciprocal_rank::reciprocal_rank(ranking, self.min_grade, cutoff),
            Kind::AveragePrecision(cutoff) => {
                average_precision::average_precision(ranking, self.min_grade, cutoff)
            }
            Kind::Recall(cutoff) => recall::recall(ranking, self.min_grade, cutoff),
            Kind::Precision(cutoff) => precision::precision(ranking, self.min_grade, cutoff),
            Kind::Success(cutoff) => success::success(ranking, self.min_grade, cutoff),
        }
    }
}

impl FromStr for Measure {
    type Err = Error;

    /// Parses a name, which is case-sensitive.
    ///
    /// # Errors
    ///
    /// [`Error::Measure`], which says what was expected, if the name is unknown, if the cut-off or the grade is not a
    /// number of at least 1, if a required cut-off is missing, or if a grade is given for nDCG.
    fn from_str(measure: &str) -> Result<Self, Error> {
        let invalid =
            |expected: &str| Error::Measure { expected: expected.to_owned(), got: measure.to_owned() };
        let (name_and_grade, cutoff) = match measure.split_once('@') {
            Some((name, cutoff)) => (name, Some(parse_positive(cutoff).ok_or_else(|| invalid(NAMES))?)),
            None => (measure, None),
        };
        let without_parenthesis = name_and_grade.strip_suffix(')');
        let (name, grade) = match without_parenthesis.and_then(|name| name.split_once("(rel=")) {
            Some((name, grade)) => {
                let grade = parse_positive(grade).and_then(|grade| i32::try_from(grade).ok());
                (name, Some(grade.ok_or_else(|| invalid("a grade of at least 1, as in AP(rel=2)"))?))
            }
            None => (name_and_grade, None),
        };
        let required_cutoff = || cutoff.ok_or_else(|| invalid(&format!("a cut-off, as in {name}@10")));
        let kind = match name {
            "nDCG" if grade.is_none() => Kind::Ndcg(cutoff),
            "nDCG" => return Err(invalid("nDCG without rel, as every grade above 0 is a gain")),
            "RR" | "MRR" => Kind::ReciprocalRank(cutoff),
            "AP" | "MAP" => Kind::AveragePrecision(cutoff),
            "R" | "Recall" => Kind::Recall(required_cutoff()?),
            "P" | "Precision" => Kind::Precision(required_cutoff()?),
            "Success" => Kind::Success(required_cutoff()?),
            _ => return Err(invalid(NAMES)),
        };
        Ok(Self { kind, min_grade: grade.unwrap_or(1) })
    }
}

impl fmt::Display for Measure {
    /// Writes the canonical name, which parses to the same measure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, cutoff) = match self.kind {
            Kind::Ndcg(cutoff) => ("nDCG", cutoff),
            Kind::ReciprocalRank(cutoff) => ("RR", cutoff),
            Kind::AveragePrecision(cutoff) => ("AP", cutoff),
            Kind::Recall(cutoff) => ("R", Some(cutoff)),
            Kind::Precision(cutoff) => ("P", Some(cutoff)),
            Kind::Success(cutoff) => ("Success", Some(cutoff)),
        };
        f.write_str(name)?;
        if self.min_grade != 1 {
            write!(f, "(rel={})", self.min_grade)?;
        }
        cutoff.map_or(Ok(()), |cutoff| write!(f, "@{cutoff}"))
    }
}

/// Parses a number of at least 1. Unlike [`str::parse`], it accepts no sign.
fn parse_positive(digits: &str) -> Option<usize> {
    let has_only_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
    has_only_digits.then(|| digits.parse().ok()).flatten().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a name and returns the canonical name of the measure.
    fn canonical(name: &str) -> String {
        name.parse::<Measure>().expect("a measure").to_string()
    }

    #[test]
    fn canonical_names_parse_to_themselves() {
        for name in [
            "nDCG",
            "nDCG@10",
            "RR",
            "RR@10",
            "AP",
            "AP@1000",
            "R@100",
            "P@5",
            "Success@1",
            "AP(rel=2)@5",
            "RR(rel=3)",
        ] {
            assert_eq!(canonical(name), name);
        }
    }

    #[test]
    fn alternative_names_are_accepted() {
        for (name, expected) in [
            ("MRR@10", "RR@10"),
            ("MAP", "AP"),
            ("Recall@100", "R@100"),
            ("Precision@5", "P@5"),
            ("P(rel=1)@05", "P@5"),
        ] {
            assert_eq!(canonical(name), expected);
        }
    }

    #[test]
    fn invalid_names_are_rejected_with_an_error_that_says_what_was_expected() {
        let message = |name: &str| name.parse::<Measure>().expect_err("not a measure").to_string();
        for name in [
            "", "ndcg@10", "nDCG@0", "nDCG@", "nDCG@x", "nDCG@+1", "nDCG@1@2", "@10", "F1", "AP()",
            "AP(rel=2",
        ] {
            assert_eq!(message(name), format!("measure: expected {NAMES}, got \"{name}\""));
        }
        assert_eq!(message("R"), "measure: expected a cut-off, as in R@10, got \"R\"");
        assert_eq!(
            message("AP(rel=0)"),
            "measure: expected a grade of at least 1, as in AP(rel=2), got \"AP(rel=0)\""
        );
        assert!(message("nDCG(rel=2)@10").contains("nDCG without rel"));
    }
}
