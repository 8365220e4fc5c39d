//! Tests of the analyzer of an index: an index records its analyzer (a `wordpiece` analyzer with a copy of the model's
//! tokenizer), and cannot be opened by a caller that expects a different analyzer.

use std::fs;
use std::path::{Path, PathBuf};

use control::Control;
use sparse::{Analyzer, Bm25, Bm25Index, Error, IndexWriter, WriterOptions};
use tokenize::Tokenizer;

const OVERWRITE: WriterOptions = WriterOptions { overwrite: true, threads: 1, memory: 20_000_000 };

/// Returns the folder, or a file, of a model in the repository.
fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// Returns the `wordpiece` analyzer of a model in the repository.
fn word_piece(name: &str) -> Analyzer {
    Analyzer::word_piece(&model(name)).expect("a model in the repository")
}

/// Creates an index of two passages.
fn create_index(path: &Path, analyzer: Analyzer) {
    let mut writer = IndexWriter::create(path, analyzer, OVERWRITE).expect("an index to create or replace");
    writer.add("a", None, "Reba's embeddings are running").expect("a new id");
    writer.add("b", None, "the bed of the river").expect("a new id");
    writer.commit().expect("a commit");
}

/// Returns the ids of the ten best hits.
fn found(index: &Bm25Index, query: &str) -> Vec<String> {
    let searcher = index.searcher();
    let hits = searcher.search(query, 10, Bm25::default(), &Control::new()).expect("hits");
    searcher.ids(&hits).expect("ids")
}

/// Returns the files of a folder whose names begin with `tokenizer`.
fn tokenizer_files(folder: &Path) -> Vec<PathBuf> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("tokenizer")))
        .collect()
}

#[test]
fn an_index_opens_with_the_analyzer_that_it_was_built_with() {
    let german = Analyzer::snowball("german".parse().expect("a language"));
    for analyzer in [
        Analyzer::ENGLISH,
        Analyzer::SIMPLE,
        Analyzer::WHITESPACE,
        german.clone(),
        word_piece("tiny-encoder"),
        Analyzer::ENGLISH.with_stop_words(["river"]).expect("a word"),
        german.with_stop_words(["river"]).expect("a word"),
        word_piece("tiny-encoder").with_stop_words(["##s"]).expect("a piece"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        create_index(folder.path(), analyzer.clone());
        let index =
            Bm25Index::open_expecting(folder.path(), Some(analyzer.clone())).expect("its own analyzer");
        assert_eq!(index.analyzer(), analyzer);
        let writer = IndexWriter::open_expecting(folder.path(), Some(analyzer.clone()), OVERWRITE);
        let mut writer = writer.expect("its own analyzer");
        assert_eq!(writer.analyzer(), analyzer);
        writer.add("c", None, "a boat on the RIVER banks").expect("a new id");
        writer.commit().expect("a commit");
        index.reload().expect("an intact index");
        // The same query finds "b", added before the index was opened, and "c" if the analyzer ignores case.
        let hit_count = usize::from(analyzer.tokens("river") == analyzer.tokens("RIVER")) + 1;
        // The query has no hits if "river" is a stop word.
        let hit_count = if analyzer.stop_words() == Some(&["river".to_owned()]) { 0 } else { hit_count };
        assert_eq!(found(&index, "river").len(), hit_count, "{analyzer}");
    }
}

#[test]
fn opening_with_a_different_analyzer_fails_and_the_error_names_both_analyzers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    create_index(path, Analyzer::snowball("german".parse().expect("a language")));
    let refused = |analyzer: Analyzer| {
        let reading = Bm25Index::open_expecting(path, Some(analyzer.clone())).expect_err("another analyzer");
        let writing =
            IndexWriter::open_expecting(path, Some(analyzer), OVERWRITE).expect_err("another analyzer");
        assert!(matches!(reading, Error::AnalyzerMismatch { .. }), "{reading}");
        assert_eq!(reading.to_string(), writing.to_string());
        reading.to_string().replace(&path.display().to_string(), "index")
    };
    assert_eq!(
        refused(Analyzer::ENGLISH),
        "open index: expected an index made with the analyzer english, got one made with snowball:german"
    );
    let without_stop_words =
        Analyzer::snowball("german".parse().expect("a language")).with_stop_words([""; 0]).expect("no words");
    assert_eq!(
        refused(without_stop_words),
        "open index: expected an index made with the analyzer snowball:german without stop words, got one made with snowball:german"
    );
    // The failed attempts to open a writer released the lock and changed nothing.
    drop(IndexWriter::open(path, OVERWRITE).expect("an intact index"));
    assert_eq!(Bm25Index::open(path).expect("an intact index").len(), 2);
}

#[test]
fn reloading_refuses_an_index_overwritten_with_another_analyzer() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    create_index(folder.path(), Analyzer::ENGLISH);
    let expecting =
        Bm25Index::open_expecting(folder.path(), Some(Analyzer::ENGLISH)).expect("its own analyzer");
    let any = Bm25Index::open(folder.path()).expect("an intact index");
    create_index(folder.path(), Analyzer::SIMPLE);
    assert!(matches!(expecting.reload(), Err(Error::AnalyzerMismatch { .. })));
    assert_eq!((expecting.analyzer(), found(&expecting, "runs").len()), (Analyzer::ENGLISH, 1));
    any.reload().expect("an intact index");
    assert_eq!((any.analyzer(), found(&any, "runs").len()), (Analyzer::SIMPLE, 0));
}

#[test]
fn an_index_with_an_unknown_analyzer_or_analyzer_version_is_rejected_and_the_error_names_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    create_index(path, Analyzer::SIMPLE);
    let meta = path.join("meta.json");
    let text = fs::read_to_string(&meta).expect("a commit");
    // Replaces `from` with `to` in `meta.json`, and returns the error of opening the index.
    let changed = |from: &str, to: &str| {
        assert!(text.contains(from), "{text}");
        fs::write(&meta, text.replace(from, to)).expect("a commit to change");
        let error = Bm25Index::open(path).expect_err("another version");
        assert!(matches!(error, Error::AnalyzerVersion { .. }), "{error:?}");
        assert!(matches!(IndexWriter::open(path, OVERWRITE), Err(Error::AnalyzerVersion { .. })));
        error.to_string().replace(&path.display().to_string(), "index")
    };
    let end = "; build it again, or use the release that made it";
    assert_eq!(
        changed(r#"\"version\":1"#, r#"\"version\":9"#),
        format!("index: expected version 1, got version 9 of the analyzer simple{end}")
    );
    assert_eq!(
        changed("simple", "klingon"),
        format!(
            "index: expected an analyzer that this release has, got version 1 of the analyzer klingon{end}"
        )
    );
    // The index can be overwritten, like any index of ours that cannot be read.
    let keep = WriterOptions { overwrite: false, ..OVERWRITE };
    assert!(matches!(IndexWriter::create(path, Analyzer::SIMPLE, keep), Err(Error::AlreadyExists { .. })));
    create_index(path, Analyzer::SIMPLE);
    assert_eq!(Bm25Index::open(path).expect("an intact index").len(), 2);
}

#[test]
fn piece_doc_freqs_counts_passages_per_piece_if_the_index_has_the_same_pieces() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    create_index(folder.path(), word_piece("tiny-encoder"));
    let searcher = Bm25Index::open(folder.path()).expect("an intact index").searcher();
    let pieces = Tokenizer::open(&model("tiny-encoder").join("tokenizer.json")).expect("a tokenizer");
    let doc_freqs = searcher.piece_doc_freqs(&pieces).expect("an intact index").expect("the same pieces");
    assert_eq!(doc_freqs.len(), pieces.vocabulary_size());
    let doc_freq = |piece: &str| doc_freqs[pieces.piece_id(piece).expect("a piece") as usize];
    assert_eq!((doc_freq("the"), doc_freq("river"), doc_freq("are"), doc_freq("of")), (1, 1, 1, 1));
    assert_eq!(doc_freq("[CLS]"), 0);

    create_index(folder.path(), Analyzer::ENGLISH);
    let searcher = Bm25Index::open(folder.path()).expect("an intact index").searcher();
    assert_eq!(searcher.piece_doc_freqs(&pieces).expect("an intact index"), None);
}

#[test]
fn an_index_of_word_pieces_opens_without_the_model() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, model_folder) = (folder.path().join("index"), folder.path().join("model"));
    fs::create_dir(&model_folder).expect("a folder");
    fs::copy(model("tiny-encoder/tokenizer.json"), model_folder.join("tokenizer.json")).expect("a copy");
    create_index(&path, Analyzer::word_piece(&model_folder).expect("a tokenizer"));
    fs::remove_dir_all(&model_folder).expect("a folder to remove");
    let index = Bm25Index::open(&path).expect("an index with its tokenizer");
    let pieces = word_piece("tiny-encoder").tokens("embeddings");
    assert!(pieces.len() > 1 && found(&index, &pieces[0]) == ["a"], "{pieces:?}");
    assert_eq!(index.analyzer(), word_piece("tiny-encoder"));
    let copy = index.analyzer().tokenizer_copy(&path).expect("a copy");
    assert_eq!(tokenizer_files(&path), std::slice::from_ref(&copy));
    assert_eq!(Analyzer::word_piece(&copy).ok(), Some(word_piece("tiny-encoder")));
}

#[test]
fn a_corrupt_or_missing_tokenizer_is_an_error() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    create_index(path, word_piece("tiny-encoder"));
    let index = Bm25Index::open(path).expect("an intact index");
    let [copy] = tokenizer_files(path).try_into().expect("one copy");
    let intact = fs::read(&copy).expect("a file");
    // Checks that the index cannot be opened and that the error names the copy of the tokenizer.
    let refused = |what: &str| {
        for error in [
            Bm25Index::open(path).expect_err(what),
            IndexWriter::open(path, OVERWRITE).expect_err(what),
            index.reload().expect_err(what),
            index.verify().expect_err(what),
        ] {
            match error {
                Error::Corrupt { path, .. } => assert_eq!(path, copy, "{what}"),
                error => panic!("{what}: {error:?}"),
            }
        }
        assert_eq!(found(&index, "river"), ["b"], "the open index is not affected");
    };
    for at in (0..intact.len()).step_by(intact.len() / 7) {
        let mut damaged = intact.clone();
        damaged[at] ^= 1;
        fs::write(&copy, damaged).expect("a file to damage");
        refused("a changed byte");
    }
    fs::write(&copy, &intact[..intact.len() / 2]).expect("a file to damage");
    refused("half a file");
    fs::remove_file(&copy).expect("a file to remove");
    refused("no file");
    fs::write(&copy, &intact).expect("a file to restore");
    index.reload().expect("an intact index");
    // An index without its tokenizer can be overwritten.
    fs::remove_file(&copy).expect("a file to remove");
    create_index(path, word_piece("tiny-encoder"));
    index.reload().expect("an intact index");
}

#[test]
fn overwriting_changes_the_tokenizer_at_the_first_commit() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path();
    fs::write(path.join("tokenizer-mine.json"), "{}").expect("a file of the user");
    create_index(path, word_piece("tiny-encoder"));
    let index = Bm25Index::open(path).expect("an intact index");

    let mut writer =
        IndexWriter::create(path, word_piece("minilm-encoder"), OVERWRITE).expect("an index to replace");
    assert_eq!(writer.analyzer(), word_piece("minilm-encoder"));
    writer.add("c", None, "the river Reba").expect("a new id");
    index.reload().expect("the old index");
    assert_eq!(index.analyzer(), word_piece("tiny-encoder"));
    drop(writer);
    assert_eq!(Bm25Index::open(path).expect("the old index").analyzer(), word_piece("tiny-encoder"));

    let mut writer =
        IndexWriter::create(path, word_piece("minilm-encoder"), OVERWRITE).expect("an index to replace");
    writer.add("c", None, "the river Reba").expect("a new id");
    writer.commit().expect("a commit");
    index.reload().expect("the new index");
    assert_eq!(index.analyzer(), word_piece("minilm-encoder"));
    assert_eq!(found(&index, "##ba"), [""; 0], "as a text, ##ba is split into # # ba");
    let terms = [("##ba".to_owned(), 1.0)];
    assert_eq!(index.search_terms(&terms, 5, Bm25::default(), &Control::new()).expect("hits").len(), 1);
    let files = tokenizer_files(path);
    assert_eq!(files.len(), 2, "the new copy and the file of the user: {files:?}");
    drop(writer);

    create_index(path, Analyzer::ENGLISH);
    assert_eq!(tokenizer_files(path), [path.join("tokenizer-mine.json")]);
}
