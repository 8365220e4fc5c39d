//! Passages from files and stores into an index, without JavaScript.

use corpus::{Passage, PassageReader, PassageStore};
use sparse::{IndexWriter, PassageFields};

use crate::corpus::Ingested;
use crate::task::Outcome;

/// How a passage comes into an index; an id that is there is refused, or its passage replaced.
pub type Put = fn(&mut IndexWriter, &str, Option<&str>, &str, &PassageFields) -> Result<(), sparse::Error>;

/// Adds, or adds in the place of those with the same ids.
pub fn put(update: bool) -> Put {
    if update {
        |writer, id, title, text, fields| writer.update_with_fields(id, title, text, fields).map(drop)
    } else {
        IndexWriter::add_with_fields
    }
}

/// Makes changes, counting them, of which none may be committed if they end half-way.
pub fn whole<T>(
    writer: &mut IndexWriter,
    work: impl FnOnce(&mut IndexWriter, &mut u32) -> Outcome<T>,
) -> Outcome<T> {
    let mut changes = 0;
    let result = work(writer, &mut changes);
    if result.is_err() && changes > 0 {
        writer.interrupt();
    }
    result
}

/// All that is left of a reader. Progress counts bytes of the source, compressed if it is.
pub fn from_reader(
    writer: &mut IndexWriter,
    put: Put,
    reader: &mut PassageReader,
    control: &control::Control,
) -> Outcome<Ingested> {
    control.set_total(reader.bytes_total());
    let (mut counted, mut passage, none) = (0, Passage::default(), PassageFields::new());
    whole(writer, |writer, passages| {
        loop {
            control.check()?;
            let more = reader.read_into(&mut passage)?;
            let read = reader.bytes_read();
            control.advance(read - counted);
            counted = read;
            if !more {
                return Ok(Ingested { passages: *passages, skipped: reader.skipped() as f64 });
            }
            put(writer, &passage.id, passage.title.as_deref(), &passage.text, &none)?;
            *passages += 1;
        }
    })
}

/// All passages of a store. Progress counts them.
pub fn from_store(
    writer: &mut IndexWriter,
    put: Put,
    store: &PassageStore,
    control: &control::Control,
) -> Outcome<Ingested> {
    control.set_total(u64::from(store.len()));
    let none = PassageFields::new();
    whole(writer, |writer, passages| {
        for ord in 0..store.len() {
            control.check()?;
            let passage = store.get(ord)?;
            put(writer, passage.id, passage.title, passage.text, &none)?;
            *passages += 1;
            control.advance(1);
        }
        Ok(Ingested { passages: *passages, skipped: 0.0 })
    })
}
