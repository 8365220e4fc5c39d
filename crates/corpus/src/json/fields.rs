//! Types of JSON fields that data sets write in several ways, such as ids that are strings or integers.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// An id: a string or an integer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Id<'a>(pub Cow<'a, str>);

/// A string. It is borrowed from the JSON if it has no escapes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub Cow<'a, str>);

/// Maximum number of answers per question. The shortest answer takes two bytes in a file, but a whole `String` in
/// memory, so the limit on the size of a document does not bound the memory of its answers.
const MAX_ANSWERS: usize = 1 << 16;

/// The first element of a list, or `None` if the list is empty. All other elements must be valid too.
pub(crate) struct First<T>(pub Option<T>);

/// Answers: a list of strings and integers, one string, or null (no answers).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Answers(pub Vec<String>);

/// A finite score, `f32` or `f64`: a number, or a string that contains one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score<T>(pub T);

/// A type of scores.
pub(crate) trait Float: Copy + std::str::FromStr {
    /// The nearest number of this type, which is infinite if it is too large.
    fn of(value: f64) -> Self;
    fn is_finite(self) -> bool;
}

impl Float for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl Float for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn is_finite(self) -> bool {
        self.is_finite()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor { accepts_numbers: true, expected: "an id" }).map(Self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor { accepts_numbers: false, expected: "a string" }).map(Self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for First<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(FirstVisitor(PhantomData)).map(Self)
    }
}

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnswersVisitor)
    }
}

impl<'de, T: Float> Deserialize<'de> for Score<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScoreVisitor(PhantomData))
    }
}

/// Visits an [`Id`] or a [`Text`].
struct TextVisitor {
    accepts_numbers: bool,
    expected: &'static str,
}

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.expected)
    }
    fn visit_borrowed_str<E: Error>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(value))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value.to_owned()))
    }
    fn visit_string<E: Error>(self, value: String) -> Result<Self::Value, E> {
        Ok(Cow::Owned(value))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        if self.accepts_numbers {
            Ok(value.to_string().into())
        } else {
            Err(E::custom("a number instead of a string"))
        }
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        if self.accepts_numbers {
            Ok(value.to_string().into())
        } else {
            Err(E::custom("a number instead of a string"))
        }
    }
}

struct FirstVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for FirstVisitor<T> {
    type Value = Option<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }
    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Option<T>, S::Error> {
        let first = list.next_element()?;
        while list.next_element::<T>()?.is_some() {}
        Ok(first)
    }
}

struct AnswersVisitor;

impl<'de> Visitor<'de> for AnswersVisitor {
    type Value = Answers;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of answers or one answer")
    }
    fn visit_unit<E: Error>(self) -> Result<Answers, E> {
        Ok(Answers::default())
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Answers, E> {
        Ok(Answers(vec![value.to_owned()]))
    }
    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Answers, S::Error> {
        let mut answers = Vec::new();
        while let Some(Id(answer)) = list.next_element()? {
            if answers.len() == MAX_ANSWERS {
                return Err(S::Error::custom(format_args!("more than {MAX_ANSWERS} answers")));
            }
            answers.push(answer.into_owned());
        }
        Ok(Answers(answers))
    }
}

struct ScoreVisitor<T>(PhantomData<T>);

impl<T: Float> Visitor<'_> for ScoreVisitor<T> {
    type Value = Score<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a finite number")
    }
    fn visit_f64<E: Error>(self, value: f64) -> Result<Score<T>, E> {
        let score = Some(T::of(value)).filter(|score| score.is_finite());
        score.map(Score).ok_or_else(|| E::custom(format_args!("the score {value}")))
    }
    fn visit_u64<E: Error>(self, value: u64) -> Result<Score<T>, E> {
        Ok(Score(T::of(value as f64)))
    }
    fn visit_i64<E: Error>(self, value: i64) -> Result<Score<T>, E> {
        Ok(Score(T::of(value as f64)))
    }
    fn visit_str<E: Error>(self, value: &str) -> Result<Score<T>, E> {
        let score = value.trim().parse().ok().filter(|score: &T| score.is_finite());
        score.map(Score).ok_or_else(|| E::custom(format_args!("the score {value:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_answers_ids_and_texts_is_read() {
        let parse = |json| serde_json::from_str::<Answers>(json).map(|answers| answers.0);
        assert_eq!(parse(r#"["a", 1972]"#).expect("valid"), ["a", "1972"]);
        assert_eq!(parse(r#""a""#).expect("valid"), ["a"]);
        assert!(parse("null").expect("valid").is_empty());
        assert!(parse(r#"[["a"]]"#).is_err());
        assert_eq!(serde_json::from_str::<Id>("-7").expect("valid").0, "-7");
        assert_eq!(serde_json::from_str::<Text>(r#""a\n""#).expect("valid").0, "a\n");
        assert!(serde_json::from_str::<Text>("7").is_err());
    }

    #[test]
    fn a_score_is_a_finite_number_or_a_string_that_contains_one() {
        let parse = |json| serde_json::from_str::<Score<f32>>(json).map(|score| score.0);
        assert_eq!(parse("\"81.25\"").expect("valid"), 81.25);
        assert_eq!(parse("-3").expect("valid"), -3.0);
        assert!(parse("\"NaN\"").is_err() && parse("1e300").is_err());
    }
}
