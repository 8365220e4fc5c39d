//! Merges everything: one segment of the BM25 index, and a base of all live vectors with a complete graph.

use control::Control;
use ranking::BitSet;
use serving::FairRwLock;

use super::writer::Writer;
use crate::Error;
use crate::folder::{base_name, log_name, ords_name, remove_unused, sync_folder};
use crate::graph_builder::insert_pending;
use crate::state::BaseState;
use crate::vectors::log::LogWriter;
use crate::vectors::row_map::RowMap;
use crate::view::View;

/// Optimizes the collection, whose changes must all be committed, and makes a commit. Searches continue meanwhile.
/// Counts each vector that it inserts into the graph as one unit of progress.
pub(crate) fn optimize(
    writer: &mut Writer,
    view: &FairRwLock<View>,
    threads: usize,
    control: &Control,
) -> Result<(), Error> {
    let result = write_base(writer, view, RowsToKeep::Live, threads, control).and_then(|()| {
        control.check()?;
        writer.index.merge()?;
        writer.commit_state()
    });
    finish(writer, result)
}

/// Saves the graph, so that the next process that opens the collection does not have to build it again. Deleted rows
/// and rows that are not in the graph yet are saved as they are, so this takes only as long as writing the file. The
/// changes of the writer must all be committed.
pub(crate) fn save_graph(writer: &mut Writer, view: &FairRwLock<View>) -> Result<(), Error> {
    let result = write_base(writer, view, RowsToKeep::All, 1, &Control::new());
    let result = result.and_then(|()| writer.commit_state());
    finish(writer, result)
}

/// The minimum number of rows in the log for which [`save_graph`] saves time: building their graph takes a second.
const MIN_ROWS_TO_SAVE: u64 = 5_000;

/// Returns whether the graph of the rows in the log would take long to build again.
pub(crate) fn is_worth_saving(writer: &Writer) -> bool {
    writer.committed.vectors.as_ref().is_some_and(|vectors| {
        let base_rows = vectors.base.as_ref().map_or(0, |base| base.rows);
        vectors.log.rows >= MIN_ROWS_TO_SAVE.max(base_rows / 4)
    })
}

/// Removes files that are no longer in use. After an error, the last commit is the old one, or the new one if its rename
/// succeeded. A rollback finds out which, and opens its log. If the rollback fails too, the files of both must stay.
fn finish(writer: &mut Writer, result: Result<(), Error>) -> Result<(), Error> {
    if result.is_ok() || writer.rollback().is_ok() {
        remove_unused(&writer.folder, &writer.committed);
    }
    result
}

/// Which rows a base has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowsToKeep {
    /// The rows of passages that are not deleted, all of them in the graph.
    Live,
    /// All rows.
    All,
}

/// Writes the vectors with their graph, and begins a new log.
fn write_base(
    writer: &mut Writer,
    view: &FairRwLock<View>,
    keep: RowsToKeep,
    threads: usize,
    control: &Control,
) -> Result<(), Error> {
    let Some(vectors) = &mut writer.state.vectors else { return Ok(()) };
    let (folder, id) = (&writer.folder, &writer.state.collection);
    let number = number_of(&vectors.log.file) + 1;
    let first_ord = writer.index.next_ord();
    let (rows, live_rows, pending) = view.read(|view| {
        let index = view.vectors.as_ref().map(|vectors| &vectors.index);
        index.map_or((0, 0, 0), |index| (index.len(), index.live_len(), index.pending()))
    })?;
    // If some rows are deleted, `compacted` builds a new graph of the live ones below.
    if keep == RowsToKeep::Live && live_rows == rows {
        control.set_total(pending as u64);
        insert_pending(view, threads, control, || true)?;
    }
    let base = view.read(|view| {
        let Some(live) = &view.vectors else { return Ok(None) };
        let rows = match keep {
            RowsToKeep::Live => live.map.rows(&view.searcher.live_ords(), live.index.len()),
            RowsToKeep::All => BitSet::full(live.index.len()),
        };
        let ords: Vec<u32> = rows.iter().map(|row| live.map.ord(row)).collect();
        let (path, metadata) = (folder.join(base_name(number)), serde_json::json!({"collection": id}));
        if rows.len() == live.index.len() {
            live.index.save(&path, &metadata)?;
        } else {
            control.set_total(ords.len() as u64);
            live.index.compacted(&rows, threads, control)?.save(&path, &metadata)?;
        }
        Ok::<_, Error>(Some(ords))
    })??;
    if let Some(ords) = base {
        let is_identity = ords.iter().zip(0..).all(|(&ord, row)| ord == row);
        let ords_file = (!is_identity).then(|| ords_name(number));
        if let Some(file) = &ords_file {
            RowMap::save(&folder.join(file), &ords, id)?;
        }
        sync_folder(folder)?;
        vectors.base = Some(BaseState { file: base_name(number), rows: ords.len() as u64, ords: ords_file });
    }
    let mut log = LogWriter::create(folder, id, log_name(number), first_ord, vectors.dim)?;
    vectors.log = log.sync()?;
    writer.log = Some(log);
    Ok(())
}

/// Returns the number in the name of a log.
fn number_of(log: &str) -> u64 {
    log.trim_start_matches("vectors-").trim_end_matches(".log").parse().unwrap_or(0)
}
