//! Splits texts into passages (`split`, which also matches answers), phrases (`phrases`) and word pieces (`tokenizer`).

mod phrases;
mod split;
mod tokenizer;
