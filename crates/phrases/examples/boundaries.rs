//! Splits each line of standard input into sentences, and prints the number of sentences and the throughput. With the
//! argument `whole`, all lines are one text.
//!
//! With the argument `show`, prints the text around each boundary as `LINE | BEFORE ¦ AFTER` instead. It also prints
//! the text around each `.`, `!` or `?` that is inside a sentence and before a space, as `LINE - BEFORE _ AFTER`. Lines
//! are numbered from 0:
//!
//! ```sh
//! cargo run --release -p phrases --example boundaries -- show < passages.txt
//! ```

use std::io::Read;
use std::time::Instant;

use phrases::sentences;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mode = std::env::args().nth(1).unwrap_or_default();
    if mode == "show" {
        text.lines().enumerate().for_each(|(number, line)| show(number, line));
        return Ok(());
    }
    let start = Instant::now();
    let texts: Vec<&str> = if mode == "whole" { vec![&text] } else { text.lines().collect() };
    let count: usize = texts.iter().map(|text| sentences(text).count()).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!("{count} sentences, {:.0} MB/s", text.len() as f64 / 1e6 / seconds);
    Ok(())
}

/// Prints the boundaries of one line, and the terminators inside its sentences.
fn show(number: usize, line: &str) {
    let ranges: Vec<_> = sentences(line).collect();
    for pair in ranges.windows(2) {
        println!("{number} | {} ¦ {}", last(&line[pair[0].clone()]), first(&line[pair[1].clone()]));
    }
    for range in ranges {
        let sentence = &line[range];
        for (offset, _) in sentence.match_indices(['.', '!', '?']) {
            let rest = &sentence[offset + 1..];
            if rest.trim_start_matches(['"', '\'', ')', ']', '”', '’']).starts_with(' ') {
                println!("{number} - {} _ {}", last(&sentence[..=offset]), first(rest));
            }
        }
    }
}

/// The last 25 characters of a text.
fn last(text: &str) -> &str {
    text.char_indices().rev().nth(24).map_or(text, |(offset, _)| &text[offset..])
}

/// The first 25 characters of a text.
fn first(text: &str) -> &str {
    text.char_indices().nth(25).map_or(text, |(offset, _)| &text[..offset])
}
