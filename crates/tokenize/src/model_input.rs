//! Joins texts and special tokens to the input of a model.

/// Input of a model for one text or several, including special tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelInput {
    /// Vocabulary ids.
    pub ids: Vec<u32>,
    /// Number of tokens with type id 0: those up to the first `[SEP]`, inclusive. The others have type id 1.
    pub first_type: usize,
}

/// The special tokens of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpecialTokens {
    pub start: u32,
    pub separator: u32,
    pub padding: u32,
    /// Number of separators between two texts: one for BERT, two for RoBERTa and MPNet.
    pub separator_count: usize,
}

impl SpecialTokens {
    /// Returns `[CLS] a [SEP]` for one text, `[CLS] a [SEP] b … [SEP]` for several.
    pub fn input(self, texts: &[&[u32]]) -> ModelInput {
        let length = texts.iter().map(|ids| ids.len() + self.separator_count).sum::<usize>() + 2;
        let mut ids = Vec::with_capacity(length);
        ids.push(self.start);
        let mut first_type = 0;
        for (i, text) in texts.iter().enumerate() {
            if i > 1 || (i == 1 && self.separator_count > 1) {
                ids.extend(std::iter::repeat_n(self.separator, self.separator_count - 1));
            }
            ids.extend_from_slice(text);
            ids.push(self.separator);
            if i == 0 {
                first_type = ids.len();
            }
        }
        ModelInput { ids, first_type }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_as_bert_and_roberta_expect_them() {
        let bert = SpecialTokens { start: 101, separator: 102, padding: 0, separator_count: 1 };
        assert_eq!(bert.input(&[&[7]]), ModelInput { ids: vec![101, 7, 102], first_type: 3 });
        let pair = bert.input(&[&[7, 8], &[9]]);
        assert_eq!(pair, ModelInput { ids: vec![101, 7, 8, 102, 9, 102], first_type: 4 });
        let three = bert.input(&[&[7], &[8], &[9]]);
        assert_eq!(three, ModelInput { ids: vec![101, 7, 102, 8, 102, 9, 102], first_type: 3 });
        let roberta = SpecialTokens { start: 0, separator: 2, padding: 1, separator_count: 2 };
        assert_eq!(roberta.input(&[&[7], &[8]]).ids, [0, 7, 2, 2, 8, 2]);
    }
}
