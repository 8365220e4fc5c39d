//! tantivy's own BM25 as an engine of the server, for comparison.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::{
    Field, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions, Value as _,
};
use tantivy::{DocAddress, Index, TantivyDocument, Term};

use crate::engine::{Analysis, Engine, Outcome, ScoredId, WRITER_MEMORY};
use crate::text_files::{for_each_line, split_id};

/// tantivy with its own BM25 (k1 = 1.2, b = 0.75). Its index has a text field with term frequencies, and stored ids.
#[derive(Default)]
pub struct Tantivy {
    /// The searcher of the open index, the field of the id, and the field of the text.
    opened: Option<(tantivy::Searcher, Field, Field)>,
}

impl Tantivy {
    fn opened(&self) -> &(tantivy::Searcher, Field, Field) {
        self.opened.as_ref().expect("opened before it is searched")
    }
}

impl Engine for Tantivy {
    type Hits = Vec<(f32, DocAddress)>;
    const THREADS: &[&str] = &["query"];

    fn version(&self) -> String {
        tantivy::version_string().to_owned()
    }

    fn build(&self, passages: &Path, folder: &Path, analysis: Analysis) -> Outcome<()> {
        if analysis == Analysis::English {
            return Err("expected tokens: tantivy has no analyzer with the same tokens as Lucene's".into());
        }
        let mut schema = Schema::builder();
        let id_field = schema.add_text_field("id", STRING | STORED);
        let indexing = TextFieldIndexing::default()
            .set_tokenizer("whitespace")
            .set_index_option(IndexRecordOption::WithFreqs);
        let contents =
            schema.add_text_field("contents", TextOptions::default().set_indexing_options(indexing));
        fs::create_dir_all(folder)?;
        let index = Index::create_in_dir(folder, schema.build())?;
        let mut writer = index.writer_with_num_threads(1, WRITER_MEMORY)?;
        for_each_line(passages, |line| {
            let (id, text) = split_id(line);
            let mut document = TantivyDocument::new();
            document.add_text(id_field, id);
            document.add_text(contents, text);
            writer.add_document(document)?;
            Ok(())
        })?;
        writer.commit()?;
        let segments = index.searchable_segment_ids()?;
        if segments.len() > 1 {
            writer.merge(&segments).wait()?;
        }
        Ok(writer.wait_merging_threads()?)
    }

    fn open(&mut self, folder: &Path) -> Outcome<()> {
        let index = Index::open_in_dir(folder)?;
        let schema = index.schema();
        let searcher = index.reader()?.searcher();
        self.opened = Some((searcher, schema.get_field("id")?, schema.get_field("contents")?));
        Ok(())
    }

    fn search(&self, query: &str, k: usize) -> Outcome<Self::Hits> {
        let (searcher, _, contents) = self.opened();
        let mut counts = BTreeMap::new();
        for term in query.split(' ') {
            *counts.entry(term).or_insert(0.0) += 1.0;
        }
        let clause = |(term, count): (&str, f32)| -> (Occur, Box<dyn Query>) {
            let term = TermQuery::new(Term::from_field_text(*contents, term), IndexRecordOption::WithFreqs);
            // A boost of 1 would not change the scores, but it would take time.
            if count == 1.0 {
                (Occur::Should, Box::new(term))
            } else {
                (Occur::Should, Box::new(BoostQuery::new(Box::new(term), count)))
            }
        };
        let query = BooleanQuery::new(counts.into_iter().map(clause).collect());
        Ok(searcher.search(&query, &TopDocs::with_limit(k).order_by_score())?)
    }

    fn search_batch(&self, _queries: &[&str], _k: usize, _threads: usize) -> Outcome<Vec<Self::Hits>> {
        Err("expected one query at a time: tantivy has no batches".into())
    }

    fn with_ids(&self, hits: &Self::Hits) -> Outcome<Vec<ScoredId>> {
        let (searcher, id_field, _) = self.opened();
        let with_id = |&(score, address): &(f32, DocAddress)| {
            let document: TantivyDocument = searcher.doc(address)?;
            let id =
                document.get_first(*id_field).and_then(|value| value.as_str()).ok_or("expected an id")?;
            Ok((id.to_owned(), score))
        };
        hits.iter().map(with_id).collect()
    }
}
