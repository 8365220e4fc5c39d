//! Passages inside the JSON objects of questions and training examples.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::fields::{Id, Text};
use crate::types::Passage;

/// The JSON object of a passage in DPR's training files, or of the context in question files written by passagekit.
/// `S` is the type of its score. Other fields, such as `title_score`, are ignored.
#[derive(Deserialize)]
pub(crate) struct Context<'a, S = IgnoredAny> {
    #[serde(borrow)]
    id: Option<Id<'a>>,
    #[serde(borrow)]
    passage_id: Option<Id<'a>>,
    #[serde(borrow)]
    psg_id: Option<Id<'a>>,
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    text: Text<'a>,
    pub score: Option<S>,
}

impl<S> Context<'_, S> {
    /// Converts the object to a passage. The passage has an empty id if the object has no id.
    pub fn into_passage(self) -> Passage {
        let id = self.passage_id.or(self.psg_id).or(self.id).map(|Id(id)| id.into_owned());
        let mut passage = Passage { id: id.unwrap_or_default(), title: None, text: self.text.0.into_owned() };
        passage.set_title(self.title.as_ref().map_or("", |Text(title)| title));
        passage
    }
}
