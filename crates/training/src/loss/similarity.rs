//! [`Similarity`]: the similarity of vectors, and its gradient.

use kernels::matrix::{Matrix, multiply};

/// How the vectors of a question and a passage are compared. For the cosine, vectors are [normalized](l2_normalize)
/// first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// The inner product.
    Dot,
    /// The negative Euclidean distance (Karpukhin et al., 2020, appendix B).
    Euclidean,
}

impl Similarity {
    /// Computes `scale` times the similarity of each question with each passage, `[questions, passages]`. The vectors
    /// are rows of `dim` values.
    #[must_use]
    pub fn forward(self, questions: &[f32], passages: &[f32], dim: usize, scale: f32) -> Vec<f32> {
        let (rows, columns) = (questions.len() / dim, passages.len() / dim);
        let mut similarities = vec![0.0; rows * columns];
        let (q, p) = (Matrix::new(questions, rows, dim), Matrix::new(passages, columns, dim));
        multiply(q, p.transposed(), &mut similarities, columns, false);
        match self {
            Self::Dot => similarities.iter_mut().for_each(|value| *value *= scale),
            Self::Euclidean => {
                let (q, p) = (squared_norms(questions, dim), squared_norms(passages, dim));
                for (row, q) in similarities.chunks_exact_mut(columns.max(1)).zip(q) {
                    for (value, p) in row.iter_mut().zip(&p) {
                        *value = -scale * (q + p - 2.0 * *value).max(0.0).sqrt();
                    }
                }
            }
        }
        similarities
    }

    /// Computes the gradients of the vectors of questions and passages from `gradients`, those of the similarities.
    /// `similarities` are those that [`forward`](Self::forward) returned.
    #[must_use]
    pub fn backward(
        self,
        questions: &[f32],
        passages: &[f32],
        dim: usize,
        scale: f32,
        similarities: &[f32],
        gradients: &[f32],
    ) -> (Vec<f32>, Vec<f32>) {
        let (rows, columns) = (questions.len() / dim, passages.len() / dim);
        let mut of_questions = vec![0.0; questions.len()];
        let mut of_passages = vec![0.0; passages.len()];
        // The gradient of an inner product with respect to one vector is the other vector. That of −‖q − p‖ with
        // respect to q is (p − q) / ‖q − p‖: the same product, less a multiple of q.
        let factors: Vec<f32> = match self {
            Self::Dot => gradients.iter().map(|gradient| gradient * scale).collect(),
            Self::Euclidean => {
                let factor = |(similarity, gradient): (&f32, &f32)| {
                    let distance = -similarity / scale;
                    if distance > 0.0 { gradient * scale / distance } else { 0.0 }
                };
                similarities.iter().zip(gradients).map(factor).collect()
            }
        };
        let (q, p) = (Matrix::new(questions, rows, dim), Matrix::new(passages, columns, dim));
        let matrix = Matrix::new(&factors, rows, columns);
        multiply(matrix, p, &mut of_questions, dim, false);
        multiply(matrix.transposed(), q, &mut of_passages, dim, false);
        if self == Self::Euclidean {
            for (row, factors) in factors.chunks_exact(columns.max(1)).enumerate() {
                for (column, factor) in factors.iter().enumerate() {
                    let (q, p) = (row * dim..(row + 1) * dim, column * dim..(column + 1) * dim);
                    subtract(&mut of_questions[q.clone()], *factor, &questions[q]);
                    subtract(&mut of_passages[p.clone()], *factor, &passages[p]);
                }
            }
        }
        (of_questions, of_passages)
    }
}

fn subtract(sums: &mut [f32], factor: f32, vector: &[f32]) {
    sums.iter_mut().zip(vector).for_each(|(sum, value)| *sum -= factor * value);
}

fn squared_norms(vectors: &[f32], dim: usize) -> Vec<f32> {
    vectors.chunks_exact(dim).map(|vector| vector.iter().map(|value| value * value).sum()).collect()
}

/// Divides vectors by their Euclidean norms, which are returned. A vector of zeros stays as it is.
pub fn l2_normalize(vectors: &mut [f32], dim: usize) -> Vec<f32> {
    let norms: Vec<f32> =
        squared_norms(vectors, dim).into_iter().map(|norm| norm.sqrt().max(1e-12)).collect();
    for (vector, norm) in vectors.chunks_exact_mut(dim).zip(&norms) {
        vector.iter_mut().for_each(|value| *value /= norm);
    }
    norms
}

/// Replaces the gradients of normalized vectors v by those of the vectors before: (g − (g · v) v) / norm.
pub fn l2_normalize_backward(normalized: &[f32], norms: &[f32], gradients: &mut [f32], dim: usize) {
    let vectors = normalized.chunks_exact(dim).zip(norms);
    for (gradient, (vector, norm)) in gradients.chunks_exact_mut(dim).zip(vectors) {
        let along: f32 = gradient.iter().zip(vector).map(|(gradient, value)| gradient * value).sum();
        gradient
            .iter_mut()
            .zip(vector)
            .for_each(|(gradient, value)| *gradient = (*gradient - along * value) / norm);
    }
}
