//! Encodes the passages of a store into the file of a flat index.

use std::path::Path;

use control::Control;
use corpus::PassageStore;
use dense::{FlatWriter, Similarity, Storage};
use inference::{EncodeOptions, Encoder, EncoderInput};
use serde_json::Value;

use crate::Error;

/// Number of passages per call of the encoder: enough that passages of similar length can be batched together, and few
/// enough that their vectors take little memory.
const PASSAGES_PER_CALL: u32 = 1024;

/// How the passages of a store are encoded and stored.
#[derive(Debug, Clone)]
pub struct EncodeStoreOptions {
    /// Maximum number of tokens in a batch, padding included.
    pub batch_tokens: usize,
    /// How vectors are stored.
    pub storage: Storage,
    /// JSON to store with the index.
    pub metadata: Value,
}

/// Encodes the passages of a store, and writes their vectors and ids to the file `output`, a flat index with inner
/// product as its similarity. Progress counts passages.
///
/// # Errors
///
/// If the store is corrupt, a passage cannot be encoded, the file cannot be written, or the work is canceled. Then
/// `output` is not written; if the file existed, it stays unchanged.
pub fn encode_store(
    store: &PassageStore,
    encoder: &Encoder,
    output: &Path,
    options: &EncodeStoreOptions,
    control: &Control,
) -> Result<(), Error> {
    let writer = FlatWriter::with_storage(output, encoder.dim(), Similarity::Dot, options.storage)?;
    write_vectors(store, writer, options, control, |inputs, options| {
        Ok(encoder.encode(inputs, options, control)?)
    })
}

/// Does the work of [`encode_store`] with a function in place of the encoder.
fn write_vectors(
    store: &PassageStore,
    mut writer: FlatWriter,
    options: &EncodeStoreOptions,
    control: &Control,
    encode: impl Fn(&[EncoderInput<'_>], &EncodeOptions) -> Result<Vec<f32>, Error>,
) -> Result<(), Error> {
    let size = store.len();
    control.set_total(u64::from(size));
    for start in (0..size).step_by(PASSAGES_PER_CALL as usize) {
        let passages: Vec<_> = (start..size.min(start + PASSAGES_PER_CALL))
            .map(|ord| store.get(ord))
            .collect::<Result<_, _>>()?;
        let inputs: Vec<EncoderInput<'_>> = passages
            .iter()
            .map(|passage| EncoderInput { title: passage.title, text: passage.text })
            .collect();
        let encode_options =
            EncodeOptions { first_input: start as usize, batch_tokens: options.batch_tokens };
        let vectors = encode(&inputs, &encode_options)?;
        let ids: Vec<&str> = passages.iter().map(|passage| passage.id).collect();
        writer.push(&ids, &vectors)?;
    }
    Ok(writer.finish(&options.metadata)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::{Passage, PassageStoreWriter};
    use dense::FlatIndex;

    #[test]
    fn every_passage_has_the_vector_of_its_title_and_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, output) = (folder.path().join("passages.store"), folder.path().join("index"));
        let mut writer = PassageStoreWriter::create(&path).expect("writable");
        // Enough passages for two calls of the encoder.
        let count = PASSAGES_PER_CALL + 7;
        for number in 0..count {
            let title = (number % 2 == 0).then(|| "titled".to_owned());
            writer.push(&Passage { id: format!("p{number}"), title, text: number.to_string() }).expect("new");
        }
        writer.finish(Value::Null).expect("writable");
        let store = PassageStore::open(&path).expect("sound");

        let options = EncodeStoreOptions {
            batch_tokens: 512,
            storage: Storage::F32,
            metadata: serde_json::json!({ "model": "a function" }),
        };
        let writer =
            FlatWriter::with_storage(&output, 2, Similarity::Dot, options.storage).expect("writable");
        let encode = |inputs: &[EncoderInput<'_>], options: &EncodeOptions| -> Result<Vec<f32>, Error> {
            assert_eq!((options.batch_tokens, options.first_input % PASSAGES_PER_CALL as usize), (512, 0));
            assert_eq!(inputs[0].text, options.first_input.to_string());
            // The first number is 1 if there is a title, otherwise 0. The second is the text, which is a number.
            let vector = |input: &EncoderInput<'_>| {
                [f32::from(u8::from(input.title.is_some())), input.text.parse().expect("a number")]
            };
            Ok(inputs.iter().flat_map(vector).collect())
        };
        let control = Control::new();
        write_vectors(&store, writer, &options, &control, encode).expect("a store of texts");

        let index = FlatIndex::open(&output).expect("intact");
        assert_eq!((index.len(), index.metadata()), (count as usize, &options.metadata));
        assert_eq!(control.total(), u64::from(count));
        for ord in [0, 1, PASSAGES_PER_CALL, count - 1] {
            assert_eq!(index.id(ord), format!("p{ord}"));
            assert_eq!(*index.vector(ord), [f32::from(u8::from(ord % 2 == 0)), ord as f32]);
        }
    }
}
