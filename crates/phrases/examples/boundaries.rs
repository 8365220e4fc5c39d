//! Cuts the lines of standard input into sentences and prints the throughput. With `whole`, all lines are one text. With
//! `show`, prints the boundaries (`|`) and the terminators that are not boundaries (`-`) instead:
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
        text.lines().enumerate().for_each(|(at, line)| show(at, line));
        return Ok(());
    }
    let start = Instant::now();
    let texts: Vec<&str> = if mode == "whole" { vec![&text] } else { text.lines().collect() };
    let found: usize = texts.iter().map(|text| sentences(text).count()).sum();
    let seconds = start.elapsed().as_secs_f64();
    println!("{found} sentences, {:.0} MB/s", text.len() as f64 / 1e6 / seconds);
    Ok(())
}

fn show(number: usize, line: &str) {
    let ranges: Vec<_> = sentences(line).collect();
    for pair in ranges.windows(2) {
        println!("{number} | {} ¦ {}", last(&line[pair[0].clone()]), first(&line[pair[1].clone()]));
    }
    for range in ranges {
        let sentence = &line[range];
        for (at, _) in sentence.match_indices(['.', '!', '?']) {
            let rest = &sentence[at + 1..];
            if rest.trim_start_matches(['"', '\'', ')', ']', '”', '’']).starts_with(' ') {
                println!("{number} - {} _ {}", last(&sentence[..=at]), first(rest));
            }
        }
    }
}

fn last(text: &str) -> &str {
    text.char_indices().rev().nth(24).map_or(text, |(at, _)| &text[at..])
}

fn first(text: &str) -> &str {
    text.char_indices().nth(25).map_or(text, |(at, _)| &text[..at])
}
