//! The measures by name, each as trec_eval defines it.
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
use crate::judged::Judged;

/// A measure of a query's ranking, with the names of `ir_measures`: `nDCG@10`, `nDCG`, `RR@10`, `RR`, `AP@1000`, `AP`, `R@100`,
/// `P@5`, `Success@1`.
///
/// `MRR`, `MAP`, `Recall` and `Precision` are read as `RR`, `AP`, `R` and `P`. A passage is relevant if its grade is at least 1,
/// or at least the grade in parentheses: `RR(rel=2)@10` is trec_eval's `-l 2`. nDCG takes no such grade, because every grade
/// above 0 is a gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Measure {
    kind: Kind,
    /// The minimum grade of a relevant passage; at least 1.
    relevant: i32,
}

/// A measure with its cut-off, which is at least 1; `None` takes every hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Ndcg(Option<usize>),
    ReciprocalRank(Option<usize>),
    AveragePrecision(Option<usize>),
    Recall(usize),
    Precision(usize),
    Success(usize),
}

/// The names, for error messages; `k` stands for a cut-off.
const NAMES: &str = "one of nDCG, nDCG@k, RR, RR@k, AP, AP@k, R@k, P@k, Success@k with k at least 1";

impl Measure {
    /// The value for one query, from 0 to 1.
    pub(crate) fn of(self, judged: &Judged) -> f64 {
        match self.kind {
            Kind::Ndcg(cutoff) => ndcg::ndcg(judged, cutoff),
            Kind::ReciprocalRank(cutoff) => reciprocal_rank::reciprocal_rank(judged, self.relevant, cutoff),
            Kind::AveragePrecision(cutoff) => {
                average_precision::average_precision(judged, self.relevant, cutoff)
            }
            Kind::Recall(cutoff) => recall::recall(judged, self.relevant, cutoff),
            Kind::Precision(cutoff) => precision::precision(judged, self.relevant, cutoff),
            Kind::Success(cutoff) => success::success(judged, self.relevant, cutoff),
        }
    }
}

impl FromStr for Measure {
    type Err = Error;

    /// Parses a name, which is case-sensitive.
    ///
    /// # Errors
    ///
    /// [`Error::Measure`], which lists the names, for any other name, a cut-off or grade that is not a number of
    /// at least 1, and a missing cut-off.
    fn from_str(measure: &str) -> Result<Self, Error> {
        let refused =
            |expected: &str| Error::Measure { expected: expected.to_owned(), got: measure.to_owned() };
        let (named, cutoff) = match measure.split_once('@') {
            Some((named, cutoff)) => (named, Some(positive(cutoff).ok_or_else(|| refused(NAMES))?)),
            None => (measure, None),
        };
        let (name, grade) = match named.strip_suffix(')').and_then(|named| named.split_once("(rel=")) {
            Some((name, grade)) => {
                let grade = positive(grade).and_then(|grade| i32::try_from(grade).ok());
                (name, Some(grade.ok_or_else(|| refused("a grade of at least 1, as in AP(rel=2)"))?))
            }
            None => (named, None),
        };
        let needed = || cutoff.ok_or_else(|| refused(&format!("a cut-off, as in {name}@10")));
        let kind = match name {
            "nDCG" if grade.is_none() => Kind::Ndcg(cutoff),
            "nDCG" => return Err(refused("nDCG without rel, as every grade above 0 is a gain")),
            "RR" | "MRR" => Kind::ReciprocalRank(cutoff),
            "AP" | "MAP" => Kind::AveragePrecision(cutoff),
            "R" | "Recall" => Kind::Recall(needed()?),
            "P" | "Precision" => Kind::Precision(needed()?),
            "Success" => Kind::Success(needed()?),
            _ => return Err(refused(NAMES)),
        };
        Ok(Self { kind, relevant: grade.unwrap_or(1) })
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
        if self.relevant != 1 {
            write!(f, "(rel={})", self.relevant)?;
        }
        cutoff.map_or(Ok(()), |cutoff| write!(f, "@{cutoff}"))
    }
}

/// Parses a number of at least 1 that consists of digits only.
fn positive(digits: &str) -> Option<usize> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(name: &str) -> String {
        name.parse::<Measure>().expect("it is a measure").to_string()
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
    fn other_names_are_read_as_canonical_names() {
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
    fn anything_else_is_refused_and_the_valid_names_are_listed() {
        let message = |name: &str| name.parse::<Measure>().expect_err("it is no measure").to_string();
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
