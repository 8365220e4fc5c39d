//! Passages inside the JSON objects of questions and training examples.

use serde::Deserialize;

use super::fields::{Id, Text};
use crate::types::Passage;

/// A passage in DPR's training files, or the context in question files that passagekit has written.
#[derive(Deserialize)]
pub(crate) struct Context<'a> {
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
}

impl Context<'_> {
    /// Converts it to a passage. The id is empty if the file has none.
    pub fn into_passage(self) -> Passage {
        let id = self.passage_id.or(self.psg_id).or(self.id).map(|Id(id)| id.into_owned());
        let mut passage = Passage { id: id.unwrap_or_default(), title: None, text: self.text.0.into_owned() };
        passage.set_title(self.title.as_ref().map_or("", |Text(title)| title));
        passage
    }
}
