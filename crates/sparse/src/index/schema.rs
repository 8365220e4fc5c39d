//! tantivy's schema: what is indexed and stored of a passage.

use tantivy::schema::{
    Field, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};

use crate::analysis::tantivy_tokenizer;

/// The name of tantivy's field that holds the fields of a passage.
pub(crate) const FIELDS: &str = "fields";

/// tantivy's fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Title and text: terms with frequencies and fieldnorms, without positions.
    pub contents: Field,
    /// The id as one term, for lookups and deletions.
    pub id: Field,
    /// The ord. tantivy neither indexes nor stores it; our plugin writes it to the passage file.
    pub ord: Field,
    /// The passage's own fields as one JSON object, indexed as terms, in columns, and stored. A passage without fields
    /// has no value here and takes no space.
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
