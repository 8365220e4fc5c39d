//! Tells readers apart, so that a cache is used only with the reader that filled it.

use std::path::Path;

use inference::{LongPassages, ReaderConfig};
use reading::SpanLimits;

use crate::call::CallResult;
use crate::models::ReaderOrigin;

/// Everything that readings depend on, as text: two readers with the same text give the same readings.
pub fn reader_identity(origin: &ReaderOrigin, limits: SpanLimits) -> CallResult<String> {
    let file_hashes = match origin.file_hashes.get() {
        Some(hashes) => hashes,
        None => {
            let hashes = hash_files(&origin.files.model, &origin.files.tokenizer)?;
            origin.file_hashes.get_or_init(|| hashes)
        }
    };
    // Every field is named, so that the compiler complains here about a new one. The size of batches changes the logits of an
    // int8 model a little, but two readings of a passage may come from different batches anyway.
    let ReaderConfig { max_tokens, max_question_tokens, batch_tokens: _, long_passages, titles, open_ended } =
        origin.config;
    let SpanLimits { max_spans, max_tokens: max_answer_tokens } = limits;
    let long = match long_passages {
        LongPassages::Cut => "cut".to_owned(),
        LongPassages::Windows { overlap_tokens: None } => "window".to_owned(),
        LongPassages::Windows { overlap_tokens: Some(tokens) } => format!("window, overlapTokens {tokens}"),
    };
    let titles = titles.map_or(String::new(), |titles| format!(", titles {titles}"));
    let form = if open_ended { ", open-ended" } else { "" };
    let passage = format!(
        "maxTokens {max_tokens}, maxQuestionTokens {max_question_tokens}, longPassages {long}{titles}{form}"
    );
    Ok(format!("{file_hashes}, {passage}, spansPerPassage {max_spans}, maxAnswerTokens {max_answer_tokens}"))
}

fn hash_files(model: &str, tokenizer: &str) -> CallResult<String> {
    // Exporters write the weights of large models to a file next to the graph.
    let weights = [".data", "_data"].map(|end| format!("{model}{end}"));
    let weights = weights.iter().map(Path::new).filter(|path| path.is_file());
    let model = reading::files_sha256(&std::iter::once(Path::new(model)).chain(weights).collect::<Vec<_>>())?;
    let tokenizer = reading::files_sha256(&[Path::new(tokenizer)])?;
    Ok(format!("model {model}, tokenizer {tokenizer}"))
}
