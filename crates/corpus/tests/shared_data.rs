//! Reads whole data sets, such as SQuAD and SciFact, compares the number of items in each file with the manifest, and
//! compares files that have the same content. The files are test data that cannot be published (see CONTRIBUTING.md).
//! Without them, the tests pass without doing anything.

mod common;

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use common::shared;
use corpus::{
    Error, PassageFormat, Question, QuestionFormat, ReadOptions, SplitOptions, open_passages, open_questions,
    read_qrels, read_run, write_qrels, write_run,
};

/// Returns the number of items of each file in the folder `data`, as recorded in the manifest. The keys are paths
/// relative to `data`.
fn item_counts(shared: &Path) -> HashMap<String, u64> {
    let manifest = std::fs::read(shared.join("data/MANIFEST.json")).expect("`shared` checked that it exists");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("JSON");
    let files = manifest["files"].as_array().expect("a list of files");
    let counted = files.iter().filter_map(|file| {
        let path = file["path"].as_str()?.strip_prefix("data/")?;
        Some((path.to_owned(), file["items"].as_u64()?))
    });
    counted.collect()
}

/// Reads all questions of a file.
fn questions(path: &Path) -> Result<Vec<Question>, Error> {
    open_questions(path, QuestionFormat::Auto, &ReadOptions::default())?.collect()
}

#[test]
fn the_format_of_every_question_file_is_detected_and_all_questions_are_read() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    let counts = item_counts(&shared);
    let mut files_read = 0;
    for (file, format) in [
        ("squad/squad-dev.qas.jsonl.gz", QuestionFormat::DprJsonl),
        ("squad/squad-dev.qas.tsv.gz", QuestionFormat::DprCsv),
        ("squad/dev-v2.0.json.gz", QuestionFormat::Squad),
        ("qa/nq.test.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/dpr.nq.test.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/orig/topics.dpr.nq.test.txt.gz", QuestionFormat::DprCsv),
        ("qa/nq.dev.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/webquestions.test.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/curatedtrec.test.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/triviaqa.dev.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/NQ-open.dev.jsonl.gz", QuestionFormat::DprJsonl),
        ("qa/webquestions.trainmodel.json.gz", QuestionFormat::DprJson),
        ("qa/entityquestions.dev.jsonl.gz", QuestionFormat::DprJsonl),
        ("pubmedqa/pqal.json.gz", QuestionFormat::PubmedQa),
        ("ir/scifact/queries.jsonl.gz", QuestionFormat::Beir),
        ("ir/vaswani-npl/queries.jsonl.gz", QuestionFormat::Beir),
        ("ir/nfcorpus-preprocessed/queries.jsonl.gz", QuestionFormat::Beir),
        ("ir/agentset-dbpedia/queries.jsonl.gz", QuestionFormat::Beir),
    ] {
        let mut reader =
            open_questions(shared.join("data").join(file), QuestionFormat::Auto, &ReadOptions::default())?;
        assert_eq!(reader.format(), format, "{file}");
        let found = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
        assert_eq!(found.len() as u64, counts[file], "{file}");
        assert!(found.iter().all(|question| !question.text.is_empty()), "{file}");
        let answered = found.iter().filter(|question| !question.answers.is_empty()).count();
        let expected = match format {
            QuestionFormat::Beir => 0..1,
            // The file is a part of SQuAD 2.0's development set. About half of its questions are unanswerable.
            QuestionFormat::Squad => 3000..4500,
            _ => found.len()..found.len() + 1,
        };
        assert!(expected.contains(&answered), "{file}: {answered} answered");
        assert_eq!(reader.bytes_read(), reader.bytes_total(), "{file}");
        files_read += 1;
    }
    assert_eq!(files_read, 18);
    Ok(())
}

#[test]
fn the_format_of_every_corpus_is_detected_and_all_passages_are_read() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    let counts = item_counts(&shared);
    for (file, format) in [
        ("squad/psgs_w100.squad-dev.tsv.gz", PassageFormat::Dpr),
        ("squad/paragraphs.squad-dev.tsv.gz", PassageFormat::Dpr),
        ("pubmedqa/pqal.json.gz", PassageFormat::PubmedQa),
        ("ir/scifact/corpus.jsonl.gz", PassageFormat::Beir),
        ("ir/vaswani-npl/corpus.jsonl.gz", PassageFormat::Beir),
        ("ir/nfcorpus-preprocessed/corpus.jsonl.gz", PassageFormat::Beir),
        ("ir/agentset-dbpedia/corpus.jsonl.gz", PassageFormat::Beir),
    ] {
        let mut reader =
            open_passages(shared.join("data").join(file), PassageFormat::Auto, &ReadOptions::default())?;
        assert_eq!(reader.format(), format, "{file}");
        let mut ids = std::collections::HashSet::new();
        for passage in reader.by_ref() {
            let passage = passage?;
            assert!(ids.insert(passage.id.clone()), "{file}: {} twice", passage.id);
            assert_ne!(passage.title.as_deref(), Some(""));
        }
        assert_eq!(ids.len() as u64, counts[file], "{file}");
    }
    Ok(())
}

/// Compares files that have the same questions as JSON lines and as a table in DPR's format. This checks how the quotes
/// and answer lists of the table are read.
#[test]
fn tables_of_questions_agree_with_the_same_questions_in_json() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    for (table, json) in [
        ("data/squad/squad-dev.qas.tsv.gz", "data/squad/squad-dev.qas.jsonl.gz"),
        ("data/qa/orig/topics.dpr.nq.test.txt.gz", "data/qa/dpr.nq.test.jsonl.gz"),
    ] {
        let (table, json) = (questions(&shared.join(table))?, questions(&shared.join(json))?);
        assert_eq!(table.len(), json.len());
        for (row, (table, json)) in table.iter().zip(&json).enumerate() {
            assert_eq!(table.id, row.to_string());
            assert_eq!((table.text.trim(), &table.answers), (json.text.trim(), &json.answers), "row {row}");
        }
    }
    Ok(())
}

/// Compares each passage with the row that the `csv` crate reads.
#[test]
fn a_dpr_table_is_read_as_a_csv_reader_reads_it() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    let path = shared.join("data/squad/psgs_w100.squad-dev.tsv.gz");
    let plain = flate2::read::GzDecoder::new(std::fs::File::open(&path).expect("readable"));
    let mut expected = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(plain);
    let mut rows = expected.records();
    for passage in open_passages(&path, PassageFormat::Dpr, &ReadOptions::default())? {
        let (passage, row) = (passage?, rows.next().expect("a row for every passage").expect("valid"));
        let found =
            [passage.id.as_str(), passage.text.as_str(), passage.title.as_deref().unwrap_or_default()];
        assert!(row.iter().eq(found), "{row:?}");
    }
    assert!(rows.next().is_none());
    Ok(())
}

/// Reads the same paragraphs as passages, as contexts of questions, and split into passages of 100 words.
#[test]
fn paragraphs_of_squad_are_the_contexts_of_its_questions_and_keep_their_words_when_split() -> Result<(), Error>
{
    let Some(shared) = shared() else { return Ok(()) };
    let path = shared.join("data/squad/dev-v2.0.json.gz");
    let passages =
        open_passages(&path, PassageFormat::Auto, &ReadOptions::default())?.collect::<Result<Vec<_>, _>>()?;
    // This number of paragraphs was counted with Python's `json` module; the whole development set has more.
    assert_eq!(passages.len(), 755);
    let by_id: HashMap<_, _> = passages.iter().map(|passage| (passage.id.as_str(), passage)).collect();
    let questions = questions(&path)?;
    for question in &questions {
        let context = question.context.as_ref().expect("each has a paragraph");
        assert_eq!(by_id[context.id.as_str()], context);
        assert!(
            question.answers.iter().all(|answer| context.text.contains(answer.as_str())),
            "{}",
            question.id
        );
    }
    assert_eq!(questions[0].context.as_ref().map(|context| context.id.as_str()), Some("Normans#0"));
    assert_eq!(by_id["Fresno,_California#0"].title.as_deref(), Some("Fresno, California"));

    let split = ReadOptions { split: Some(SplitOptions::default()), ..ReadOptions::default() };
    let pieces = open_passages(&path, PassageFormat::Squad, &split)?.collect::<Result<Vec<_>, _>>()?;
    assert!(pieces.iter().all(|piece| (1..=100).contains(&piece.text.split_whitespace().count())));
    let words = |passages: &[corpus::Passage]| -> Vec<String> {
        passages
            .iter()
            .flat_map(|passage| passage.text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    };
    assert_eq!(words(&pieces), words(&passages));
    assert_eq!(pieces[0].id, "Normans#0#0");
    Ok(())
}

#[test]
fn qrels_and_runs_are_read_completely_and_read_back_after_writing() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    let counts = item_counts(&shared);
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    for name in ["scifact", "vaswani-npl", "nfcorpus-preprocessed", "agentset-dbpedia"] {
        let qrels = read_qrels(shared.join(format!("data/ir/{name}/qrels.txt.gz")))?;
        let grades: usize = qrels.iter().map(|(_, grades)| grades.len()).sum();
        assert_eq!(grades as u64, counts[format!("ir/{name}/qrels.txt.gz").as_str()], "{name}");
        write_qrels(&copy, &qrels, &Arc::default())?;
        assert!(read_qrels(&copy)? == qrels, "{name}");

        let run = read_run(shared.join(format!("reference/lucene/{name}.bm25.trec.gz")))?;
        // Not every query has a hit.
        assert!(run.iter().len() as u64 <= counts[format!("ir/{name}/queries.jsonl.gz").as_str()], "{name}");
        assert!(run.iter().all(|(_, hits)| (1..=1000).contains(&hits.len())), "{name}");
        write_run(&copy, &run, "copy", &Arc::default())?;
        assert!(read_run(&copy)? == run, "{name}");
    }
    // The file has 29,966 lines, one per hit.
    let run = read_run(shared.join("reference/scifact.bm25.top100.trec.gz"))?;
    assert_eq!(run.iter().map(|(_, hits)| hits.len()).sum::<usize>(), 29_966);
    Ok(())
}

/// Reads test files of trec_eval: `results.trunc` has text after some run tags, and one file of qrels has comments.
#[test]
fn the_test_files_of_trec_eval_are_read() -> Result<(), Error> {
    let Some(shared) = shared() else { return Ok(()) };
    let file = |name: &str| shared.join("reference/trec_eval").join(name);
    let run = read_run(file("results.test.gz"))?;
    assert_eq!(run.iter().count(), 3);
    assert!(run.iter().all(|(_, hits)| hits.is_sorted_by(|a, b| a.score >= b.score)));
    assert!(!read_run(file("results.trunc.gz"))?.is_empty());
    // Three lines of the second file are comments, and one id contains a `#`.
    let (plain, commented) =
        (read_qrels(file("qrels.test.gz"))?, read_qrels(file("qrels.test.with-comments.gz"))?);
    let count = |qrels: &ranking::Qrels| qrels.iter().map(|(_, grades)| grades.len()).sum::<usize>();
    assert_eq!((count(&plain), count(&commented)), (3681, 3681));
    assert_eq!(commented.get("301").and_then(|grades| grades.get("CR#93E-1860")), Some(&0));
    Ok(())
}
