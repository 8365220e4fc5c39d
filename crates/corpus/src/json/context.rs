//! Passages inside question and training objects.

use serde::Deserialize;

use super::fields::{Id, Text};
use crate::record::Passage;

/// A passage as DPR's training files and passagekit's own question lines write it.
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
    /// Converts to a passage. Its id is empty if the file gives none.
    pub fn into_passage(self) -> Passage {
        let id = self.passage_id.or(self.psg_id).or(self.id).map(|Id(id)| id.into_owned());
        let mut passage = Passage { id: id.unwrap_or_default(), title: None, text: self.text.0.into_owned() };
        passage.set_title(self.title.as_ref().map_or("", |Text(title)| title));
        passage
    }
}
