//! Adding, updating and deleting passages.

use tantivy::{TantivyDocument, Term};

use super::IndexWriter;
use crate::Error;
use crate::filter::fields::{PassageFields, check_fields, to_tantivy};
use crate::index::tantivy_error::tantivy_error;

/// The longest term that tantivy accepts, in bytes.
const MAX_ID_BYTES: usize = 65_530;

impl IndexWriter {
    /// Adds a passage. Its terms are those of `title text`.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateId`] if a committed or added passage has this id already; [`Error::Argument`] for an
    /// id that is empty or longer than 65,530 bytes; [`Error::Full`] after 2^32 additions.
    pub fn add(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<(), Error> {
        self.add_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields, which [`Filter`](crate::Filter)s can refer to. Queries do not search them.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add), and [`Error::Part`] for fields beyond the limits of [`PassageFields`].
    pub fn add_with_fields(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        check_id(id)?;
        self.check_changeable()?;
        check_fields(id, fields)?;
        if self.contains(id)? {
            return Err(Error::DuplicateId { id: id.to_owned() });
        }
        self.put(id, title, text, fields)
    }

    /// Adds a passage and deletes the one with this id, if there is one. Returns whether there was one. The order of equal
    /// scores treats the passage as added now.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add), except for duplicates.
    pub fn update(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<bool, Error> {
        self.update_with_fields(id, title, text, &PassageFields::new())
    }

    /// The same as [`update`](Self::update), with fields. The fields of the replaced passage are deleted too.
    ///
    /// # Errors
    ///
    /// Those of [`add_with_fields`](Self::add_with_fields), except for duplicates.
    pub fn update_with_fields(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<bool, Error> {
        check_id(id)?;
        self.check_changeable()?;
        check_fields(id, fields)?;
        let replaced = self.remove(id)?;
        self.put(id, title, text, fields)?;
        Ok(replaced)
    }

    /// Deletes passages and returns how many there were. Unknown ids are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<u64, Error> {
        self.check_changeable()?;
        let mut deleted = 0;
        for id in ids {
            deleted += u64::from(self.remove(id.as_ref())?);
        }
        Ok(deleted)
    }

    fn contains(&self, id: &str) -> Result<bool, Error> {
        Ok(self.added.contains(id) || self.is_committed(id)?)
    }

    /// Whether the last commit has a passage with this id that was not deleted since.
    fn is_committed(&self, id: &str) -> Result<bool, Error> {
        if self.is_overwriting || self.committed.segments.is_empty() || self.removed.contains(id) {
            return Ok(false);
        }
        self.committed.read(|| Ok(self.committed.find_id(id)?.is_some()))
    }

    fn put(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        if self.payload.next_ord > u64::from(u32::MAX) {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut document = TantivyDocument::new();
        match title {
            Some(title) => document.add_text(self.fields.contents, format!("{title} {text}")),
            None => document.add_text(self.fields.contents, text),
        }
        // The length of the text that the analyzer will get.
        self.backlog.enter(title.map_or(0, |title| title.len() + 1) + text.len());
        document.add_text(self.fields.id, id);
        document.add_u64(self.fields.ord, self.payload.next_ord);
        if !fields.is_empty() {
            document.add_object(self.fields.fields, to_tantivy(fields));
        }
        if let Err(error) = self.tantivy_writer.add_document(document) {
            // The thread that failed reports the cause only when it is joined.
            let cause = self.tantivy_writer.prepare_commit().err().unwrap_or(error);
            return Err(self.fail(tantivy_error("add", &self.path, cause)));
        }
        self.payload.next_ord += 1;
        self.payload.passages += 1;
        self.added.insert(id);
        Ok(())
    }

    fn remove(&mut self, id: &str) -> Result<bool, Error> {
        if !self.added.remove(id) {
            if !self.is_committed(id)? {
                return Ok(false);
            }
            self.removed.insert(id);
        }
        self.tantivy_writer.delete_term(Term::from_field_text(self.fields.id, id));
        self.payload.passages -= 1;
        Ok(true)
    }
}

fn check_id(id: &str) -> Result<(), Error> {
    if id.is_empty() || id.len() > MAX_ID_BYTES {
        let got = format!("{} bytes", id.len());
        return Err(Error::Argument { what: "id", expected: "1 to 65530 bytes", got });
    }
    Ok(())
}
