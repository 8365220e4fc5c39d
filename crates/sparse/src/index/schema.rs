//! tantivy's schema: which parts of a passage are indexed, and which are stored.

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, JsonObjectOptions, NumericOptions, Schema, SchemaBuilder,
    TextFieldIndexing, TextOptions,
};

use crate::analysis::tantivy_tokenizer;

/// The name of tantivy's field that holds the fields of a passage.
pub(crate) const FIELDS: &str = "fields";

/// The fields of tantivy's schema. One of them, `fields`, has all fields that the caller gave a passage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    /// Title and text: terms with frequencies and fieldnorms, without positions.
    pub contents: Field,
    /// The id as one term, for lookups and deletions.
    pub id: Field,
    /// The ord. tantivy neither indexes nor stores it; our plugin writes it to the passage file.
    pub ord: Field,
    /// The passage's own fields as one JSON object: indexed as terms, written to columns, and stored. A passage without
    /// fields has no value here and takes no space.
    pub fields: Field,
    /// Title and text as bytes (see [`crate::stored`]), stored only if the caller asks for it. `None` for an index that
    /// was created before this field existed; such an index supports everything except storing titles and texts.
    pub stored: Option<Field>,
}

/// Returns the schema of new indexes.
pub(crate) fn schema() -> (Schema, Fields) {
    let (mut builder, fields) = schema_without_stored();
    let stored = builder.add_bytes_field("stored", BytesOptions::default().set_stored());
    (builder.build(), Fields { stored: Some(stored), ..fields })
}

/// Returns the fields of an index with this schema, which may be the earlier one, without `stored`; `None` if it is not
/// a schema of ours.
pub(crate) fn fields_of(schema: &Schema) -> Option<Fields> {
    let (current, fields) = self::schema();
    if *schema == current {
        return Some(fields);
    }
    let (earlier, fields) = schema_without_stored();
    (*schema == earlier.build()).then_some(fields)
}

/// Returns a builder of the schema without the field `stored`, which earlier indexes do not have.
fn schema_without_stored() -> (SchemaBuilder, Fields) {
    let mut builder = Schema::builder();
    let indexing = |tokenizer: &str, option, fieldnorms| {
        let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer);
        indexing.set_index_option(option).set_fieldnorms(fieldnorms)
    };
    let indexed = |tokenizer: &str, option, fieldnorms| {
        TextOptions::default().set_indexing_options(indexing(tokenizer, option, fieldnorms))
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
        stored: None,
    };
    (builder, fields)
}
