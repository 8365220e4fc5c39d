//! Copies passages from a file to a store.

use control::Control;

use super::writer::PassageStoreWriter;
use crate::Error;
use crate::read::PassageReader;

/// How many passages were copied to a store by [`ingest`], or to an index by another crate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Number of passages that were copied.
    pub passages: u64,
    /// Number of invalid lines that the reader skipped.
    pub skipped: u64,
}

/// Copies all remaining passages of a reader to a store. The progress of `control` counts the bytes read from the
/// file, before decompression.
///
/// # Errors
///
/// The errors of [`PassageReader::read_into`] and [`PassageStoreWriter::push`], such as [`Error::Duplicate`];
/// [`Error::Canceled`] if `control` is canceled. The passages that were copied before an error stay in the writer.
pub fn ingest(
    reader: &mut PassageReader,
    writer: &mut PassageStoreWriter,
    control: &Control,
) -> Result<Ingested, Error> {
    let (mut passages, skipped) = (0, reader.skipped());
    reader.read_all(control, |passage| {
        writer.push(passage)?;
        passages += 1;
        Ok::<_, Error>(())
    })?;
    Ok(Ingested { passages, skipped: reader.skipped() - skipped })
}
