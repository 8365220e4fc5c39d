//! Checks the normalizers and pre-tokenizers of a `tokenizer.json` before they are loaded: how far they can expand a
//! text, and whether their regular expressions can take exponential time. The module [`library`](crate::library) calls
//! these checks. In the comments, *the library* is the crate `tokenizers` of Hugging Face.

use serde_json::Value;

/// Maximum number of normalizers or pre-tokenizers, including those inside sequences. Real tokenizers have up to ten.
const MAX_STEPS: usize = 64;
/// Maximum number of output bytes per input byte of one normalizer.
const MAX_STEP_GROWTH: usize = 64;
/// Maximum number of output bytes per input byte of all normalizers together.
const MAX_TOTAL_GROWTH: usize = 1 << 12;
/// Maximum length of a regular expression in bytes. Real ones have a few hundred.
const MAX_PATTERN_BYTES: usize = 8 << 10;
/// Maximum number of byte-level pre-tokenizers, which replace each byte with a character of up to two bytes.
const MAX_BYTE_LEVELS: usize = 2;

/// One normalizer and how far it can expand a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Position and type of the normalizer, for error messages.
    pub name: String,
    /// Maximum number of output bytes per input byte, if the content of the rule determines it. 1 for rules such as
    /// NFKC, whose growth Unicode limits.
    pub growth: usize,
}

/// Returns the normalizers in the order in which they run, or an error that names an invalid one.
pub(crate) fn normalizers(value: &Value) -> Result<Vec<Rule>, String> {
    let mut total = 1usize;
    let mut rules = Vec::new();
    for (number, step) in steps(value, "normalizer", "normalizers")?.into_iter().enumerate() {
        let name = format!("normalizer {} ({})", number + 1, kind(step));
        let growth = growth(step).map_err(|got| format!("{name}: {got}"))?;
        total = total.saturating_mul(growth);
        if growth > MAX_STEP_GROWTH || total > MAX_TOTAL_GROWTH {
            let (max, got, what) = match growth > MAX_STEP_GROWTH {
                true => (MAX_STEP_GROWTH, growth, ""),
                false => (MAX_TOTAL_GROWTH, total, " together with those before it"),
            };
            return Err(format!(
                "{name}: expected at most {max} output bytes per input byte{what}, got {got}"
            ));
        }
        rules.push(Rule { name, growth });
    }
    Ok(rules)
}

/// Rejects more than [`MAX_BYTE_LEVELS`] byte-level pre-tokenizers, and regular expressions that could take exponential
/// time.
pub(crate) fn check_pre_tokenizers(value: &Value) -> Result<(), String> {
    let mut byte_levels = 0;
    for (number, step) in steps(value, "pre-tokenizer", "pretokenizers")?.into_iter().enumerate() {
        let name = format!("pre-tokenizer {} ({})", number + 1, kind(step));
        if let Some(pattern) = step.pointer("/pattern/Regex").and_then(Value::as_str) {
            check_pattern(pattern).map_err(|got| format!("{name}: {got}"))?;
        }
        byte_levels += usize::from(kind(step) == "ByteLevel");
        if byte_levels > MAX_BYTE_LEVELS {
            return Err(format!("{name}: expected at most {MAX_BYTE_LEVELS} of this type, got more"));
        }
    }
    Ok(())
}

/// Returns a rule or, if it is a sequence, the rules inside it, in the order in which they run. `key` is the field with
/// the rules of a sequence, and `what` names the kind of rule in errors.
fn steps<'a>(value: &'a Value, what: &str, key: &str) -> Result<Vec<&'a Value>, String> {
    let (mut found, mut pending) = (Vec::new(), vec![value]);
    while let Some(step) = pending.pop() {
        match step.get(key).and_then(Value::as_array) {
            Some(inside) => pending.extend(inside.iter().rev()),
            None => found.push(step),
        }
        if found.len() + pending.len() > MAX_STEPS {
            return Err(format!("expected at most {MAX_STEPS} steps of the {what}, got more"));
        }
    }
    Ok(found)
}

/// Returns the type of a rule. Early versions of the format do not store the type; it follows from the other fields.
fn kind(step: &Value) -> &str {
    let has = |key: &str| step.get(key).is_some();
    match step.get("type").and_then(Value::as_str) {
        Some(kind) => kind,
        None if has("pattern") && has("content") => "Replace",
        None if has("precompiled_charsmap") => "Precompiled",
        None if has("prepend") => "Prepend",
        None => "of unknown type",
    }
}

/// Returns the [`Rule::growth`] of a normalizer, or what is wrong with its pattern or character map.
fn growth(step: &Value) -> Result<usize, String> {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default();
    Ok(match kind(step) {
        "Replace" => {
            let content = text("content").len();
            let string = step.pointer("/pattern/String").and_then(Value::as_str);
            match (string, step.pointer("/pattern/Regex").and_then(Value::as_str)) {
                // An empty pattern matches before every character.
                (Some(""), _) => content + 1,
                (Some(pattern), _) => content.div_ceil(pattern.len()).max(1),
                (None, Some(pattern)) => {
                    check_pattern(pattern)?;
                    content.max(1)
                }
                (None, None) => content + 1,
            }
        }
        // The prefix is added once per text, so its length matters only if it exceeds the limit for one normalizer.
        "Prepend" if text("prepend").len() > MAX_STEP_GROWTH => text("prepend").len(),
        "Precompiled" => longest_entry(text("precompiled_charsmap"))?.max(1),
        _ => 1,
    })
}

/// Returns the length in bytes of the longest replacement in a SentencePiece character map.
///
/// Layout: length of the trie in bytes (little-endian u32), the trie, then the replacements as zero-terminated texts.
fn longest_entry(base64: &str) -> Result<usize, String> {
    let bytes = decoded(base64).ok_or("expected base64, got something else")?;
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
        return Err(format!("expected a character map, got {} bytes", bytes.len()));
    };
    let length = u32::from_le_bytes(*length) as usize;
    let texts = rest.get(length..).filter(|_| length.is_multiple_of(4) && length > 0);
    let texts =
        texts.ok_or_else(|| format!("expected a trie of {length} bytes, got {} bytes", rest.len()))?;
    Ok(texts.split(|&byte| byte == 0).map(<[u8]>::len).max().unwrap_or(0))
}

/// Decodes base64; returns `None` if it is invalid.
fn decoded(base64: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(base64.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for byte in base64.trim_end_matches('=').bytes() {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(sextet);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Some(bytes)
}

/// Rejects a regular expression that is very long, or that needs backtracking inside a repeated group, which can take
/// time exponential in the length of the text.
///
/// The library uses the crate `fancy-regex`, which backtracks only for look-around, back-references, atomic groups,
/// conditionals, `\K` and `\G`. Everything else runs in linear time, however it is nested.
fn check_pattern(pattern: &str) -> Result<(), String> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!(
            "expected a pattern of at most {MAX_PATTERN_BYTES} bytes, got {}",
            pattern.len()
        ));
    }
    // For each open group, whether something inside needs backtracking.
    let mut groups = vec![false];
    let bytes = pattern.as_bytes();
    let (mut at, mut class_depth) = (0, 0usize);
    while at < bytes.len() {
        let rest = &pattern.as_bytes()[at..];
        match rest[0] {
            b'\\' => {
                if class_depth == 0 && matches!(rest.get(1), Some(b'1'..=b'9' | b'k' | b'g' | b'K' | b'G')) {
                    *groups.last_mut().expect("the pattern itself") = true;
                }
                // Skip the first byte of the escaped character. Any further bytes are not ASCII, so they match no case.
                at += 1;
            }
            b'[' => class_depth += 1,
            b']' => class_depth = class_depth.saturating_sub(1),
            _ if class_depth > 0 => {}
            b'(' => {
                let backtracks = ["(?=", "(?!", "(?<=", "(?<!", "(?>", "(?("];
                groups.push(backtracks.iter().any(|start| rest.starts_with(start.as_bytes())));
            }
            b')' => {
                let needs_backtracking = groups.pop().unwrap_or(false);
                let is_repeated = match rest.get(1) {
                    Some(b'*' | b'+') => true,
                    // `{3}` has a fixed number of repetitions, so there is nothing to backtrack over.
                    Some(b'{') => rest.iter().take_while(|&&byte| byte != b'}').any(|&byte| byte == b','),
                    _ => false,
                };
                if needs_backtracking && is_repeated {
                    let shown: String = pattern.chars().take(60).collect();
                    return Err(format!(
                        "expected no repeated group with look-around or back-reference, got {shown:?}"
                    ));
                }
                match groups.last_mut() {
                    Some(outer) => *outer |= needs_backtracking,
                    None => groups.push(needs_backtracking),
                }
            }
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A normalizer that replaces the matches of `pattern` by `content`.
    fn replace(pattern: &Value, content: &str) -> Value {
        json!({"type": "Replace", "pattern": pattern, "content": content})
    }

    /// The error for normalizers that must be refused.
    fn refused(value: &Value) -> String {
        normalizers(value).expect_err("refused")
    }

    #[test]
    fn the_maximum_growth_of_a_replacement_is_computed() {
        let growth =
            |pattern: Value, content: &str| normalizers(&replace(&pattern, content)).expect("fine")[0].growth;
        assert_eq!(growth(json!({"String": " "}), "▁"), 3);
        assert_eq!(growth(json!({"String": "``"}), "\""), 1);
        assert_eq!(growth(json!({"Regex": " {2,}"}), " "), 1);
        assert_eq!(growth(json!({"String": ""}), "ab"), 3);
        assert_eq!(growth(json!({"String": "ab"}), ""), 1);
    }

    #[test]
    fn replacements_that_can_expand_a_text_too_much_are_refused_by_name() {
        let double = replace(&json!({"String": "a"}), "aa");
        let error = refused(&json!({"type": "Sequence", "normalizers": vec![double; 40]}));
        assert_eq!(
            error,
            "normalizer 13 (Replace): expected at most 4096 output bytes per input byte together with those before it, got 8192"
        );
        let error = refused(&replace(&json!({"String": "a"}), &"b".repeat(65)));
        assert_eq!(error, "normalizer 1 (Replace): expected at most 64 output bytes per input byte, got 65");
        assert!(normalizers(&replace(&json!({"Regex": "a"}), &"b".repeat(65))).is_err());
        assert!(normalizers(&json!({"pattern": {"String": "a"}, "content": "b".repeat(65)})).is_err());
        assert!(
            refused(&json!({"type": "Prepend", "prepend": "b".repeat(65)}))
                .starts_with("normalizer 1 (Prepend)")
        );
    }

    #[test]
    fn rules_in_nested_sequences_are_counted() {
        let nested = (0..60)
            .fold(json!({"type": "NFC"}), |inner, _| json!({"type": "Sequence", "normalizers": [inner]}));
        assert_eq!(normalizers(&nested).expect("one step").len(), 1);
        let many = json!({"type": "Sequence", "normalizers": vec![json!({"type": "NFC"}); 65]});
        assert_eq!(refused(&many), "expected at most 64 steps of the normalizer, got more");
        let many = json!({"type": "Sequence", "pretokenizers": vec![json!({"type": "ByteLevel"}); 3]});
        let error = check_pre_tokenizers(&many).expect_err("refused");
        assert_eq!(error, "pre-tokenizer 3 (ByteLevel): expected at most 2 of this type, got more");
    }

    #[test]
    fn truncated_character_maps_and_those_with_long_texts_are_refused() {
        // The map is a trie of four bytes, then "ab" and "c".
        let map = |charsmap: &str| json!({"type": "Precompiled", "precompiled_charsmap": charsmap});
        assert_eq!(normalizers(&map("BAAAAAAAAABhYgBjAA==")).expect("fine")[0].growth, 2);
        assert!(refused(&map("BAAA")).contains("got 3 bytes"));
        assert!(refused(&map("////////")).contains("expected a trie of 4294967295 bytes, got 2 bytes"));
        assert!(refused(&map("no base64!")).contains("expected base64"));
        let long = format!("BAAAAAAAAAB{}", "hYWFh".repeat(20));
        assert!(refused(&map(&long)).contains("expected at most 64 output bytes per input byte"));
    }

    #[test]
    fn patterns_of_real_tokenizers_are_accepted_and_exponential_ones_are_refused() {
        for pattern in [
            // In this order, the patterns of GPT-2, Llama 3, GPT-4o, DeepSeek and CLIP; a pattern that splits numbers
            // into groups of three digits, counted from the right; and the pattern of XLM-RoBERTa.
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
            r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+",
            r"\d{1,3}(?=(?:\d{3})*\b)",
            r" {2,}",
        ] {
            check_pattern(pattern).expect(pattern);
        }
        for pattern in [r"(?:a|a(?=a?))*b", r"((a)\2?)+", r"(?:x(?!y)){1,30}z", r"((?:(?>a)|a)b)*c"] {
            assert!(check_pattern(pattern).is_err(), "{pattern}");
        }
        assert!(check_pattern(&"a".repeat(9000)).is_err());
        // Repeated groups without look-around run in linear time.
        check_pattern(r"(a+)+b").expect("linear");
    }
}
