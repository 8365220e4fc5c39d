//! Reads heads from safetensors files. `tensor_names.rs` has the names that the tensors of a head have in different
//! model families.

mod tensor_names;

use std::path::Path;

use serde_json::Value;
use transformer::{TensorFile, TensorFileError};

use self::tensor_names::{FAMILIES, TensorNames};
use super::tensor::Tensor;
use super::{Activation, DEFAULT_EPSILON, Head};
use crate::Error;

/// A tensor with its name in the file, which error messages need.
struct NamedTensor {
    name: String,
    tensor: Tensor,
}

/// Reads the head in the file at `path`. `folder` is the folder of the model, whose `config.json` may state the
/// activation and the epsilon of the layer norm.
pub(crate) fn open(folder: &Path, path: &Path) -> Result<Head, Error> {
    let mut tensors = TensorFile::open(path).map_err(|error| failure(path, "", error))?;
    let names = tensors.names();
    let has_dense =
        |family: &&TensorNames| family.find(&format!("{}.weight", family.dense), &names).is_some();
    let Some(family) = FAMILIES.iter().find(has_dense) else {
        let families: Vec<String> =
            FAMILIES.iter().map(|family| format!("{}.weight ({})", family.dense, family.family)).collect();
        let expected = format!("a masked-language-model head with {}", families.join(", "));
        return Err(Error::format(path, expected, abbreviated(&names)));
    };
    let (activation, epsilon) = activation_and_epsilon(folder, family, &tensors)?;
    let mut read_first = |candidates: &[String]| {
        let Some(name) = candidates.iter().find_map(|name| family.find(name, &names)) else {
            let expected = format!("{} of a {} head", candidates.join(" or "), family.family);
            return Err(Error::format(path, expected, abbreviated(&names)));
        };
        let shape = tensors.shape(name).unwrap_or_default().to_vec();
        let values = tensors.read(name).map_err(|error| failure(path, name, error))?;
        Ok(NamedTensor { name: name.to_owned(), tensor: Tensor { shape, values } })
    };
    let dense = read_first(&[format!("{}.weight", family.dense)])?;
    let &[inner_dim, dim] = &dense.tensor.shape[..] else {
        let expected = format!("a tensor {} of shape [inner_dim, dim]", dense.name);
        return Err(Error::format(path, expected, format!("{:?}", dense.tensor.shape)));
    };
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    // Checkpoints converted from TensorFlow call the weight gamma and the bias beta.
    let norm_names = |suffixes: [&str; 2]| -> Vec<String> {
        let names = family.norms.iter();
        names.flat_map(|norm| suffixes.map(|suffix| format!("{norm}.{suffix}"))).collect()
    };
    let decoder = read_first(&owned(family.decoder))?;
    let vocabulary_size = decoder.tensor.shape.first().copied().unwrap_or(0);
    let with_shape = |NamedTensor { name, tensor }, shape: &[usize]| {
        if tensor.shape != shape || shape.contains(&0) {
            let expected = format!("a tensor {name} of shape {shape:?}");
            return Err(Error::format(path, expected, format!("{:?}", tensor.shape)));
        }
        Ok(tensor.values)
    };
    let bias = read_first(&owned(family.bias));
    let mut bias = bias.and_then(|bias| with_shape(bias, &[vocabulary_size]))?;
    // Adding 0 turns −0 into 0; see `Head::bias`.
    bias.iter_mut().for_each(|bias| *bias += 0.0);
    Ok(Head {
        dim,
        inner_dim,
        vocabulary_size,
        dense_weight: with_shape(dense, &[inner_dim, dim])?,
        dense_bias: with_shape(read_first(&[format!("{}.bias", family.dense)])?, &[inner_dim])?,
        activation,
        norm_weight: with_shape(read_first(&norm_names(["weight", "gamma"]))?, &[inner_dim])?,
        norm_bias: with_shape(read_first(&norm_names(["bias", "beta"]))?, &[inner_dim])?,
        norm_epsilon: epsilon,
        decoder: with_shape(decoder, &[vocabulary_size, inner_dim])?,
        bias,
    })
}

/// The error of a file, or of a tensor in it.
fn failure(path: &Path, name: &str, error: TensorFileError) -> Error {
    match error {
        TensorFileError::Io { operation, source } => Error::io(operation, path)(source),
        TensorFileError::Damaged(got) => Error::format(path, "a valid safetensors file", got),
        TensorFileError::Missing => Error::format(path, format!("a tensor \"{name}\""), "none"),
        TensorFileError::NotFloats(got) => {
            Error::format(path, format!("numbers of type F16, BF16 or F32 in tensor \"{name}\""), got)
        }
        TensorFileError::NotFinite { value, position } => {
            let expected = format!("finite numbers in tensor \"{name}\"");
            Error::format(path, expected, format!("{value} at position {position}"))
        }
    }
}

/// Returns the activation and the epsilon of the layer norm: each from `config.json`, or else from the metadata of the
/// safetensors file, or else the default. If the models of the family ignore the activation in `config.json`, it is
/// always the default, the exact GELU.
fn activation_and_epsilon(
    folder: &Path,
    family: &TensorNames,
    tensors: &TensorFile,
) -> Result<(Activation, f64), Error> {
    let path = folder.join("config.json");
    let config = match storage::check_regular(&path).and_then(|()| std::fs::read(&path)) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| Error::format(&path, "JSON", error.to_string()))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
        Err(error) => return Err(Error::io("open", &path)(error)),
    };
    let name = family.activation.map(|key| {
        let from_metadata = || tensors.metadata("activation").map_or(Value::Null, Value::from);
        (key, config.get(key).cloned().unwrap_or_else(from_metadata))
    });
    let activation = match name {
        None | Some((_, Value::Null)) => Activation::Gelu,
        Some((key, value)) => value.as_str().and_then(Activation::from_name).ok_or_else(|| {
            let expected = format!("{key} to be gelu, gelu_new, gelu_fast or gelu_pytorch_tanh");
            Error::format(folder, expected, value.to_string())
        })?,
    };
    let from_metadata = || tensors.metadata("layer_norm_eps").map_or(Value::Null, Value::from);
    let epsilon = match config.get("layer_norm_eps").cloned().unwrap_or_else(from_metadata) {
        Value::Null => DEFAULT_EPSILON,
        value => {
            let number = value.as_f64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
            let positive = number.filter(|epsilon| epsilon.is_finite() && *epsilon > 0.0);
            positive.ok_or_else(|| {
                Error::format(folder, "layer_norm_eps to be a number above 0", value.to_string())
            })?
        }
    };
    Ok((activation, epsilon))
}

/// Joins the first names of a list, for an error message. All names of a checkpoint would fill a page.
fn abbreviated(names: &[String]) -> String {
    const MAX_NAMES: usize = 12;
    let shown = names.iter().take(MAX_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_NAMES { format!("{shown} and {} more", names.len() - MAX_NAMES) } else { shown }
}
