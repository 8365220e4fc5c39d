//! Merges the segments of the BM25 index into one, and the vectors into one base, a file with all vectors that are not
//! deleted and their complete HNSW graph.

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

/// Optimizes the collection and makes a commit. All changes must already be committed. Searches continue meanwhile.
/// Each vector that is inserted into the graph counts as one unit of progress.
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

/// Saves the vectors and the graph as a new base, so that the next process that opens the collection does not have to
/// build the graph again. Keeps deleted rows, and does not insert rows that are not in the graph yet, so this takes
/// only as long as writing the file. All changes of the writer must already be committed.
pub(crate) fn save_graph(writer: &mut Writer, view: &FairRwLock<View>) -> Result<(), Error> {
    let result = write_base(writer, view, RowsToKeep::All, 1, &Control::new());
    let result = result.and_then(|()| writer.commit_state());
    finish(writer, result)
}

/// The minimum number of rows in the log for which [`save_graph`] pays off: inserting them into the graph
/// again would take about a second.
const MIN_ROWS_TO_SAVE: u64 = 5_000;

/// Returns whether inserting the rows of the log into the graph again would take long.
pub(crate) fn is_worth_saving(writer: &Writer) -> bool {
    writer.committed.vectors.as_ref().is_some_and(|vectors| {
        let base_rows = vectors.base.as_ref().map_or(0, |base| base.rows);
        vectors.log.rows >= MIN_ROWS_TO_SAVE.max(base_rows / 4)
    })
}

/// Removes files that are no longer in use. After an error, the last commit is the old one, or the new one if its
/// rename succeeded. A rollback finds out which of them it is, and opens the log of that commit. If the rollback fails
/// too, the files of both commits must stay.
fn finish(writer: &mut Writer, result: Result<(), Error>) -> Result<(), Error> {
    if result.is_ok() || writer.rollback().is_ok() {
        remove_unused(&writer.folder, &writer.committed);
    }
    result
}

/// Which rows are written to a base.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowsToKeep {
    /// The rows of passages that are not deleted, all of them in the graph.
    Live,
    /// All rows, including those of deleted passages, and those that are not in the graph yet.
    All,
}

/// Writes a new base and begins a new log. Records them in the writer's state, which the caller must commit.
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
    // If some rows are deleted, the call of `compacted` below builds a new graph of the live rows.
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

/// Returns the number in the file name of a log: 3 for `vectors-3.log`.
fn number_of(log: &str) -> u64 {
    log.trim_start_matches("vectors-").trim_end_matches(".log").parse().unwrap_or(0)
}
