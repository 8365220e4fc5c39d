//! The formats of passage and question files, and their names.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// A format of passage files. `FromStr` and `Display` use the name in parentheses at the end of each description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PassageFormat {
    /// Detected from the content; the file name does not matter (`auto`).
    #[default]
    Auto,
    /// A text or Markdown file, or a folder of them (`text`).
    Text,
    /// Tab-separated `id`, `text`, `title`, as in DPR's `psgs_w100.tsv`. A header, if there is one, names the columns,
    /// and the title is optional (`dpr`).
    Dpr,
    /// JSON lines with `_id` or `id`, `text` and optionally `title`, as in BEIR's `corpus.jsonl` (`beir`).
    Beir,
    /// JSON lines with `id` or `_id`, `contents` and optionally `title`, as in Anserini (`anserini`).
    Anserini,
    /// SQuAD 1.1 or 2.0; each paragraph is a passage (`squad`).
    Squad,
    /// PubMedQA; each abstract is a passage (`pubmedqa`).
    PubmedQa,
}

/// A format of question files. `FromStr` and `Display` use the name in parentheses at the end of each description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QuestionFormat {
    /// Detected from the content; the file name does not matter (`auto`).
    #[default]
    Auto,
    /// Tab-separated `id`, `text`, without quoting (`tsv`).
    Tsv,
    /// JSON lines with `_id` or `id`, and `text`, as in BEIR's `queries.jsonl` (`beir`).
    Beir,
    /// Tab-separated question and list of answers, as in DPR's `nq-test.qa.csv` (`dpr-csv`).
    DprCsv,
    /// JSON lines with `question`, and optionally `answers` (or `answer`) and `id` (`dpr-jsonl`).
    DprJsonl,
    /// A JSON array of objects like those of [`DprJsonl`](Self::DprJsonl), as in DPR's training files (`dpr-json`).
    DprJson,
    /// SQuAD 1.1 or 2.0, with the paragraph as context (`squad`).
    Squad,
    /// TREC topics, with the number as id and the title as text (`trec`).
    Trec,
    /// PubMedQA, with yes, no or maybe as the answer and the abstract as context (`pubmedqa`).
    PubmedQa,
}

/// Implements `FromStr`, `Display` and the constant `ALL` for an enum of formats, given the name of each variant.
/// `$what` names the enum in error messages.
macro_rules! names {
    ($format:ident, $what:literal: $($variant:ident $name:literal),+) => {
        impl FromStr for $format {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self, Error> {
                match name {
                    $($name => Ok(Self::$variant),)+
                    other => Err(Error::argument($what, [$($name),+].join(", "), format!("{other:?}"))),
                }
            }
        }

        impl fmt::Display for $format {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(match self { $(Self::$variant => $name),+ })
            }
        }

        impl $format {
            /// Every format.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
        }
    };
}

names!(PassageFormat, "passage format": Auto "auto", Text "text", Dpr "dpr", Beir "beir", Anserini "anserini",
    Squad "squad", PubmedQa "pubmedqa");
names!(QuestionFormat, "question format": Auto "auto", Tsv "tsv", Beir "beir", DprCsv "dpr-csv",
    DprJsonl "dpr-jsonl", DprJson "dpr-json", Squad "squad", Trec "trec", PubmedQa "pubmedqa");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_parsed_from_its_name() {
        for &format in PassageFormat::ALL {
            assert_eq!(format.to_string().parse::<PassageFormat>().expect("a name"), format);
        }
        for &format in QuestionFormat::ALL {
            assert_eq!(format.to_string().parse::<QuestionFormat>().expect("a name"), format);
        }
        let error = "csv".parse::<QuestionFormat>().expect_err("no name").to_string();
        assert!(error.starts_with("question format: expected auto, tsv, beir"), "{error}");
    }
}
