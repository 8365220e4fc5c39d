//! Copies passages from a file to a store.

use control::Control;

use super::writer::PassageStoreWriter;
use crate::Error;
use crate::read::PassageReader;

/// How many passages were copied, for example by [`ingest`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Number of passages that were copied.
    pub passages: u64,
    /// Number of invalid lines that the reader has skipped meanwhile.
    pub skipped: u64,
}

/// Copies all remaining passages of a reader to a store. The progress of `control` is the number of bytes of the file
/// that were read, before decompression.
///
/// # Errors
///
/// The errors of [`PassageReader::read_into`] and [`PassageStoreWriter::push`], such as [`Error::Duplicate`];
/// [`Error::Cancelled`]. After an error, the passages that were copied before it stay in the writer.
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
