//! A passage as JavaScript receives it.

use corpus::Passage;
use napi_derive::napi;

#[napi(object)]
pub struct NativePassage {
    pub id: String,
    pub text: String,
    pub title: Option<String>,
}

impl From<Passage> for NativePassage {
    fn from(Passage { id, title, text }: Passage) -> Self {
        Self { id, text, title }
    }
}
