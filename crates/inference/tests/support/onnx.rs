//! Rewrites the graph of an ONNX file, so that tests get models with fewer inputs or outputs.
//!
//! An ONNX file is a Protocol Buffers message. A message is a sequence of fields in any order; each field is a key
//! (field number · 8 + wire type) and a value. The field numbers are from `onnx.proto`: 7 for `ModelProto.graph`; 5, 11
//! and 12 for `GraphProto.initializer`, `input` and `output`; 1 for `ValueInfoProto.name`; 1, 2, 7 and 8 for
//! `TensorProto.dims`, `data_type`, `int64_data` and `name`.

#![allow(dead_code, reason = "each test file uses some of these functions")]

const GRAPH: u64 = 7;
const INITIALIZER: u64 = 5;
const INPUT: u64 = 11;
const OUTPUT: u64 = 12;

/// Removes all outputs for whose names `keep` returns false.
pub fn with_outputs(model: &[u8], keep: impl Fn(&str) -> bool) -> Vec<u8> {
    edit(model, |number, value| number != OUTPUT || keep(name_of(value)), &[])
}

/// Replaces the input that has this name with a constant 0 of shape [1, 1].
pub fn with_zero_for(model: &[u8], input: &str) -> Vec<u8> {
    let mut zero = vec![1 << 3, 1, 1 << 3, 1, 2 << 3, 7, 7 << 3, 0]; // dims 1, 1; data_type INT64; int64_data 0
    push_field(&mut zero, 8, input.as_bytes());
    edit(model, |number, value| number != INPUT || name_of(value) != input, &zero)
}

/// Removes the fields of the graph for which `keep` returns false, and adds `initializer` unless it is empty.
fn edit(model: &[u8], keep: impl Fn(u64, &[u8]) -> bool, initializer: &[u8]) -> Vec<u8> {
    let mut edited = Vec::with_capacity(model.len());
    for (number, field, value) in fields(model) {
        if number != GRAPH {
            edited.extend_from_slice(field);
            continue;
        }
        let mut graph = Vec::with_capacity(value.len());
        for (number, field, value) in fields(value) {
            if keep(number, value) {
                graph.extend_from_slice(field);
            }
        }
        if !initializer.is_empty() {
            push_field(&mut graph, INITIALIZER, initializer);
        }
        push_field(&mut edited, GRAPH, &graph);
    }
    edited
}

/// The name of an input or output.
fn name_of(value_info: &[u8]) -> &str {
    let (_, _, name) = fields(value_info).find(|&(number, ..)| number == 1).expect("a name");
    std::str::from_utf8(name).expect("UTF-8")
}

/// Returns, for each field, its number, all of its bytes including the key, and its value.
fn fields(mut message: &[u8]) -> impl Iterator<Item = (u64, &[u8], &[u8])> {
    std::iter::from_fn(move || {
        if message.is_empty() {
            return None;
        }
        let field_and_rest = message;
        let key = varint(&mut message);
        let length = match key & 7 {
            0 => {
                let mut after = message;
                varint(&mut after);
                message.len() - after.len()
            }
            1 => 8,
            2 => varint(&mut message) as usize,
            5 => 4,
            other => panic!("no wire type {other}"),
        };
        let (value, rest) = message.split_at(length);
        message = rest;
        Some((key >> 3, &field_and_rest[..field_and_rest.len() - rest.len()], value))
    })
}

/// Consumes a varint and returns it.
fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for at in 0.. {
        value |= u64::from(bytes[at] & 0x7f) << (7 * at);
        if bytes[at] < 0x80 {
            *bytes = &bytes[at + 1..];
            break;
        }
    }
    value
}

/// Appends a field with a length-delimited value (wire type 2).
fn push_field(into: &mut Vec<u8>, number: u64, value: &[u8]) {
    for mut part in [number << 3 | 2, value.len() as u64] {
        while part >= 0x80 {
            into.push(part as u8 | 0x80);
            part >>= 7;
        }
        into.push(part as u8);
    }
    into.extend_from_slice(value);
}
