//! [`Gradients`]: the gradients of all parameters.

use crate::parameters::{Parameters, Shape};

/// The gradients of all parameters. Those of word embeddings are 0 except for the words of the batch, so only these
/// rows are read and cleared.
#[derive(Debug, Clone)]
pub(crate) struct Gradients {
    values: Parameters,
    dim: usize,
    /// The ids of the words whose rows may differ from 0.
    touched: Vec<u32>,
    is_touched: Vec<bool>,
}

impl Gradients {
    /// Returns zeros.
    pub fn zeros(shape: &Shape) -> Self {
        Self {
            values: Parameters::zeros(shape),
            dim: shape.dim,
            touched: Vec::new(),
            is_touched: vec![false; shape.words],
        }
    }

    /// The gradients of all parameters.
    pub fn values(&self) -> &Parameters {
        &self.values
    }

    /// The ids of the words whose gradients may differ from 0, in no particular order.
    pub fn touched(&self) -> &[u32] {
        &self.touched
    }

    /// The gradients of a word's embedding.
    pub fn word(&self, id: u32) -> &[f32] {
        &self.values.words[id as usize * self.dim..][..self.dim]
    }

    /// The gradients of a word's embedding, for adding to them.
    pub fn word_mut(&mut self, id: u32) -> &mut [f32] {
        if !std::mem::replace(&mut self.is_touched[id as usize], true) {
            self.touched.push(id);
        }
        &mut self.values.words[id as usize * self.dim..][..self.dim]
    }

    /// The gradients of all other parameters.
    pub fn others(&self) -> &[f32] {
        &self.values.others
    }

    /// The gradients of all other parameters, for adding to them.
    pub fn others_mut(&mut self) -> &mut [f32] {
        &mut self.values.others
    }

    /// Sets all gradients to 0.
    pub fn clear(&mut self) {
        for id in self.touched.drain(..) {
            self.is_touched[id as usize] = false;
            self.values.words[id as usize * self.dim..][..self.dim].fill(0.0);
        }
        self.values.others.fill(0.0);
    }

    /// Adds other gradients.
    pub fn add(&mut self, other: &Self) {
        for &id in other.touched() {
            add(self.word_mut(id), other.word(id));
        }
        add(&mut self.values.others, &other.values.others);
    }

    /// The sum of the squares of all gradients.
    pub fn squared_norm(&self) -> f64 {
        let mut ids = self.touched.clone();
        ids.sort_unstable();
        squared_norm(self.others()) + ids.iter().map(|&id| squared_norm(self.word(id))).sum::<f64>()
    }
}

/// Adds `addends` to `sums`.
pub(crate) fn add(sums: &mut [f32], addends: &[f32]) {
    sums.iter_mut().zip(addends).for_each(|(sum, addend)| *sum += addend);
}

fn squared_norm(values: &[f32]) -> f64 {
    // Sums of 1,024 squares are added in `f64`, so that small gradients count among millions of others.
    let block = |values: &[f32]| {
        let mut lanes = [0f32; 16];
        for (at, value) in values.iter().enumerate() {
            lanes[at % 16] += value * value;
        }
        lanes.iter().map(|&lane| f64::from(lane)).sum::<f64>()
    };
    values.chunks(1024).map(block).sum()
}
