//! Reads the weights of a model: [`read`].

use kernels::matrix::transpose;
use std::path::Path;

use super::architecture::{
    EMBEDDINGS_NORM, LayerNames, POSITIONS, RELATIVE_POSITION_BIASES, RELEVANCE_HEAD, SPAN_HEAD, TYPES, WORDS,
};
use super::checkpoint::Checkpoint;
use super::sizes::Sizes;
use super::{
    CONFIG_FILE, Config, END_OUTPUT, Error, HIDDEN_STATES_OUTPUT, MODEL_FILE, RELEVANCE_OUTPUT, START_OUTPUT,
};
use crate::check;
use crate::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, Output, RelativePositionBiases, Table, TableValues,
    Weights,
};

/// Reads the weights of the model in a folder, from `config.json` and `model.safetensors`.
///
/// The names of the tensors may begin with `bert.`, `roberta.`, `distilbert.` or `mpnet.`, according to the architecture.
/// The outputs are [`START_OUTPUT`], [`END_OUTPUT`] and [`RELEVANCE_OUTPUT`] if the model is DPR's reader, the first two
/// if it is another reader, and [`HIDDEN_STATES_OUTPUT`] if it is an encoder.
///
/// A model with a single token type does not have the input `token_type_ids`.
///
/// # Errors
///
/// [`Error::Storage`] if a file cannot be read; [`Error::Malformed`] if a file is damaged, or if a tensor is missing or
/// has another shape than the configuration says; [`Error::Unsupported`] if the model has another architecture, another
/// activation function than GELU (computed with erf), or positions that are not absolute; [`Error::Weights`] if the
/// kernels do not support the sizes of the model.
pub fn read(folder: &Path) -> Result<Weights, Error> {
    let config = Config::read(folder)?;
    let sizes = config.sizes(&folder.join(CONFIG_FILE))?;
    let checkpoint = Checkpoint::open(&folder.join(MODEL_FILE))?;
    let architecture = config.architecture();
    let with_prefix = format!("{}{WORDS}", architecture.prefix());
    let prefix = if checkpoint.has(&with_prefix) { architecture.prefix() } else { "" };
    let mut reader = Reader { checkpoint, sizes };
    let embeddings = reader.embeddings(prefix)?;
    // The number of layers is not trusted: memory is allocated for layers that the file has.
    let mut layers = Vec::new();
    for number in 0..sizes.layers {
        layers.push(reader.layer(prefix, number, architecture.layer_names())?);
    }
    let relative_position_biases = match architecture.has_relative_position_biases() {
        true => Some(reader.relative_position_biases(prefix)?),
        false => None,
    };
    let weights = Weights { embeddings, relative_position_biases, layers, outputs: reader.outputs()? };
    check::check(&weights)?;
    Ok(weights)
}

/// A file with the tensors of a model of certain sizes.
struct Reader {
    checkpoint: Checkpoint,
    sizes: Sizes,
}

impl Reader {
    fn embeddings(&mut self, prefix: &str) -> Result<Embeddings, Error> {
        let sizes = self.sizes;
        let types = match sizes.types {
            Some(types) => Some(self.table(&format!("{prefix}{TYPES}"), types)?),
            None => None,
        };
        Ok(Embeddings {
            words: self.table(&format!("{prefix}{WORDS}"), sizes.words)?,
            positions: self.table(&format!("{prefix}{POSITIONS}"), sizes.positions)?,
            first_position: sizes.first_position,
            has_type_input: sizes.types.is_some_and(|types| types > 1),
            types,
            norm: self.norm(&format!("{prefix}{EMBEDDINGS_NORM}"))?,
        })
    }

    fn relative_position_biases(&mut self, prefix: &str) -> Result<RelativePositionBiases, Error> {
        let heads = self.sizes.heads;
        let shape = [RelativePositionBiases::BUCKETS, heads];
        let values = self.checkpoint.read(&format!("{prefix}{RELATIVE_POSITION_BIASES}"), &shape)?;
        Ok(RelativePositionBiases { heads, values })
    }

    fn layer(&mut self, prefix: &str, number: usize, names: &LayerNames) -> Result<Layer, Error> {
        let Sizes { dim, intermediate, .. } = self.sizes;
        let name = |module: &str| format!("{prefix}{}.{number}.{module}", names.layers);
        Ok(Layer {
            query: self.linear(&name(names.query), dim, dim)?,
            key: self.linear(&name(names.key), dim, dim)?,
            value: self.linear(&name(names.value), dim, dim)?,
            heads: self.sizes.heads,
            scale: self.sizes.attention_scale(),
            attention_output: self.linear(&name(names.attention_output), dim, dim)?,
            attention_norm: self.norm(&name(names.attention_norm))?,
            intermediate: self.linear(&name(names.intermediate), dim, intermediate)?,
            output: self.linear(&name(names.output), intermediate, dim)?,
            output_norm: self.norm(&name(names.output_norm))?,
        })
    }

    fn outputs(&mut self) -> Result<Vec<Output>, Error> {
        let output = |name: &str, head| Output { name: name.to_owned(), head };
        let has_head = |checkpoint: &Checkpoint, module: &str| checkpoint.has(&format!("{module}.weight"));
        if !has_head(&self.checkpoint, SPAN_HEAD) {
            return Ok(vec![output(HIDDEN_STATES_OUTPUT, Head::HiddenStates)]);
        }
        let span = self.linear(SPAN_HEAD, self.sizes.dim, 2)?;
        let mut outputs = vec![
            output(START_OUTPUT, Head::TokenLogits { linear: span.clone(), column: 0 }),
            output(END_OUTPUT, Head::TokenLogits { linear: span, column: 1 }),
        ];
        if has_head(&self.checkpoint, RELEVANCE_HEAD) {
            let linear = self.linear(RELEVANCE_HEAD, self.sizes.dim, 1)?;
            outputs.push(output(RELEVANCE_OUTPUT, Head::FirstTokenLogits { linear, column: 0 }));
        }
        Ok(outputs)
    }

    fn table(&mut self, name: &str, rows: usize) -> Result<Table, Error> {
        let dim = self.sizes.dim;
        let values = self.checkpoint.read(name, &[rows, dim])?;
        Ok(Table { rows, dim, values: TableValues::F32(values) })
    }

    fn linear(&mut self, module: &str, inputs: usize, outputs: usize) -> Result<Linear, Error> {
        let values = self.checkpoint.read(&format!("{module}.weight"), &[outputs, inputs])?;
        let bias = self.checkpoint.read(&format!("{module}.bias"), &[outputs])?;
        Ok(Linear { inputs, outputs, weights: Matrix::F32(transpose(&values, outputs, inputs)), bias })
    }

    fn norm(&mut self, module: &str) -> Result<Norm, Error> {
        let shape = [self.sizes.dim];
        // Checkpoints that were converted from TensorFlow, such as those of the first BERT models, have the names
        // `gamma` and `beta`.
        let gamma = format!("{module}.gamma");
        let (weight, bias) =
            if self.checkpoint.has(&gamma) { (gamma, "beta") } else { (format!("{module}.weight"), "bias") };
        Ok(Norm {
            weight: self.checkpoint.read(&weight, &shape)?,
            bias: self.checkpoint.read(&format!("{module}.{bias}"), &shape)?,
            epsilon: self.sizes.epsilon,
        })
    }
}
