//! [`Candidates`]: which passages of a batch a question is compared with.

/// The passages of a batch that each question is compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidates {
    passages: usize,
    /// The positive passage of each question.
    positives: Vec<u32>,
    /// Whether passage p is a candidate of question q, at q · passages + p.
    is_candidate: Vec<bool>,
}

impl Candidates {
    /// Makes all passages candidates of all questions: in-batch negatives (Karpukhin et al., 2020, §3.2).
    ///
    /// # Panics
    ///
    /// If a positive passage is not one of the passages.
    #[must_use]
    pub fn all(passages: usize, positives: &[u32]) -> Self {
        let is_candidate = vec![true; passages * positives.len()];
        Self::new(passages, positives, is_candidate)
    }

    /// Makes only some passages candidates of each question. A positive passage is always one.
    ///
    /// # Panics
    ///
    /// If a passage is not one of the passages, or if the numbers of questions differ.
    #[must_use]
    pub fn some(passages: usize, positives: &[u32], candidates: &[Vec<u32>]) -> Self {
        assert!(candidates.len() == positives.len(), "candidates: expected {} lists", positives.len());
        let mut is_candidate = vec![false; passages * positives.len()];
        for (question, candidates) in candidates.iter().enumerate() {
            for &passage in candidates {
                assert!((passage as usize) < passages, "candidates: expected passages below {passages}");
                is_candidate[question * passages + passage as usize] = true;
            }
        }
        Self::new(passages, positives, is_candidate)
    }

    fn new(passages: usize, positives: &[u32], mut is_candidate: Vec<bool>) -> Self {
        for (question, &positive) in positives.iter().enumerate() {
            assert!((positive as usize) < passages, "positives: expected passages below {passages}");
            is_candidate[question * passages + positive as usize] = true;
        }
        Self { passages, positives: positives.to_vec(), is_candidate }
    }

    /// Removes a passage from the candidates of a question, unless it is the positive passage: it may be a positive
    /// passage that nobody has judged.
    ///
    /// # Panics
    ///
    /// If there is no such question or passage.
    pub fn exclude(&mut self, question: usize, passage: usize) {
        assert!(passage < self.passages, "candidates: expected a passage below {}", self.passages);
        if self.positives[question] as usize != passage {
            self.is_candidate[question * self.passages + passage] = false;
        }
    }

    /// Number of questions.
    #[must_use]
    pub fn questions(&self) -> usize {
        self.positives.len()
    }

    /// Number of passages.
    #[must_use]
    pub fn passages(&self) -> usize {
        self.passages
    }

    /// The positive passage of a question.
    pub(super) fn positive(&self, question: usize) -> usize {
        self.positives[question] as usize
    }

    /// Whether each passage is a candidate of a question.
    pub(super) fn of(&self, question: usize) -> &[bool] {
        &self.is_candidate[question * self.passages..][..self.passages]
    }

    /// Checks the number of scores.
    pub(super) fn check(&self, scores: &[f32]) {
        let expected = self.is_candidate.len();
        assert!(scores.len() == expected, "scores: expected {expected}, got {}", scores.len());
    }

    /// Number of questions whose positive passage has a higher score than all other candidates.
    #[must_use]
    pub fn count_correct(&self, scores: &[f32]) -> usize {
        self.check(scores);
        let is_correct = |question: &usize| {
            let scores = &scores[question * self.passages..][..self.passages];
            let positive = self.positive(*question);
            let mut others = scores.iter().zip(self.of(*question)).enumerate();
            others.all(|(at, (score, is_candidate))| {
                at == positive || !is_candidate || *score < scores[positive]
            })
        };
        (0..self.questions()).filter(is_correct).count()
    }
}
