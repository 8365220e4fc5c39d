//! The loss of a reader.

/// The answer spans of a passage of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassageSpans {
    /// Number of tokens of the passage's text, question and special tokens included.
    pub tokens: usize,
    /// The tokens that can be the start or the end of an answer: those of the passage.
    pub text_tokens: std::ops::Range<usize>,
    /// The first and the last token of each correct span. Only the positive passage has some.
    pub spans: Vec<(usize, usize)>,
}

/// Returns the loss of a question (Karpukhin et al., 2020, §6.1): the negative log likelihood of the positive passage
/// among all passages, and of all its correct spans together, −log Σ P_start(s) · P_end(t). The first passage is the
/// positive one.
///
/// Replaces the logits, `spans` of all passages' tokens, `[tokens, 2]`, and `relevance`, one for each passage, by their
/// gradients times `weight`. The probabilities P_start and P_end are those of the tokens of the positive passage, as in
/// equations 3 and 4. Without any span, only the relevance counts.
///
/// # Panics
///
/// If there is no passage, if the numbers of logits are wrong, or if a span is not within the text tokens.
pub fn reader_loss(passages: &[PassageSpans], spans: &mut [f32], relevance: &mut [f32], weight: f32) -> f32 {
    let tokens: usize = passages.iter().map(|passage| passage.tokens).sum();
    assert!(spans.len() == 2 * tokens, "logits: expected {}, got {}", 2 * tokens, spans.len());
    assert!(
        !passages.is_empty() && relevance.len() == passages.len(),
        "expected a relevance logit per passage"
    );
    let weight = f64::from(weight);
    let log_probabilities = log_softmax(relevance.iter().map(|logit| f64::from(*logit)));
    let mut loss = -log_probabilities[0];
    for (at, (logit, log)) in relevance.iter_mut().zip(&log_probabilities).enumerate() {
        *logit = (weight * (log.exp() - f64::from(u8::from(at == 0)))) as f32;
    }

    let positive = &passages[0];
    let range = positive.text_tokens.clone();
    let log_of = |column: usize| log_softmax(range.clone().map(|token| f64::from(spans[2 * token + column])));
    let (starts, ends) = (log_of(0), log_of(1));
    spans.fill(0.0);
    if positive.spans.is_empty() {
        return (weight * loss) as f32;
    }
    let logs: Vec<f64> = positive
        .spans
        .iter()
        .map(|&(start, end)| starts[start - range.start] + ends[end - range.start])
        .collect();
    let max = logs.iter().copied().fold(f64::MIN, f64::max);
    let sum: f64 = logs.iter().map(|log| (log - max).exp()).sum();
    loss -= max + sum.ln();
    // The gradient of −log Σ e^l is −Σ r · (gradient of l), where r is the share of a span.
    for (token, (start, end)) in range.clone().zip(starts.iter().zip(&ends)) {
        spans[2 * token] = (weight * start.exp()) as f32;
        spans[2 * token + 1] = (weight * end.exp()) as f32;
    }
    for (&(start, end), log) in positive.spans.iter().zip(&logs) {
        let share = weight * (log - max).exp() / sum;
        spans[2 * start] -= share as f32;
        spans[2 * end + 1] -= share as f32;
    }
    (weight * loss) as f32
}

fn log_softmax(logits: impl Iterator<Item = f64> + Clone) -> Vec<f64> {
    let max = logits.clone().fold(f64::MIN, f64::max);
    let sum: f64 = logits.clone().map(|logit| (logit - max).exp()).sum();
    logits.map(|logit| logit - max - sum.ln()).collect()
}
