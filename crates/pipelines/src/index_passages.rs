//! Puts the passages of files and stores into a BM25 index: adds them, or replaces passages with the same ids. If an
//! error occurs after some passages have been put, the writer refuses to commit until it is rolled back.

use std::path::Path;

use control::Control;
use corpus::{Ingested, PassageReader, PassageStore};
use serde_json::Value;
use sparse::{Analyzer, IndexWriter, PassageFields, Put, WriterOptions};

use crate::Error;

/// Puts the remaining passages of a [`PassageReader`] into an index, without committing them. Progress counts the bytes
/// that were read from the file; in a compressed file, these are compressed bytes.
///
/// # Errors
///
/// If a passage cannot be read or the index refuses it, or if the work is canceled. If this call put any passages
/// before the error, the writer must be rolled back, which also discards earlier uncommitted changes.
pub fn index_file(
    writer: &mut IndexWriter,
    put: Put,
    reader: &mut PassageReader,
    control: &Control,
) -> Result<Ingested, Error> {
    let no_fields = PassageFields::new();
    writer.all_or_none(|writer, count| {
        reader.read_all(control, |passage| {
            writer.put_with_fields(put, &passage.id, passage.title.as_deref(), &passage.text, &no_fields)?;
            *count += 1;
            Ok::<_, Error>(())
        })?;
        Ok(Ingested { passages: *count, skipped: reader.skipped() })
    })
}

/// Puts all passages of a store into an index, without committing them. Progress counts passages.
///
/// # Errors
///
/// Those of [`index_file`].
pub fn index_store(
    writer: &mut IndexWriter,
    put: Put,
    store: &PassageStore,
    control: &Control,
) -> Result<Ingested, Error> {
    control.set_total(u64::from(store.len()));
    let no_fields = PassageFields::new();
    writer.all_or_none(|writer, count| {
        for passage in store.iter() {
            control.check()?;
            let passage = passage?;
            writer.put_with_fields(put, passage.id, passage.title, passage.text, &no_fields)?;
            *count += 1;
            control.advance(1);
        }
        Ok(Ingested { passages: *count, skipped: 0 })
    })
}

/// Builds an index of one segment in the folder `output` from the passages of a store. The commit records `state`, any
/// JSON value of the caller. Progress counts passages.
///
/// Neither the commit nor the merge at the end can be interrupted, and progress includes neither. If the work is
/// canceled between them, the committed index stays in the folder, not yet merged.
///
/// # Errors
///
/// Those of [`index_store`], and if the folder already has an index.
pub fn build_bm25(
    store: &PassageStore,
    output: &Path,
    analyzer: Analyzer,
    state: Value,
    control: &Control,
) -> Result<(), Error> {
    let mut writer = IndexWriter::create(output, analyzer, WriterOptions::default())?;
    // The merge at the end makes merges in between useless.
    writer.merge_in_background(false);
    writer.set_state(state);
    index_store(&mut writer, Put::Add, store, control)?;
    control.check()?;
    writer.commit()?;
    control.check()?;
    Ok(writer.merge()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::{Passage, PassageFormat, PassageStoreWriter, ReadOptions, open_passages};
    use sparse::{Bm25, Bm25Index};
    use std::path::PathBuf;

    /// Three passages in DPR's format.
    const TABLE: &str = "id\ttext\ttitle\na\tone\tTitle\nb\ttwo\tTitle\nc\tthree\tTitle\n";

    /// A writer of a new, empty index in `folder`.
    fn writer(folder: &Path) -> IndexWriter {
        IndexWriter::create(&folder.join("index"), Analyzer::SIMPLE, WriterOptions::default())
            .expect("a folder")
    }

    /// Writes `table` to a file and puts its passages into the index. Checks that progress counts all bytes.
    fn index_table(writer: &mut IndexWriter, put: Put, table: &str) -> Result<Ingested, Error> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("passages.tsv");
        std::fs::write(&path, table).expect("writable");
        let options = ReadOptions { skip_bad_lines: true, ..ReadOptions::default() };
        let mut reader = open_passages(&path, PassageFormat::Dpr, &options).expect("a table");
        let control = Control::new();
        let ingested = index_file(writer, put, &mut reader, &control)?;
        assert_eq!((control.done(), control.total()), (table.len() as u64, table.len() as u64));
        Ok(ingested)
    }

    /// A store of passages with these ids, whose texts contain the ids.
    fn store(folder: &Path, ids: &[&str]) -> PassageStore {
        let path: PathBuf = folder.join("passages.store");
        let mut writer = PassageStoreWriter::create(&path).expect("writable");
        for &id in ids {
            let passage =
                Passage { id: id.to_owned(), title: Some("Title".to_owned()), text: format!("of {id}") };
            writer.push(&passage).expect("a new id");
        }
        writer.finish(serde_json::Value::Null).expect("writable");
        PassageStore::open(&path).expect("sound")
    }

    /// The ids of the passages that the committed index in `folder` finds.
    fn found(folder: &Path, query: &str) -> Vec<String> {
        let searcher = Bm25Index::open(&folder.join("index")).expect("an index").searcher();
        let hits = searcher.search(query, 10, Bm25::default(), &Control::new()).expect("a query");
        searcher.ids(&hits).expect("ids")
    }

    #[test]
    fn the_passages_of_a_file_are_added_with_their_titles_and_bad_lines_are_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = writer(folder.path());
        let table = format!("{TABLE}no text\n");
        let ingested = index_table(&mut writer, Put::Add, &table).expect("new ids");
        assert_eq!(ingested, Ingested { passages: 3, skipped: 1 });
        writer.commit().expect("a commit");
        assert_eq!(
            (found(folder.path(), "two"), found(folder.path(), "title").len()),
            (vec!["b".to_owned()], 3)
        );
    }

    #[test]
    fn an_update_replaces_passages_and_an_addition_refuses_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = writer(folder.path());
        index_table(&mut writer, Put::Add, TABLE).expect("new ids");
        writer.commit().expect("a commit");
        index_table(&mut writer, Put::Update, &TABLE.replace("two", "four")).expect("an update");
        writer.commit().expect("a commit");
        assert_eq!(
            (found(folder.path(), "two").len(), found(folder.path(), "four").len(), writer.len()),
            (0, 1, 3)
        );

        // The first passage is new, the second is not: neither is committed.
        let refused = index_table(&mut writer, Put::Add, "id\ttext\ttitle\nd\tfive\tT\na\tsix\tT\n");
        assert!(matches!(refused, Err(Error::Sparse(sparse::Error::DuplicateId { .. }))), "{refused:?}");
        assert!(matches!(writer.commit(), Err(sparse::Error::Interrupted { .. })));
        writer.rollback().expect("the last commit");
        assert_eq!(writer.len(), 3);
    }

    #[test]
    fn a_refused_first_passage_does_not_interrupt_the_writer() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut writer = writer(folder.path());
        index_table(&mut writer, Put::Add, TABLE).expect("new ids");
        index_table(&mut writer, Put::Add, TABLE).expect_err("its first passage is already in the index");
        writer.commit().expect("the second file changed nothing");
    }

    #[test]
    fn a_store_becomes_an_index_unless_the_work_is_canceled() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, control) = (store(folder.path(), &["x", "y"]), Control::new());
        build_bm25(&store, &folder.path().join("index"), Analyzer::SIMPLE, Value::Null, &control)
            .expect("a new folder");
        assert_eq!(
            (found(folder.path(), "y"), found(folder.path(), "title").len()),
            (vec!["y".to_owned()], 2)
        );
        assert_eq!((control.done(), control.total()), (2, 2));

        control.cancel();
        let canceled =
            build_bm25(&store, &folder.path().join("other"), Analyzer::SIMPLE, Value::Null, &control);
        assert!(matches!(canceled, Err(Error::Canceled(_))));
    }
}
