//! What passages are added and taken out.

use tantivy::{TantivyDocument, Term};

use super::IndexWriter;
use crate::Error;
use crate::filter::fields::{PassageFields, check_fields, to_engine};
use crate::index::integrity::{engine_error, guarded};

/// The engine takes no longer terms.
const LONGEST_ID: usize = 65_530;

impl IndexWriter {
    /// Adds a passage. What is found is `title text`.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateId`] if a passage has this id, in the index or added before; [`Error::Argument`] for an
    /// id that is empty or longer than 65,530 bytes; [`Error::Full`] after 2^32 additions.
    pub fn add(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<(), Error> {
        self.add_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields, which [`Filter`](crate::Filter)s look at and searches do not.
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

    /// Adds a passage, in the place of the one with this id if there is one. Whether there was. The passage comes
    /// after all others, as one added now.
    ///
    /// # Errors
    ///
    /// Those of [`add`](Self::add) but for duplicates.
    pub fn update(&mut self, id: &str, title: Option<&str>, text: &str) -> Result<bool, Error> {
        self.update_with_fields(id, title, text, &PassageFields::new())
    }

    /// Adds a passage with fields, in the place of the one with this id, whose fields go with it.
    ///
    /// # Errors
    ///
    /// Those of [`add_with_fields`](Self::add_with_fields) but for duplicates.
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

    /// Takes passages out and returns how many there were; unknown ids are passed over.
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
        if self.overwriting || self.committed.segments.is_empty() || self.removed.contains(id) {
            return Ok(false);
        }
        guarded(&self.path, || Ok(self.committed.find_id(id)?.is_some()))
    }

    fn put(
        &mut self,
        id: &str,
        title: Option<&str>,
        text: &str,
        fields: &PassageFields,
    ) -> Result<(), Error> {
        if self.settings.next_ord > u64::from(u32::MAX) {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut document = TantivyDocument::new();
        match title {
            Some(title) => document.add_text(self.fields.contents, format!("{title} {text}")),
            None => document.add_text(self.fields.contents, text),
        }
        // As long as what the analyzer is given.
        self.backlog.enter(title.map_or(0, |title| title.len() + 1) + text.len());
        document.add_text(self.fields.id, id);
        document.add_u64(self.fields.ord, self.settings.next_ord);
        if !fields.is_empty() {
            document.add_object(self.fields.fields, to_engine(fields));
        }
        if let Err(error) = self.engine.add_document(document) {
            // The thread that failed says why only when it is waited for.
            let cause = self.engine.prepare_commit().err().unwrap_or(error);
            return Err(self.fail(engine_error("add", &self.path, cause)));
        }
        self.settings.next_ord += 1;
        self.settings.passages += 1;
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
        self.engine.delete_term(Term::from_field_text(self.fields.id, id));
        self.settings.passages -= 1;
        Ok(true)
    }
}

fn check_id(id: &str) -> Result<(), Error> {
    if id.is_empty() || id.len() > LONGEST_ID {
        let got = format!("{} bytes", id.len());
        return Err(Error::Argument { what: "id", expected: "1 to 65530 bytes", got });
    }
    Ok(())
}
