//! Adds, updates and deletes passages.

use tantivy::{TantivyDocument, Term};

use super::IndexWriter;
use crate::Error;
use crate::analysis::contents_of;
use crate::filter::fields::{PassageFields, check_fields, to_tantivy};
use crate::index::tantivy_error::tantivy_error;
use crate::stored::encoding::encode;

/// What to do with a passage whose id is already in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// Reject the new passage.
    Add,
    /// Replace the old passage.
    Update,
}

/// Maximum length of an id in bytes. tantivy rejects longer terms.
const MAX_ID_BYTES: usize = 65_530;

impl IndexWriter {
    /// Adds a passage. Its title and text are indexed together, as one text with a space between them.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateId`] if a committed or added passage already has this id; [`Error::Argument`] for an id that
    /// is empty or longer than 65,530 bytes; [`Error::Full`] after 2^32 − 1 additions; [`Error::Interrupted`] if the
    /// writer must be rolled back first; [`Error::Corrupt`], [`Error::Io`] or [`Error::Engine`] if the index cannot be
    /// read or written.
    pub fn add(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<(), Error> {
        self.add_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields. A [`Filter`](crate::Filter) can test the fields; queries do not search them.
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
        self.check_addition(id, fields)?;
        self.put(id, title, text, fields, None).map(drop)
    }

    /// Adds a passage with fields and stores its title and text, which [`Searcher::passage`](crate::Searcher::passage)
    /// reads back. Returns the passage's ord.
    ///
    /// # Errors
    ///
    /// Those of [`add_with_fields`](Self::add_with_fields); [`Error::Argument`] for a title longer than 2^32 − 2 bytes.
    pub fn put_stored(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<u32, Error> {
        self.check_addition(id, fields)?;
        self.put(id, title, text, fields, Some(encode(title, text)?))
    }

    /// Adds a passage and deletes the passage that had this id, if any. Returns true if there was one. The new passage
    /// gets a new ord, so it ranks last among passages with equal scores.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add), except [`Error::DuplicateId`].
    pub fn update(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<bool, Error> {
        self.update_with_fields(id, title, text, &PassageFields::new())
    }

    /// Does the same as [`update`](Self::update), with fields. The fields of the replaced passage are deleted too.
    ///
    /// # Errors
    ///
    /// Those of [`update`](Self::update), and [`Error::Part`] for fields beyond the limits of [`PassageFields`].
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
        self.put(id, title, text, fields, None)?;
        Ok(replaced)
    }

    /// [Adds](Self::add_with_fields) or [updates](Self::update_with_fields) a passage.
    ///
    /// # Errors
    ///
    /// Those of the two methods.
    pub fn put_with_fields(
        &mut self,
        put: Put,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        match put {
            Put::Add => self.add_with_fields(id, title, text, fields),
            Put::Update => self.update_with_fields(id, title, text, fields).map(drop),
        }
    }

    /// Deletes passages and returns how many it deleted. Unknown ids are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`] if the writer must be rolled back first; [`Error::Corrupt`] or [`Error::Io`] if the index
    /// cannot be read.
    pub fn delete<S: AsRef<str>>(&mut self, ids: &[S]) -> Result<u64, Error> {
        self.check_changeable()?;
        let mut deleted = 0;
        for id in ids {
            deleted += u64::from(self.remove(id.as_ref())?);
        }
        Ok(deleted)
    }

    /// Fails unless a passage with this id and these fields can be added.
    fn check_addition(&self, id: &str, fields: &PassageFields) -> Result<(), Error> {
        check_id(id)?;
        self.check_changeable()?;
        check_fields(id, fields)?;
        if self.contains(id)? {
            return Err(Error::DuplicateId { id: id.to_owned() });
        }
        Ok(())
    }

    /// Returns true if the index will have a passage with this id after the next commit.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn contains(&self, id: &str) -> Result<bool, Error> {
        Ok(self.added.contains(id) || self.is_committed(id)?)
    }

    /// Returns true if the last commit has a passage with this id, and the passage has not been deleted since.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] or [`Error::Io`] if the index cannot be read.
    pub fn is_committed(&self, id: &str) -> Result<bool, Error> {
        let committed = &self.committed.index;
        if self.is_overwriting || committed.segments.is_empty() || self.removed.contains(id) {
            return Ok(false);
        }
        committed.read(|| Ok(committed.find_id(id)?.is_some()))
    }

    /// Adds a passage whose id is not in use. Returns the passage's ord. `stored` is the stored form of the title and
    /// text; `None` if they are not stored.
    fn put(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
        stored: Option<Vec<u8>>,
    ) -> Result<u32, Error> {
        let ord = self.next_ord();
        if ord == u32::MAX {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut document = TantivyDocument::new();
        let contents = contents_of(title, text);
        self.backlog.enter(contents.len());
        document.add_text(self.fields.contents, contents);
        document.add_text(self.fields.id, id);
        document.add_u64(self.fields.ord, u64::from(ord));
        if !fields.is_empty() {
            document.add_object(self.fields.fields, to_tantivy(fields));
        }
        if let Some(value) = stored {
            document.add_bytes(self.fields.stored, &value);
        }
        if let Err(error) = self.tantivy_writer.add_document(document) {
            // The cause is the error of tantivy's own thread, which `prepare_commit` joins.
            let cause = self.tantivy_writer.prepare_commit().err().unwrap_or(error);
            return Err(self.fail(tantivy_error("add", &self.path, cause)));
        }
        self.payload.next_ord += 1;
        self.payload.passages += 1;
        self.added.insert(id);
        Ok(ord)
    }

    /// Deletes the passage with this id. Returns true if there was one.
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
