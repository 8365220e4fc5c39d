//! Checkpoints: files from which training resumes with bit-identical results.

use std::path::Path;

use serde_json::{Value, json};
use storage::{File, FileKind, Writer};

use crate::Error;
use crate::engine::Engine;
use crate::parameters::{Parameters, Shape};

const KIND: FileKind = FileKind { magic: *b"PKTRAIN\0", version: 1, name: "training checkpoint" };

/// Number of floats that are converted to bytes at a time.
const CHUNK: usize = 1 << 16;

/// Writes the parameters and the states of the optimizers. `progress` is stored with them.
pub(crate) fn save(engine: &Engine, path: &Path, progress: &str) -> Result<(), Error> {
    let mut file = Writer::create(path, KIND)?;
    let mut models = Vec::new();
    for (number, model) in engine.models.iter().enumerate() {
        let state = model.optimizer.state();
        write_parameters(&mut file, &format!("{number}/parameters"), &model.parameters)?;
        write_parameters(&mut file, &format!("{number}/first_moments"), state.first_moments)?;
        write_parameters(&mut file, &format!("{number}/second_moments"), state.second_moments)?;
        let is_active: Vec<u8> = state.is_active.iter().map(|is_active| u8::from(*is_active)).collect();
        file.section(&format!("{number}/words"), &is_active)?;
        models.push(json!({
            "shape": describe(model.network.shape()),
            "step": state.step,
            // The bits, because they must not be rounded.
            "pendingDecay": state.pending_decay.to_bits(),
        }));
    }
    file.finish(json!({ "step": engine.step, "models": models, "progress": progress }))?;
    Ok(())
}

/// Restores what [`save`] wrote. Returns the progress. The engine is unchanged if this fails.
pub(crate) fn load(engine: &mut Engine, path: &Path) -> Result<String, Error> {
    let file = File::open(path, KIND)?;
    file.verify()?;
    let metadata = file.metadata();
    let damaged = |what: &str| storage::Error::corrupt(path, format!("the {what} of a checkpoint"), "none");
    let models = metadata["models"].as_array().ok_or_else(|| damaged("models"))?;
    if models.len() != engine.models.len() {
        let expected = format!("{} models", engine.models.len());
        return Err(Error::Checkpoint { expected, got: models.len().to_string() });
    }
    let number = |value: &Value, what| value.as_u64().ok_or_else(|| damaged(what));
    let mut states = Vec::new();
    for (at, (stored, model)) in models.iter().zip(&engine.models).enumerate() {
        let expected = describe(model.network.shape());
        if stored["shape"].as_str() != Some(&expected) {
            return Err(Error::Checkpoint {
                expected,
                got: stored["shape"].as_str().unwrap_or("").to_owned(),
            });
        }
        let (step, decay) = (number(&stored["step"], "step")?, number(&stored["pendingDecay"], "decay")?);
        let words = file.section(&format!("{at}/words"))?;
        if words.len() != model.network.shape().words {
            return Err(damaged("words").into());
        }
        states.push((
            step,
            f64::from_bits(decay),
            words.iter().map(|&byte| byte != 0).collect::<Vec<bool>>(),
        ));
        // Everything is read once before anything is changed.
        for part in ["parameters", "first_moments", "second_moments"] {
            check_parameters(&file, path, &format!("{at}/{part}"), &model.parameters)?;
        }
    }
    let step = number(&metadata["step"], "step")?;
    let progress = metadata["progress"].as_str().ok_or_else(|| damaged("progress"))?.to_owned();
    for (at, (model, (step, decay, is_active))) in engine.models.iter_mut().zip(states).enumerate() {
        read_parameters(&file, &format!("{at}/parameters"), &mut model.parameters)?;
        for (part, moments) in
            ["first_moments", "second_moments"].into_iter().zip(model.optimizer.moments_mut())
        {
            read_parameters(&file, &format!("{at}/{part}"), moments)?;
        }
        model.optimizer.restore(step, decay, is_active);
    }
    engine.step = step;
    Ok(progress)
}

/// The sizes of a model, as they are stored and compared.
fn describe(shape: &Shape) -> String {
    let Shape { words, positions, first_position, types, has_type_input, .. } = shape;
    let Shape { dim, heads, intermediate, layers, epsilon, is_reader, .. } = shape;
    let biases = if shape.has_relative_position_biases { ", relative position biases" } else { "" };
    format!(
        "a model of {layers} layers, {dim} dimensions, {heads} heads, {intermediate} intermediate dimensions, {words} \
         words, {positions} positions from {first_position} on, {types} token types (input: {has_type_input}){biases}, \
         epsilon {epsilon:e}, reader: {is_reader}"
    )
}

fn write_parameters(file: &mut Writer, name: &str, parameters: &Parameters) -> Result<(), Error> {
    for (part, values) in [("words", &parameters.words), ("others", &parameters.others)] {
        file.begin(&format!("{name}/{part}"))?;
        for chunk in values.chunks(CHUNK) {
            let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
            file.append(&bytes)?;
        }
    }
    Ok(())
}

fn check_parameters(file: &File, path: &Path, name: &str, like: &Parameters) -> Result<(), Error> {
    for (part, values) in [("words", &like.words), ("others", &like.others)] {
        let (expected, got) =
            (values.len() * size_of::<f32>(), file.section(&format!("{name}/{part}"))?.len());
        if got != expected {
            let error = storage::Error::corrupt(path, format!("{expected} bytes in {name}"), got.to_string());
            return Err(error.into());
        }
    }
    Ok(())
}

fn read_parameters(file: &File, name: &str, into: &mut Parameters) -> Result<(), Error> {
    for (part, values) in [("words", &mut into.words), ("others", &mut into.others)] {
        let bytes = file.section(&format!("{name}/{part}"))?;
        for (value, bytes) in values.iter_mut().zip(bytes.as_chunks().0) {
            *value = f32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}
