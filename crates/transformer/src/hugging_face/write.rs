//! Writes a model: [`write()`].

use std::io::Write;
use std::path::Path;

use kernels::half::{HalfFormat, HalfKernels};
use serde_json::{Map, Value, json};
use storage::{Output, never, rename_both};

use super::requirements::{self, Heads};
use super::tensors::{Tensor, tensors};
use super::{CONFIG_FILE, Config, Error, MODEL_FILE};
use crate::weights::Weights;

/// The type of the numbers in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FloatFormat {
    /// 32-bit floats, which keep all bits of the weights.
    #[default]
    F32,
    /// 16-bit floats, which take half as much space. Weights are rounded to the nearest number, and their absolute
    /// values must be less than 65,520.
    F16,
}

/// Writes the weights of a model to `config.json` and `model.safetensors` in a folder, which is created if it is
/// missing. The files are replaced atomically, one after the other.
///
/// `transformers` loads an encoder with the class of the architecture, such as `BertModel.from_pretrained(folder)`. It
/// loads a reader with `BertForQuestionAnswering` and the like, which ignores the head for the relevance. Poolers are
/// not written, so `transformers` initializes them with random numbers unless `add_pooling_layer` is false.
///
/// With [`FloatFormat::F32`], [`read`](super::read) returns the same weights, bit for bit, with two exceptions: the
/// scale of the attention is that of the architecture, 1 / √(dimension of a head), from which weights of ONNX files may
/// differ in the last bit; and an output with the name `relevance_logits` becomes
/// [`RELEVANCE_OUTPUT`](super::RELEVANCE_OUTPUT).
///
/// The architecture of `config` must match the weights. DistilBERT and MPNet have no token types, and DistilBERT has an
/// epsilon of 10⁻¹². BERT and RoBERTa have one token type if there is no input `token_type_ids`, and several otherwise.
/// The first position is 0 for BERT and DistilBERT, 2 for MPNet, and at least 1 for RoBERTa. Only MPNet has relative
/// position biases. Weights without token types are not written as BERT with a row of zeros: the sum with a zero changes
/// the sign of −0, and the weights that are read back would have a table.
///
/// # Errors
///
/// [`Error::Unwritable`] if the format cannot represent the weights: those of a quantized model, numbers that are not
/// finite or too large for [`FloatFormat::F16`], outputs other than those that `read` returns, and weights that do not
/// match the architecture; [`Error::Weights`] if the sizes of the weights do not fit together; [`Error::Storage`] if a
/// file cannot be written. The old files stay unchanged.
pub fn write(folder: &Path, weights: &Weights, config: &Config, format: FloatFormat) -> Result<(), Error> {
    let architecture = config.architecture();
    let sizes = requirements::sizes(weights, architecture)?;
    let heads = Heads::of(&weights.outputs)?;
    let tensors = tensors(weights, architecture, heads)?;
    let mut config = config.clone();
    config.set_sizes(&sizes);
    let class = match heads {
        Heads::Encoder => architecture.encoder_class(),
        Heads::Reader { .. } => architecture.reader_class(),
    };
    config.set("architectures", vec![class]);
    // Recent versions of `transformers` call this entry `dtype`, and read both.
    config.remove("dtype");
    config.set("torch_dtype", if format == FloatFormat::F16 { "float16" } else { "float32" });

    std::fs::create_dir_all(folder).map_err(storage::Error::io("create", folder))?;
    let (model_path, config_path) = (folder.join(MODEL_FILE), folder.join(CONFIG_FILE));
    let mut model_file = create(&model_path)?;
    write_tensors(&mut model_file, &model_path, &tensors, format)?;
    let mut config_file = create(&config_path)?;
    config_file.write_all(config.to_json().as_bytes()).map_err(storage::Error::io("write", &config_path))?;
    rename_both(model_file.complete()?, config_file.complete()?)?;
    Ok(())
}

/// Starts to replace a regular file.
fn create(path: &Path) -> Result<Output, storage::Error> {
    if path.exists() {
        storage::check_regular(path).map_err(storage::Error::io("write", path))?;
    }
    Output::create(path, never())
}

/// Writes a safetensors file.
fn write_tensors(
    file: &mut Output,
    path: &Path,
    tensors: &[Tensor<'_>],
    format: FloatFormat,
) -> Result<(), Error> {
    let header = header(tensors, format);
    let mut put = |bytes: &[u8]| file.write_all(bytes).map_err(storage::Error::io("write", path));
    put(&(header.len() as u64).to_le_bytes())?;
    put(&header)?;
    for tensor in tensors {
        let values = tensor.values()?;
        let bytes: Vec<u8> = match format {
            FloatFormat::F32 => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
            FloatFormat::F16 => {
                let mut halves = vec![0; values.len()];
                HalfKernels::detect().narrow(HalfFormat::F16, &values, &mut halves);
                if let Some(at) = halves.iter().position(|half| half & 0x7FFF == INFINITE_HALF) {
                    return Err(Error::unwritable(&tensor.name, "absolute values below 65520", values[at]));
                }
                halves.iter().flat_map(|half| half.to_le_bytes()).collect()
            }
        };
        put(&bytes)?;
    }
    Ok(())
}

/// The bits of infinity as a 16-bit float.
const INFINITE_HALF: u16 = 0x7C00;

/// The header of a safetensors file, in JSON. It is padded with spaces to a multiple of eight bytes, so that the
/// tensors are aligned in memory when the file is mapped.
fn header(tensors: &[Tensor<'_>], format: FloatFormat) -> Vec<u8> {
    let (dtype, width) = match format {
        FloatFormat::F32 => ("F32", 4),
        FloatFormat::F16 => ("F16", 2),
    };
    let mut entries = Map::new();
    // `transformers` refuses files that do not say which framework they are for.
    entries.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    let mut start = 0;
    for tensor in tensors {
        let end = start + tensor.len() * width;
        let entry = json!({"dtype": dtype, "shape": tensor.shape, "data_offsets": [start, end]});
        entries.insert(tensor.name.clone(), entry);
        start = end;
    }
    let mut json = Value::Object(entries).to_string().into_bytes();
    json.resize(json.len().next_multiple_of(8), b' ');
    json
}
