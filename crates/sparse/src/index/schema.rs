//! What the engine stores of a passage, and what an index says of itself.

use tantivy::schema::{
    Field, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::analysis::tantivy_tokenizer;

/// The engine's name of what passages carry.
pub(crate) const FIELDS: &str = "fields";

/// The fields of a passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Title and text: terms with their frequencies, and lengths; no positions.
    pub contents: Field,
    /// The id as one term, to delete and to look up by.
    pub id: Field,
    /// Insertion number. Kept in the passage file of a segment, not by the engine.
    pub ord: Field,
    /// What the passage carries: one object, its values as terms, as columns, and stored. Passages without any
    /// have no value, and cost nothing.
    pub fields: Field,
}

pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = |tokenizer: &str, option, lengths| {
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option).set_fieldnorms(lengths)
    };
    let indexed = |tokenizer: &str, option, lengths| {
        TextOptions::default().set_indexing_options(indexing(tokenizer, option, lengths))
    };
    let json = JsonObjectOptions::default().set_stored().set_fast("raw").set_indexing_options(indexing(
        "raw",
        IndexRecordOption::Basic,
        false,
    ));
    let fields = Fields {
        contents: builder
            .add_text_field("contents", indexed(tantivy_tokenizer::NAME, IndexRecordOption::WithFreqs, true)),
        id: builder.add_text_field("id", indexed("raw", IndexRecordOption::Basic, false)),
        ord: builder.add_u64_field("ord", NumericOptions::default()),
        fields: builder.add_json_field(FIELDS, json),
    };
    (builder.build(), fields)
}
