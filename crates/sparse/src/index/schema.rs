//! tantivy's schema: which parts of a passage are indexed, and which are stored.

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, TextFieldIndexing,
    TextOptions,
};

/// The name of tantivy's field that holds the fields of a passage.
pub(crate) const FIELDS: &str = "fields";

/// The fields of tantivy's schema. One of them, `fields`, has all fields that the caller gave a passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Title and text. tantivy neither indexes nor stores them; our plugin writes their terms and postings to the
    /// impact file.
    pub contents: Field,
    /// The id as one term, for lookups and deletions.
    pub id: Field,
    /// The ord. tantivy neither indexes nor stores it; our plugin writes it to the passage file.
    pub ord: Field,
    /// The passage's own fields as one JSON object: indexed as terms, written to columns, and stored. A passage without
    /// fields has no value here and takes no space.
    pub fields: Field,
    /// Title and text as bytes (see [`crate::stored`]), stored only if the caller asks for it.
    pub stored: Field,
}

/// Returns the schema.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic)
        .set_fieldnorms(false);
    let json =
        JsonObjectOptions::default().set_stored().set_fast("raw").set_indexing_options(indexing.clone());
    let fields = Fields {
        contents: builder.add_text_field("contents", TextOptions::default()),
        id: builder.add_text_field("id", TextOptions::default().set_indexing_options(indexing)),
        ord: builder.add_u64_field("ord", NumericOptions::default()),
        fields: builder.add_json_field(FIELDS, json),
        stored: builder.add_bytes_field("stored", BytesOptions::default().set_stored()),
    };
    (builder.build(), fields)
}

/// Returns the fields of an index with this schema; `None` if it is not ours.
pub(crate) fn fields_of(schema: &Schema) -> Option<Fields> {
    let (ours, fields) = self::schema();
    (*schema == ours).then_some(fields)
}
