//! Mutates container files, but usually keeps their offsets and checksums correct, so that libFuzzer reaches the code
//! behind the checks of offsets and checksums.

use libfuzzer_sys::fuzzer_mutate;
use serde_json::{Value, json};

use crate::container::Container;
use crate::random::Random;

/// Mutates the first `size` bytes of `data` in place, and returns the new size.
///
/// If the bytes are a container, this usually mutates the container's content, and then corrects its offsets and
/// checksums. One time in eight, and for all other inputs, it lets libFuzzer mutate the raw bytes.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(u64::from(seed));
    let container = Container::read(&data[..size]).filter(|_| random.below(8) > 0);
    let Some(mut container) = container else {
        return fuzzer_mutate(data, size, max_size);
    };
    let room = max_size.saturating_sub(size);
    for _ in 0..1 + random.below(3) {
        match random.below(12) {
            0..=3 => mutate_numbers(&mut container, &mut random),
            4..=5 => mutate_bytes(&mut container, room, &mut random),
            6..=8 => mutate_table(&mut container.metadata, &mut random),
            9 => remove_rows(&mut container, &mut random),
            _ => mutate_sections(&mut container, &mut random),
        }
    }
    let corrupts_table = random.below(10) == 0;
    let file = container.write(|table| {
        if corrupts_table {
            mutate_table(&mut table["sections"], &mut random);
        }
    });
    if file.len() > max_size {
        return fuzzer_mutate(data, size, max_size);
    }
    data[..file.len()].copy_from_slice(&file);
    file.len()
}

/// Returns a number that code often handles wrongly: a power of two, or one less; a value near the limit of an integer
/// type; the bits of a special float; or a small or random number.
fn edge_case(random: &mut Random) -> u64 {
    let choice = random.below(64) as u32;
    match random.below(9) {
        0 => random.bits(),
        1 => 1u64.checked_shl(choice).unwrap_or(0),
        2 => (1u64 << choice).wrapping_sub(1),
        3 => u64::from(f32::NAN.to_bits()),
        4 => {
            let floats = [f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -0.0, f32::MIN_POSITIVE];
            u64::from(floats[choice as usize % 5].to_bits())
        }
        5 => u64::MAX - random.below(3) as u64,
        6 => u64::from(u32::MAX) - random.below(3) as u64,
        _ => random.below(130) as u64,
    }
}

/// Overwrites up to four aligned numbers of 4 or 8 bytes in one section.
fn mutate_numbers(container: &mut Container, random: &mut Random) {
    let Some(bytes) = random_section(container, random) else { return };
    let width = if random.below(3) == 0 { 8 } else { 4 };
    if bytes.len() < width {
        return;
    }
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len() / width) * width;
        let number = match random.below(4) {
            0 => {
                let from = random.below(bytes.len() / width) * width;
                let mut number = [0; 8];
                number[..width].copy_from_slice(&bytes[from..from + width]);
                u64::from_le_bytes(number).wrapping_add(random.below(3) as u64).wrapping_sub(1)
            }
            _ => edge_case(random),
        };
        bytes[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
    }
}

/// Lets libFuzzer mutate the bytes of one section.
fn mutate_bytes(container: &mut Container, room: usize, random: &mut Random) {
    let Some(bytes) = random_section(container, random) else { return };
    let size = bytes.len();
    let max_size = if random.below(2) == 0 { size } else { size + room.min(256) };
    if max_size == 0 {
        return;
    }
    bytes.resize(max_size, 0);
    let size = fuzzer_mutate(bytes, size, max_size);
    bytes.truncate(size);
}

/// Removes rows at the end of an index. Truncates the sections that have a fixed number of bytes per row, and then the
/// sections with a variable number of bytes per row: `ids` (all ids, one after another) and `upper` (adjacency lists of
/// the upper layers of an HNSW graph). The result is a consistent file with fewer rows, unless a remaining row of a
/// graph has a removed neighbor.
fn remove_rows(container: &mut Container, random: &mut Random) {
    let Some(rows) = container.metadata["rows"]
        .as_u64()
        .map(|rows| rows as usize)
        .filter(|&rows| (2..1 << 20).contains(&rows))
    else {
        return;
    };
    let new_rows = random.below(rows);
    for (name, bytes) in &mut container.sections {
        // `offsets` has one number more than there are rows.
        if name == "offsets" {
            bytes.truncate((new_rows + 1) * 4);
        } else if name != "ids" && name != "upper" && bytes.len().is_multiple_of(rows) {
            bytes.truncate(bytes.len() / rows * new_rows);
        }
    }
    // Returns the last number of a section of end offsets: the new length of the section that the offsets refer to, in
    // the unit of the offsets.
    let last_end = |name: &str, sections: &[(String, Vec<u8>)], width: usize| {
        let bytes = &sections.iter().find(|section| section.0 == name)?.1;
        let mut last = [0; 8];
        last[..width].copy_from_slice(&bytes[bytes.len().checked_sub(width)?..]);
        Some(u64::from_le_bytes(last) as usize)
    };
    let ids = last_end("id_ends", &container.sections, 8).unwrap_or(0);
    // The unit of `offsets` is an adjacency list. With the small `m` of the seeds, it takes 64 bytes.
    let upper = last_end("offsets", &container.sections, 4).unwrap_or(0).saturating_mul(64);
    for (name, bytes) in &mut container.sections {
        match name.as_str() {
            "ids" => bytes.truncate(ids),
            "upper" => bytes.truncate(upper),
            "deleted" => bytes.clear(),
            _ => {}
        }
    }
    container.metadata["rows"] = json!(new_rows);
}

/// Mutates one value of the metadata or of the table of sections.
fn mutate_table(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let at = random.below(entries.len());
            let key = entries.keys().nth(at).expect("below the length").clone();
            if random.below(40) == 0 {
                entries.remove(&key);
            } else {
                mutate_table(&mut entries[&key], random);
            }
        }
        Value::Array(values) if !values.is_empty() => {
            let at = random.below(values.len());
            mutate_table(&mut values[at], random);
        }
        Value::String(text) if random.below(3) > 0 => {
            let names = ["dot", "cosine", "l2", "f32", "f16", "int8Rescored", "graph", "augmentedL2", ""];
            *text = names[random.below(names.len())].to_owned();
        }
        Value::Number(number) if random.below(3) == 0 => {
            let number = number.as_u64().unwrap_or(0);
            *value = json!(number.wrapping_add(random.below(5) as u64).wrapping_sub(2));
        }
        Value::Bool(value) => *value = !*value,
        _ => {
            *value = match random.below(12) {
                0 => Value::Null,
                1 => json!(-1),
                2 => json!(0.5),
                3 => json!([]),
                _ => json!(edge_case(random)),
            }
        }
    }
}

/// Mutates the list of sections: removes, renames, overwrites, swaps, truncates or adds one. New names and contents are
/// those of random sections.
fn mutate_sections(container: &mut Container, random: &mut Random) {
    let sections = &mut container.sections;
    if sections.is_empty() {
        return;
    }
    let (at, other) = (random.below(sections.len()), random.below(sections.len()));
    match random.below(6) {
        0 => drop(sections.remove(at)),
        1 => sections[at].0 = sections[other].0.clone(),
        2 => sections[at].1 = sections[other].1.clone(),
        3 => sections.swap(at, other),
        4 => {
            let length = random.below(sections[at].1.len() + 1);
            sections[at].1.truncate(length);
        }
        _ => sections.push((sections[at].0.clone(), sections[other].1.clone())),
    }
}

/// Returns the bytes of a random section, if there is one.
fn random_section<'a>(container: &'a mut Container, random: &mut Random) -> Option<&'a mut Vec<u8>> {
    let at = random.below(container.sections.len().max(1));
    container.sections.get_mut(at).map(|section| &mut section.1)
}
