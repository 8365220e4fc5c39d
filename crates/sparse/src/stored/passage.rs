//! Reads stored passages by their ords.

use tantivy::TantivyDocument;
use tantivy::schema::Value;

use super::encoding::decode;
use crate::Error;
use crate::filter::fields::{PassageFields, fields_in};
use crate::index::snapshot::{Location, Snapshot};
use crate::index::tantivy_error::tantivy_error;
use crate::search::searcher::Searcher;

/// A passage as it was [stored](crate::IndexWriter::put_stored).
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPassage {
    /// The id.
    pub id: String,
    /// The title; `None` if the passage was added without one.
    pub title: Option<String>,
    /// The text.
    pub text: String,
    /// The fields; empty if the passage has none.
    pub fields: PassageFields,
}

impl Searcher {
    /// Returns the stored passage with this ord.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownPassage`] if the commit that is searched has no passage with this ord, for example because the
    /// passage was deleted; [`Error::NotStored`] if the passage was added without storing its text; [`Error::Corrupt`]
    /// or [`Error::Io`] if the index cannot be read.
    pub fn passage(&self, ord: u32) -> Result<StoredPassage, Error> {
        self.index.read(|| read_passage(&self.index, ord))
    }

    /// Returns the stored passages with the given ords, in the order of `ords`.
    ///
    /// # Errors
    ///
    /// Those of [`passage`](Self::passage).
    pub fn passages(&self, ords: &[u32]) -> Result<Vec<StoredPassage>, Error> {
        self.index.read(|| ords.iter().map(|&ord| read_passage(&self.index, ord)).collect())
    }
}

fn read_passage(index: &Snapshot, ord: u32) -> Result<StoredPassage, Error> {
    let Some(Location { segment, doc }) = index.find_ord(ord) else {
        return Err(Error::UnknownPassage { operation: "passage", got: format!("ord {ord}") });
    };
    let document: TantivyDocument =
        segment.store.get(doc).map_err(|error| tantivy_error("read", &index.path, error))?;
    let id = index.id_of(ord)?.to_owned();
    let stored = document.get_first(index.fields.stored);
    let Some(stored) = stored else {
        return Err(Error::NotStored { got: format!("ord {ord} (id \"{id}\")") });
    };
    let (title, text) = stored
        .as_bytes()
        .and_then(decode)
        .ok_or_else(|| Error::corrupt(&index.path, "a stored title and text", "other bytes"))?;
    Ok(StoredPassage { id, title, text, fields: fields_in(&document, index)? })
}
