//! Tests of the writer: creating and overwriting an index, locking, rolling back, and rejecting invalid input.

use std::path::Path;

use control::Control;
use sparse::{
    Analyzer, Bm25, Bm25Index, Error, IndexWriter, OpenOptions, PassageFields, Put, Statistics, WriterOptions,
};

const OVERWRITE: WriterOptions = WriterOptions { overwrite: true, threads: 1, memory: 20_000_000 };

/// Returns the ids of the ten best hits.
fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 10, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Creates an index of passages with these ids and texts, and returns its writer.
fn create_index(path: &Path, passages: &[(&str, &str)]) -> IndexWriter {
    let mut writer =
        IndexWriter::create(path, Analyzer::ENGLISH, WriterOptions::default()).expect("a new index");
    passages.iter().for_each(|(id, text)| writer.add(id, None, text).expect("a new id"));
    writer.commit().expect("a commit");
    writer
}

#[test]
fn an_id_cannot_be_added_again_until_its_passage_is_deleted() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one")]);
    let again = |writer: &mut IndexWriter, id: &str| {
        writer.add(id, None, "two").expect_err("a duplicate").to_string()
    };
    assert_eq!(again(&mut writer, "a"), "add: expected an id that is new, got \"a\" again");
    writer.add("b", None, "one").expect("a new id");
    again(&mut writer, "b");
    assert_eq!(writer.delete(&["a", "b", "c", "a"]).expect("a deletion"), 2);
    writer.add("a", None, "three").expect("an id whose passage was deleted");
    again(&mut writer, "a");
    assert!(writer.update("a", None, "four").expect("an update"));
    assert!(!writer.update("b", None, "four").expect("an update"));
    assert_eq!(writer.len(), 2);
    writer.commit().expect("a commit");
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    assert_eq!(found(&index, "one two three"), [""; 0]);
    assert_eq!(found(&index, "four"), ["a", "b"]);
    assert_eq!(index.len(), 2);
}

#[test]
fn uncommitted_changes_are_lost_when_the_writer_is_dropped() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one"), ("b", "one")]);
    writer.delete(&["a"]).expect("a deletion");
    writer.add("c", None, "one").expect("a new id");
    drop(writer);
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    assert_eq!(found(&index, "one"), ["a", "b"]);
    let mut writer = IndexWriter::open(folder.path(), WriterOptions::default()).expect("an intact index");
    assert_eq!((writer.len(), writer.analyzer()), (2, Analyzer::ENGLISH));
    writer.add("c", None, "one").expect("an id that was never committed");
    writer.commit().expect("a commit");
    assert_eq!(found(&index, "one"), ["a", "b"]);
    index.reload().expect("an intact index");
    assert_eq!(found(&index, "one"), ["a", "b", "c"]);
    writer.close().expect("merges that end");
}

#[test]
fn an_index_in_memory_reads_its_files_only_when_it_is_opened_or_reloaded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one"), ("b", "one two")]);
    writer.delete(&["a"]).expect("a deletion");
    writer.commit().expect("a commit");
    let options = OpenOptions { in_memory: true, verify: true };
    let index = Bm25Index::open_with(folder.path(), None, options).expect("an intact index");
    assert_eq!((index.len(), found(&index, "one")), (1, vec!["b".to_owned()]));
    writer.add("c", None, "one two").expect("a new id");
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    assert_eq!(found(&index, "one"), ["b"]);
    index.reload().expect("an intact index");
    assert_eq!(found(&index, "two"), ["b", "c"]);
    index.verify().expect("intact files");
    writer.close().expect("no merges");
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        std::fs::write(entry.expect("an entry").path(), "").expect("a file to truncate");
    }
    assert_eq!(found(&index, "two"), ["b", "c"]);
    assert!(index.reload().is_err());
    assert_eq!(found(&index, "two"), ["b", "c"]);
}

#[test]
fn a_searcher_keeps_its_commit_and_ords_stay_valid_after_merges() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one"), ("b", "one two")]);
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    let before = index.searcher();
    let hits = before.search("two", 5, Bm25::default(), &Control::new()).expect("hits");
    writer.delete(&["a"]).expect("a deletion");
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    index.reload().expect("an intact index");
    assert_eq!((before.len(), index.len()), (2, 1));
    assert_eq!(before.search("one", 5, Bm25::default(), &Control::new()).expect("hits").len(), 2);
    assert_eq!(index.ids(&hits).expect("ids"), ["b"]);
    let deleted = before.search("one", 1, Bm25::default(), &Control::new()).expect("hits");
    let error = index.ids(&deleted).expect_err("a deleted passage").to_string();
    assert_eq!(error, "ids: expected a passage of the index, got ord 0");
    assert_eq!((before.ord("a").ok(), index.searcher().ord("a").ok()), (Some(Some(0)), Some(None)));
}

#[test]
fn deleted_passages_count_in_the_statistics_until_their_segment_is_merged() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "tree"), ("b", "tree house"), ("c", "of the")]);
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    // The number of passages, the statistics, and a document frequency.
    let counts = || {
        index.reload().expect("an intact index");
        let searcher = index.searcher();
        let Statistics { passages, tokens } = searcher.statistics();
        (searcher.len(), passages, tokens, searcher.doc_freq("tree").expect("a count"))
    };
    // Stop words are not tokens, and a passage without tokens does not count in N.
    assert_eq!(counts(), (3, 2, 3, 2));
    writer.delete(&["a"]).expect("a deletion");
    writer.commit().expect("a commit");
    assert_eq!(counts(), (2, 2, 3, 2));
    writer.merge().expect("a merge");
    assert_eq!(counts(), (2, 1, 2, 1));
}

#[test]
fn a_second_writer_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let writer = create_index(folder.path(), &[("a", "one")]);
    assert!(matches!(IndexWriter::open(folder.path(), WriterOptions::default()), Err(Error::Locked { .. })));
    assert!(matches!(
        IndexWriter::create(folder.path(), Analyzer::SIMPLE, OVERWRITE),
        Err(Error::Locked { .. })
    ));
    drop(writer);
    assert!(IndexWriter::open(folder.path(), WriterOptions::default()).is_ok());
}

#[test]
fn overwriting_takes_effect_at_the_first_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    drop(create_index(folder.path(), &[("a", "Running")]));
    let refused = IndexWriter::create(folder.path(), Analyzer::SIMPLE, WriterOptions::default());
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })));
    let index = Bm25Index::open(folder.path()).expect("an intact index");

    let mut writer =
        IndexWriter::create(folder.path(), Analyzer::SIMPLE, OVERWRITE).expect("an index to replace");
    writer.add("a", None, "Running").expect("an id of the old index only");
    writer.merge().expect("nothing to merge");
    index.reload().expect("an intact index");
    assert_eq!((index.analyzer(), found(&index, "runs").len()), (Analyzer::ENGLISH, 1));
    drop(writer);
    index.reload().expect("an intact index");
    assert_eq!((index.analyzer(), found(&index, "runs").len()), (Analyzer::ENGLISH, 1));

    let mut writer =
        IndexWriter::create(folder.path(), Analyzer::SIMPLE, OVERWRITE).expect("an index to replace");
    assert_eq!(writer.delete(&["a"]).expect("a deletion"), 0);
    writer.add("b", None, "Running").expect("a new id");
    writer.commit().expect("a commit");
    index.reload().expect("an intact index");
    assert_eq!((index.analyzer(), found(&index, "runs").len()), (Analyzer::SIMPLE, 0));
    assert_eq!((found(&index, "RUNNING"), index.len()), (vec!["b".to_owned()], 1));
}

#[test]
fn a_rollback_undoes_all_changes_since_the_last_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one"), ("b", "one")]);
    for _ in 0..2 {
        // The second time, neither ids nor files of the undone changes cause errors.
        writer.delete(&["a"]).expect("a deletion");
        writer.update("b", None, "two").expect("an update");
        writer.add("c", None, "one").expect("a new id");
        writer.rollback().expect("the last commit");
        assert_eq!(writer.len(), 2);
    }
    writer.add("c", None, "one").expect("a new id");
    writer.commit().expect("a commit");
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    assert_eq!(
        (found(&index, "one"), found(&index, "two").len()),
        (["a", "b", "c"].map(str::to_owned).to_vec(), 0)
    );

    let mut writer = {
        drop(writer);
        IndexWriter::create(folder.path(), Analyzer::SIMPLE, OVERWRITE).expect("an index to replace")
    };
    writer.add("x", None, "Running").expect("a new id");
    writer.rollback().expect("an empty index");
    writer.add("y", None, "Running").expect("a new id");
    index.reload().expect("an intact index");
    assert_eq!(index.len(), 3);
    writer.commit().expect("a commit");
    writer.rollback().expect("nothing to undo");
    index.reload().expect("an intact index");
    assert_eq!((found(&index, "running"), writer.len(), index.len()), (vec!["y".to_owned()], 1, 1));
}

#[test]
fn an_interrupted_group_of_changes_is_never_committed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one")]);
    writer.add("b", None, "one").expect("a new id");
    writer.interrupt();
    let error = writer.commit().expect_err("incomplete changes").to_string();
    assert!(error.ends_with("got an interrupted one; roll the writer back first"), "{error}");
    assert!(matches!(writer.add("c", None, "one"), Err(Error::Interrupted { .. })));
    assert!(matches!(writer.delete(&["a"]), Err(Error::Interrupted { .. })));
    writer.rollback().expect("the last commit");
    writer.add("c", None, "one").expect("a new id");
    writer.commit().expect("a commit");
    assert_eq!(found(&Bm25Index::open(folder.path()).expect("an intact index"), "one"), ["a", "c"]);
}

#[test]
fn if_one_of_several_changes_fails_none_of_them_is_committed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one")]);
    let put = |writer: &mut IndexWriter, put: Put, ids: &[&str]| {
        writer.all_or_none(|writer, change_count| {
            for id in ids {
                writer.put_with_fields(put, id, None, "two", &PassageFields::new())?;
                *change_count += 1;
            }
            Ok::<_, Error>(ids.len())
        })
    };
    assert_eq!(put(&mut writer, Put::Update, &["a", "b"]).expect("an update"), 2);
    put(&mut writer, Put::Add, &["a", "c"]).expect_err("a exists already, and nothing was changed before");
    writer.commit().expect("two changes");
    put(&mut writer, Put::Add, &["c", "a"]).expect_err("a exists already, and c was added before");
    assert!(matches!(writer.commit(), Err(Error::Interrupted { .. })));
    writer.rollback().expect("the last commit");
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    assert_eq!(
        (found(&index, "one").len(), found(&index, "two")),
        (0, ["a", "b"].map(str::to_owned).to_vec())
    );
}

#[test]
fn an_index_that_never_had_a_passage_is_replaced_even_without_the_overwrite_option() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let create = |analyzer| IndexWriter::create(folder.path(), analyzer, WriterOptions::default());
    let writer = create(Analyzer::ENGLISH).expect("a new index");
    assert!(matches!(create(Analyzer::SIMPLE), Err(Error::Locked { .. })));
    drop(writer);
    let mut writer = create(Analyzer::SIMPLE).expect("an index without passages");
    assert_eq!(Bm25Index::open(folder.path()).expect("an empty index").analyzer(), Analyzer::SIMPLE);
    writer.add("a", None, "one").expect("a new id");
    writer.commit().expect("a commit");
    writer.delete(&["a"]).expect("a deletion");
    writer.commit().expect("a commit");
    writer.merge().expect("a merge");
    drop(writer);
    assert!(matches!(create(Analyzer::ENGLISH), Err(Error::AlreadyExists { .. })), "it had a passage");
}

#[test]
fn little_memory_gives_many_segments_and_the_same_rankings() {
    const LITTLE_MEMORY: WriterOptions = WriterOptions { overwrite: false, threads: 2, memory: 30_000_000 };
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("a temporary folder"));
    let queries = ["w1 w2 w3", "w1999 n77", "w5 w5 w1000 absent", "n149999"];
    let paths = folders.each_ref().map(|folder| folder.path());
    let builds = [(WriterOptions::default(), false), (LITTLE_MEMORY, false), (LITTLE_MEMORY, true)];
    let rankings = builds.map(|(options, merge)| {
        // The position in `paths` is 0, 1 or 2 for the three builds.
        let path = paths[usize::from(options.threads == 2) + usize::from(merge)];
        let mut writer = IndexWriter::create(path, Analyzer::WHITESPACE, options).expect("a new index");
        writer.merge_in_background(false);
        for at in 0..150_000u64 {
            let word = |by: u64| at.wrapping_mul(by) % 2003;
            let text = format!(
                "n{at} w{} w{} w{} {}",
                word(7),
                word(1009),
                word(31),
                "pad ".repeat(at as usize % 5)
            );
            writer.add(&at.to_string(), None, &text).expect("a new id");
        }
        writer.commit().expect("a commit");
        if merge {
            writer.merge().expect("a merge");
        }
        let index = Bm25Index::open(path).expect("an intact index");
        queries.map(|query| {
            let searcher = index.searcher();
            let hits = searcher.search(query, 1000, Bm25::default(), &Control::new()).expect("hits");
            let scores: Vec<u32> = hits.iter().map(|hit| hit.score.to_bits()).collect();
            (searcher.ids(&hits).expect("ids"), scores)
        })
    });
    let segments = paths.map(|path| {
        let entries = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|file| file.extension().is_some_and(|extension| extension == "passages")).count()
    });
    assert!(segments[0] == 1 && segments[1] > 2 && segments[2] == 1, "{segments:?}");
    assert!(rankings[0][0].0.len() > 200 && rankings[0][3].0 == ["149999"]);
    assert_eq!(rankings[0], rankings[1]);
    assert_eq!(rankings[0], rankings[2]);
}

#[test]
fn texts_longer_than_the_backlog_are_indexed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = WriterOptions { memory: 15_000_000, ..WriterOptions::default() };
    let mut writer = IndexWriter::create(folder.path(), Analyzer::WHITESPACE, options).expect("a new index");
    // Texts of 5 MB; the backlog is limited to an eighth of the memory.
    for at in 0..8 {
        writer
            .add(&format!("p{at}"), None, &format!("t{at} {}", "word ".repeat(1_000_000)))
            .expect("a new id");
    }
    writer.commit().expect("a commit");
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    assert_eq!((index.len(), found(&index, "t7")), (8, vec!["p7".to_owned()]));
}

#[test]
fn errors_distinguish_missing_folders_files_and_folders_without_an_index() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    assert!(matches!(Bm25Index::open(&path.join("none")), Err(Error::NotFound { .. })));
    assert!(matches!(Bm25Index::open(path), Err(Error::NotAnIndex { .. })));
    std::fs::write(path.join("file"), "text").expect("a file");
    assert!(matches!(Bm25Index::open(&path.join("file")), Err(Error::NotAFolder { .. })));
    assert!(matches!(IndexWriter::open(path, WriterOptions::default()), Err(Error::NotAnIndex { .. })));
    let create = |path: &Path| IndexWriter::create(path, Analyzer::ENGLISH, OVERWRITE);
    assert!(matches!(create(&path.join("file")), Err(Error::NotAFolder { .. })));
    // An index can be created in a folder with other files, and missing parent folders are created.
    drop(create(path).expect("a folder without an index"));
    drop(create(&path.join("new/folder")).expect("a new folder"));
    assert!(path.join("file").exists());
    let empty = Bm25Index::open(path).expect("an empty index");
    assert_eq!((empty.len(), found(&empty, "anything").len()), (0, 0));
}

#[test]
fn another_programs_index_is_never_overwritten() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut schema = tantivy::schema::Schema::builder();
    schema.add_text_field("body", tantivy::schema::TEXT);
    tantivy::Index::create_in_dir(folder.path(), schema.build()).expect("an empty folder");
    assert!(matches!(Bm25Index::open(folder.path()), Err(Error::NotAnIndex { .. })));
    let refused = IndexWriter::create(folder.path(), Analyzer::ENGLISH, OVERWRITE);
    assert!(matches!(refused, Err(Error::NotAnIndex { .. })));
    std::fs::write(folder.path().join("meta.json"), r#"{"title": "not an index at all"}"#).expect("a file");
    assert!(matches!(Bm25Index::open(folder.path()), Err(Error::NotAnIndex { .. })));
    let refused = IndexWriter::create(folder.path(), Analyzer::ENGLISH, OVERWRITE);
    assert!(matches!(refused, Err(Error::NotAnIndex { .. })));
}

#[test]
fn arguments_out_of_range_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = create_index(folder.path(), &[("a", "one")]);
    let error = writer.add("", None, "x").expect_err("an empty id").to_string();
    assert_eq!(error, "id: expected 1 to 65530 bytes, got 0 bytes");
    assert!(writer.update(&"x".repeat(65_531), None, "x").is_err());
    writer.add(&"x".repeat(65_530), None, "one").expect("a long id");
    writer.commit().expect("a commit");
    assert_eq!(writer.delete(&["x".repeat(65_530)]).expect("a deletion"), 1);
    let options = WriterOptions { threads: 0, ..WriterOptions::default() };
    assert!(matches!(
        IndexWriter::open(folder.path(), options),
        Err(Error::Argument { what: "threads", .. })
    ));
    let options = WriterOptions { threads: 8, memory: 100_000_000, ..WriterOptions::default() };
    let error = IndexWriter::open(folder.path(), options).expect_err("too little memory").to_string();
    assert_eq!(
        error,
        "memory: expected 15,000,000 to 4,000,000,000 bytes per thread, got 100000000 bytes (threads: 8)"
    );
    let index = Bm25Index::open(folder.path()).expect("an intact index");
    let control = Control::new();
    let bad = Bm25 { k1: f32::INFINITY, b: 0.4 };
    assert!(matches!(index.search("one", 0, bad, &control), Err(Error::Argument { what: "k1", .. })));
    assert!(matches!(index.search_many(&[], 1, bad, 0, &control), Err(Error::Argument { what: "k1", .. })));
    let terms = [("on".to_owned(), 1.0), ("one".to_owned(), f32::NAN)];
    let refused = index.search_terms(&terms, 1, Bm25::default(), &control);
    assert!(matches!(refused, Err(Error::Argument { what: "weight", .. })));
    let unknown = index.explain("one", "zzz", Bm25::default()).expect_err("an unknown id").to_string();
    assert_eq!(unknown, "explain: expected a passage of the index, got id \"zzz\"");
    control.cancel();
    assert!(matches!(index.search("one", 1, Bm25::default(), &control), Err(Error::Canceled(_))));
    assert!(matches!(
        index.search_many(&["one", "one"], 1, Bm25::default(), 2, &control),
        Err(Error::Canceled(_))
    ));
}
