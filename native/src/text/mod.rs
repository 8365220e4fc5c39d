//! Texts: passages, phrases, word pieces and answers.

mod phrases;
mod split;
mod tokenizer;
