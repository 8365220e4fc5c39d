//! Copies passages from files to stores.

use control::Control;

use super::writer::PassageStoreWriter;
use crate::Error;
use crate::read::PassageReader;
use crate::record::Passage;

/// The result of [`ingest`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Number of passages that were written.
    pub passages: u64,
    /// Number of bad lines that the reader skipped.
    pub skipped: u64,
}

/// Writes all remaining passages of a reader to a store. Progress counts bytes of the file, before decompression.
///
/// # Errors
///
/// Those of [`PassageReader::read_into`] and [`PassageStoreWriter::push`], such as [`Error::Duplicate`];
/// [`Error::Cancelled`]. The passages that were written before stay in the writer.
pub fn ingest(
    reader: &mut PassageReader,
    writer: &mut PassageStoreWriter,
    control: &Control,
) -> Result<Ingested, Error> {
    control.set_total(reader.bytes_total());
    let (mut counted, skipped) = (0, reader.skipped());
    let mut ingested = Ingested::default();
    let mut passage = Passage::default();
    loop {
        control.check()?;
        let more = reader.read_into(&mut passage)?;
        let read = reader.bytes_read();
        if read > counted {
            control.advance(read - counted);
            counted = read;
        }
        if !more {
            ingested.skipped = reader.skipped() - skipped;
            return Ok(ingested);
        }
        writer.push(&passage)?;
        ingested.passages += 1;
    }
}
