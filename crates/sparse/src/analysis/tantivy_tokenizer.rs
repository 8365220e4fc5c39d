//! Adapts an [`Analyzer`] to the trait `Tokenizer`, which tantivy uses to analyze passages.

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::Analyzer;

/// The name under which the analyzer of an index is registered with tantivy. It is the same for all analyzers.
pub(crate) const NAME: &str = "passagekit";

#[derive(Clone)]
pub(crate) struct AnalyzerTokenizer {
    pub analyzer: Analyzer,
}

pub(crate) struct AnalyzerStream<'a> {
    analyzer: &'a Analyzer,
    text: &'a str,
    token: Token,
    /// The tokens that `advance` has not reached yet; `None` before its first call. `process`, which tantivy calls
    /// while indexing, does not need this field.
    tokens: Option<std::vec::IntoIter<String>>,
}

impl Tokenizer for AnalyzerTokenizer {
    type TokenStream<'a> = AnalyzerStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> AnalyzerStream<'a> {
        AnalyzerStream { analyzer: &self.analyzer, text, token: Token::default(), tokens: None }
    }
}

impl TokenStream for AnalyzerStream<'_> {
    fn advance(&mut self) -> bool {
        let (analyzer, text) = (self.analyzer, self.text);
        let tokens = self.tokens.get_or_insert_with(|| analyzer.tokens(text).into_iter());
        let Some(text) = tokens.next() else { return false };
        self.token.text = text;
        // The position of `Token::default` is `usize::MAX`, so the first token gets 0.
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }

    fn process(&mut self, sink: &mut dyn FnMut(&Token)) {
        let token = &mut self.token;
        self.analyzer.for_each_token(self.text, |text| {
            token.text.clear();
            token.text.push_str(text);
            token.position = token.position.wrapping_add(1);
            sink(token);
        });
    }
}
