//! Joins texts and special tokens into the input of a model.

/// The input of a model for one or more texts, including special tokens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelInput {
    /// Vocabulary ids.
    pub ids: Vec<u32>,
    /// Number of tokens with the token type id 0; the tokens after them have the token type id 1.
    /// [`SpecialTokens::input`] counts the tokens up to and including the first `[SEP]`. For models without type 1,
    /// callers set this to the number of all tokens.
    pub type_0_count: usize,
}

/// The special tokens of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpecialTokens {
    pub start: u32,
    pub separator: u32,
    pub padding: u32,
    /// Number of separators between adjacent texts: one for BERT, two for RoBERTa and MPNet.
    pub separator_count: usize,
}

impl SpecialTokens {
    /// Returns `[CLS] a [SEP]` for one text, and `[CLS] a [SEP] b … [SEP]` for several texts, with `separator_count`
    /// separators between adjacent texts.
    pub fn input(self, texts: &[&[u32]]) -> ModelInput {
        // An upper bound on the number of ids.
        let capacity = texts.iter().map(|ids| ids.len() + self.separator_count).sum::<usize>() + 2;
        let mut ids = Vec::with_capacity(capacity);
        ids.push(self.start);
        let mut type_0_count = 0;
        for (i, text) in texts.iter().enumerate() {
            // One separator follows each text; RoBERTa and MPNet have another one before the next text.
            if i > 0 {
                ids.extend(std::iter::repeat_n(self.separator, self.separator_count - 1));
            }
            ids.extend_from_slice(text);
            ids.push(self.separator);
            if i == 0 {
                type_0_count = ids.len();
            }
        }
        ModelInput { ids, type_0_count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_joined_as_bert_and_roberta_expect_them() {
        let bert = SpecialTokens { start: 101, separator: 102, padding: 0, separator_count: 1 };
        assert_eq!(bert.input(&[&[7]]), ModelInput { ids: vec![101, 7, 102], type_0_count: 3 });
        let pair = bert.input(&[&[7, 8], &[9]]);
        assert_eq!(pair, ModelInput { ids: vec![101, 7, 8, 102, 9, 102], type_0_count: 4 });
        let three = bert.input(&[&[7], &[8], &[9]]);
        assert_eq!(three, ModelInput { ids: vec![101, 7, 102, 8, 102, 9, 102], type_0_count: 3 });
        let roberta = SpecialTokens { start: 0, separator: 2, padding: 1, separator_count: 2 };
        assert_eq!(roberta.input(&[&[7], &[8]]).ids, [0, 7, 2, 2, 8, 2]);
    }
}
