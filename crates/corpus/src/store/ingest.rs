use control::Control;

use super::writer::PassageStoreWriter;
use crate::Error;
use crate::read::PassageReader;
use crate::record::Passage;

/// What [`ingest`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ingested {
    /// Passages written.
    pub passages: u64,
    /// Bad lines that the reader skipped.
    pub skipped: u64,
}

/// Writes all that is left of a reader to a store. Progress counts bytes of the source, compressed if it is.
///
/// # Errors
///
/// What reading gives; what [`PassageStoreWriter::push`] gives, such as [`Error::Duplicate`];
/// [`Error::Cancelled`]. What was written before stays in the writer.
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
