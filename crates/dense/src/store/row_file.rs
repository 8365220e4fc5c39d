use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use storage::{File, Writer};

use crate::RowSet;
use crate::phrases::has_phrases;
use crate::store::checks::{LARGEST_DIM, MOST_ROWS, check_dim};
use crate::store::columns::column::Column;
use crate::store::element::Element;
use crate::store::ids::Ids;
use crate::store::rows::Rows;
use crate::{Error, Similarity};

impl<T: Element> Rows<T> {
    /// Reads the sections written by [`write`](Self::write); vectors and ids stay in the file.
    pub fn open(file: &Arc<File>) -> Result<Self, Error> {
        let table = file.metadata();
        let dim = number(file, "dim", LARGEST_DIM)?;
        check_dim(dim).map_err(|_| storage::Error::corrupt(file.path(), "a dimension of 1 or more", "0"))?;
        let rows = number(file, "rows", MOST_ROWS)?;
        let similarity = table["similarity"].as_str().and_then(Similarity::from_name);
        let similarity = similarity.ok_or_else(|| {
            let expected = "the similarity dot, cosine or l2";
            storage::Error::corrupt(file.path(), expected, table["similarity"].to_string())
        })?;
        let vectors = Column::open(file, "vectors")?;
        if rows.checked_mul(dim) != Some(vectors.len()) {
            let expected = format!("{rows} vectors of dimension {dim}");
            let got = format!("{} values", vectors.len());
            return Err(storage::Error::corrupt(file.path(), expected, got).into());
        }
        let deleted = RowSet::from_words(file.section_as("deleted")?.to_vec(), rows).ok_or_else(|| {
            let expected = format!("deleted rows below {rows}");
            storage::Error::corrupt(file.path(), expected, "one beyond".to_owned())
        })?;
        let metadata = table["metadata"].clone();
        let ids = Ids::open(file, rows, &deleted, has_phrases(&metadata))?;
        let file = Some(Arc::clone(file));
        Ok(Self { dim, similarity, metadata, ids, vectors, deleted, file })
    }

    /// Reads what was left unread when the rows were opened, compares it with its checksums, and checks that ids are
    /// distinct and vectors such as are [prepared](Similarity::prepare).
    pub fn verify(&self) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        file.verify()?;
        self.ids.verify(file)?;
        let sound = |&ord: &u32| self.similarity.is_prepared(&self.vector(ord));
        match (0..self.len() as u32).find(|ord| !sound(ord)) {
            Some(row) => {
                let expected = "vectors of finite numbers, no longer than they may be".to_owned();
                Err(storage::Error::corrupt(file.path(), expected, format!("another at row {row}")).into())
            }
            None => Ok(()),
        }
    }

    /// Writes all sections; what is staged, as deleted.
    pub fn write(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.begin("vectors")?;
        self.vectors.write(writer)?;
        self.ids.write(writer)?;
        let mut deleted = Cow::Borrowed(&self.deleted);
        for ord in self.ids.shown()..self.len() {
            deleted.to_mut().insert(ord as u32);
        }
        Ok(writer.section("deleted", bytemuck::cast_slice(deleted.words()))?)
    }

    /// The table's metadata that [`open`](Self::open) reads.
    pub fn table(&self) -> Value {
        table(self.dim, self.len(), self.similarity, &self.metadata)
    }
}

/// What a file's table says of its rows.
pub(crate) fn table(dim: usize, rows: usize, similarity: Similarity, metadata: &Value) -> Value {
    json!({"dim": dim, "rows": rows, "similarity": similarity.name(), "metadata": metadata})
}

/// A whole number of a file's table.
pub(crate) fn number(file: &File, name: &str, most: usize) -> Result<usize, Error> {
    let got = &file.metadata()[name];
    let number =
        got.as_u64().and_then(|number| usize::try_from(number).ok()).filter(|&number| number <= most);
    let corrupt = || storage::Error::corrupt(file.path(), format!("{name} of 0 to {most}"), got.to_string());
    Ok(number.ok_or_else(corrupt)?)
}
