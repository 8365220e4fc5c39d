//! Adds the passages of files and stores to an index. No passage passes through JavaScript.

use corpus::{Passage, PassageReader, PassageStore};
use sparse::{IndexWriter, PassageFields};

use crate::call::CallResult;
use crate::corpus::Ingested;

/// A method of the writer that takes a passage: id, title, text, fields.
pub type PutPassage =
    fn(&mut IndexWriter, &str, Option<&str>, &str, &PassageFields) -> Result<(), sparse::Error>;

/// The method that adds a passage, or with `update` replaces one with the same id.
pub fn put_method(update: bool) -> PutPassage {
    if update {
        |writer, id, title, text, fields| writer.update_with_fields(id, title, text, fields).map(drop)
    } else {
        IndexWriter::add_with_fields
    }
}

/// Calls `work`, which makes changes and counts them. If it fails after the first change, none of them may be committed: the
/// writer refuses to commit until it is rolled back.
pub fn all_or_none<T>(
    writer: &mut IndexWriter,
    work: impl FnOnce(&mut IndexWriter, &mut u32) -> CallResult<T>,
) -> CallResult<T> {
    let mut changes = 0;
    let result = work(writer, &mut changes);
    if result.is_err() && changes > 0 {
        writer.interrupt();
    }
    result
}

/// Puts all passages that a reader has left. Progress counts bytes of the source, as they are in the file.
pub fn from_reader(
    writer: &mut IndexWriter,
    put: PutPassage,
    reader: &mut PassageReader,
    control: &control::Control,
) -> CallResult<Ingested> {
    control.set_total(reader.bytes_total());
    let (mut bytes_counted, mut passage, no_fields) = (0, Passage::default(), PassageFields::new());
    all_or_none(writer, |writer, passages| {
        loop {
            control.check()?;
            let has_passage = reader.read_into(&mut passage)?;
            let bytes_read = reader.bytes_read();
            control.advance(bytes_read - bytes_counted);
            bytes_counted = bytes_read;
            if !has_passage {
                return Ok(Ingested { passages: *passages, skipped: reader.skipped() as f64 });
            }
            put(writer, &passage.id, passage.title.as_deref(), &passage.text, &no_fields)?;
            *passages += 1;
        }
    })
}

/// Puts all passages of a store. Progress counts passages.
pub fn from_store(
    writer: &mut IndexWriter,
    put: PutPassage,
    store: &PassageStore,
    control: &control::Control,
) -> CallResult<Ingested> {
    control.set_total(u64::from(store.len()));
    let no_fields = PassageFields::new();
    all_or_none(writer, |writer, passages| {
        for ord in 0..store.len() {
            control.check()?;
            let passage = store.get(ord)?;
            put(writer, passage.id, passage.title, passage.text, &no_fields)?;
            *passages += 1;
            control.advance(1);
        }
        Ok(Ingested { passages: *passages, skipped: 0.0 })
    })
}
