//! Heads in safetensors files, by the names of their tensors.

mod tensor_names;
mod tensors;

use std::path::Path;

use serde_json::Value;

use self::tensor_names::{FAMILIES, TensorNames};
use self::tensors::Tensors;
use super::tensor::Tensor;
use super::{Activation, DEFAULT_EPSILON, Head};
use crate::Error;

/// Reads the head in the file at `path`; activation and epsilon are those of `config.json` in the folder.
pub(crate) fn open(folder: &Path, path: &Path) -> Result<Head, Error> {
    let mut tensors = Tensors::open(path)?;
    let names = tensors.names();
    let dense = |family: &&TensorNames| family.find(&format!("{}.weight", family.dense), &names).is_some();
    let Some(family) = FAMILIES.iter().find(dense) else {
        let families: Vec<String> =
            FAMILIES.iter().map(|family| format!("{}.weight ({})", family.dense, family.family)).collect();
        let expected = format!("a masked-language-model head with {}", families.join(", "));
        return Err(Error::format(path, expected, listed(&names)));
    };
    let (activation, epsilon) = settings(folder, family, &tensors)?;
    let mut part = |candidates: &[String]| {
        let Some(name) = candidates.iter().find_map(|name| family.find(name, &names)) else {
            let expected = format!("{} of a {} head", candidates.join(" or "), family.family);
            return Err(Error::format(path, expected, listed(&names)));
        };
        Ok((name.to_owned(), tensors.read(name)?))
    };
    let dense = part(&[format!("{}.weight", family.dense)])?;
    let &[inner, dim] = &dense.1.shape[..] else {
        let expected = format!("a tensor {} of shape [inner, dim]", dense.0);
        return Err(Error::format(path, expected, format!("{:?}", dense.1.shape)));
    };
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    // Those that were converted from TensorFlow call weight and bias gamma and beta.
    let norm = |ends: [&str; 2]| -> Vec<String> {
        let names = family.norms.iter();
        names.flat_map(|norm| ends.map(|end| format!("{norm}.{end}"))).collect()
    };
    let decoder = part(&owned(family.decoder))?;
    let vocabulary = decoder.1.shape.first().copied().unwrap_or(0);
    let sized = |(name, tensor): (String, Tensor), shape: &[usize]| {
        if tensor.shape != shape || shape.contains(&0) {
            let expected = format!("a tensor {name} of shape {shape:?}");
            return Err(Error::format(path, expected, format!("{:?}", tensor.shape)));
        }
        Ok(tensor.values)
    };
    let bias = part(&owned(family.bias));
    let mut bias = bias.and_then(|bias| sized(bias, &[vocabulary]))?;
    // No −0: a logit has the same bits then, whichever kernel made its product.
    bias.iter_mut().for_each(|bias| *bias += 0.0);
    Ok(Head {
        dim,
        inner,
        vocabulary,
        dense_weight: sized(dense, &[inner, dim])?,
        dense_bias: sized(part(&[format!("{}.bias", family.dense)])?, &[inner])?,
        activation,
        norm_weight: sized(part(&norm(["weight", "gamma"]))?, &[inner])?,
        norm_bias: sized(part(&norm(["bias", "beta"]))?, &[inner])?,
        norm_epsilon: epsilon,
        decoder: sized(decoder, &[vocabulary, inner])?,
        bias,
    })
}

/// The activation, and what is added to a variance.
fn settings(folder: &Path, family: &TensorNames, tensors: &Tensors) -> Result<(Activation, f64), Error> {
    let path = folder.join("config.json");
    let config = match storage::check_regular(&path).and_then(|()| std::fs::read(&path)) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| Error::format(&path, "JSON", error.to_string()))?
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Value::Null,
        Err(error) => return Err(Error::io("open", &path)(error)),
    };
    let name = family.activation.map(|key| {
        let note = || tensors.note("activation").map_or(Value::Null, Value::from);
        (key, config.get(key).cloned().unwrap_or_else(note))
    });
    let activation = match name {
        None | Some((_, Value::Null)) => Activation::Gelu,
        Some((key, value)) => value.as_str().and_then(Activation::named).ok_or_else(|| {
            let expected = format!("{key} to be gelu, gelu_new, gelu_fast or gelu_pytorch_tanh");
            Error::format(folder, expected, value.to_string())
        })?,
    };
    let note = || tensors.note("layer_norm_eps").map_or(Value::Null, Value::from);
    let epsilon = match config.get("layer_norm_eps").cloned().unwrap_or_else(note) {
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

/// TensorNames for a message: those of a whole checkpoint would fill a page.
fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let shown = names.iter().take(MOST).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > MOST { format!("{shown} and {} more", names.len() - MOST) } else { shown }
}
