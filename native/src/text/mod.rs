//! Splits texts: `split` into passages, `phrases` into phrases, and `tokenizer` into word pieces. `split` also matches
//! answers.

mod phrases;
mod split;
mod tokenizer;
