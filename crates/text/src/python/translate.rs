//! Translates Python's regular expressions into the dialect of the crates `regex` and `fancy_regex`.
//!
//! The dialects differ in the characters of `\w`, `\b` and `\s`, in escapes (in Python, `\,` and `\–` are literals,
//! `\e` is an error and `\Z` is the end of the text), in braces that are not repetitions (literals in Python), in
//! nested classes (which Python does not have), and in the dotless ı, which equals i in Python if case is ignored.
//!
//! Two differences from Python remain in the translation: `\B` matches an empty text, which it does not in Python, and
//! a class that contains `\w` or `\W` beside other members treats the Greek mark U+0345 as a letter.

use std::iter::Peekable;
use std::str::Chars;

/// A pattern for `regex`, or for `fancy_regex` if it needs backtracking.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) pattern: String,
    pub(crate) needs_backtracking: bool,
    /// If only word boundaries need backtracking: the pattern without them, for `regex`. It matches every text that
    /// `pattern` matches.
    pub(crate) without_word_boundaries: Option<String>,
}

/// Translates a pattern of Python's module `re` for matching that ignores case.
///
/// # Errors
///
/// The reason, if Python rejects an escape, a class or a repetition in the pattern, or if a feature is not supported.
/// Other errors, such as unbalanced parentheses, are found when the translation is compiled.
pub(crate) fn translate(pattern: &str) -> Result<Translated, String> {
    let translator = Translator::run(pattern, true)?;
    let without_word_boundaries = if translator.needs_backtracking {
        let without_boundaries = Translator::run(pattern, false)?;
        (!without_boundaries.needs_backtracking).then_some(without_boundaries.out)
    } else {
        None
    };
    Ok(Translated {
        pattern: translator.out,
        needs_backtracking: translator.needs_backtracking,
        without_word_boundaries,
    })
}

/// Characters that are equal in Python if case is ignored. In Unicode's case folding, which the crates `regex` and
/// `fancy_regex` use, the dotless ı is a different letter.
pub(super) const I_VARIANTS: [char; 3] = ['i', 'I', 'ı'];

/// The state of one translation.
pub(super) struct Translator<'p> {
    /// The part of the pattern that has not been read yet.
    pub(super) rest: Peekable<Chars<'p>>,
    /// The translation so far.
    pub(super) out: String,
    pub(super) needs_backtracking: bool,
    /// Names of the capturing groups so far; empty for unnamed groups.
    pub(super) groups: Vec<String>,
    /// Whether to translate word boundaries; otherwise they are left out.
    pub(super) keeps_boundaries: bool,
}

/// The preceding element, to which a repetition applies.
#[derive(Clone, Copy)]
pub(super) enum Before {
    /// Nothing that can be repeated: the start of an alternative, or an anchor.
    Nothing,
    /// An element that can be repeated, such as a character, a class or a group.
    Item,
    /// A repetition such as `*`, which cannot be repeated again.
    Repetition,
}

impl<'p> Translator<'p> {
    /// Translates a whole pattern.
    fn run(pattern: &'p str, keeps_boundaries: bool) -> Result<Self, String> {
        let rest = pattern.chars().peekable();
        let mut translator = Self {
            rest,
            out: String::new(),
            needs_backtracking: false,
            groups: Vec::new(),
            keeps_boundaries,
        };
        translator.translate_pattern()?;
        Ok(translator)
    }

    fn translate_pattern(&mut self) -> Result<(), String> {
        let mut before = Before::Nothing;
        while let Some(c) = self.rest.next() {
            let repetition = match c {
                '*' | '+' | '?' => Some(c.to_string()),
                '{' => self.braces()?,
                _ => None,
            };
            if let Some(repetition) = repetition {
                match before {
                    Before::Nothing => return Err("nothing to repeat".to_owned()),
                    Before::Repetition => return Err("multiple repeat".to_owned()),
                    Before::Item => before = Before::Repetition,
                }
                self.out.push_str(&repetition);
                if let Some(mode) = self.rest.next_if(|&c| c == '?' || c == '+') {
                    self.out.push(mode);
                    self.needs_backtracking |= mode == '+'; // possessive
                }
                continue;
            }
            before = match c {
                '\\' => self.translate_escape()?,
                '[' => self.translate_class()?,
                '(' => self.translate_group(before)?,
                '|' | '^' | '$' => {
                    self.out.push(c);
                    Before::Nothing
                }
                ')' | '.' => {
                    self.out.push(c);
                    Before::Item
                }
                _ => {
                    push_literal(c, &mut self.out);
                    Before::Item
                }
            };
        }
        Ok(())
    }

    /// Translates a repetition in braces. Its `{` has been read. Returns `None` if the brace is a literal.
    fn braces(&mut self) -> Result<Option<String>, String> {
        let mut ahead = self.rest.clone();
        let low = digits(&mut ahead);
        let comma = ahead.next_if_eq(&',').is_some();
        let high = if comma { digits(&mut ahead) } else { low.clone() };
        if ahead.next() != Some('}') || (low.is_empty() && !comma) {
            return Ok(None);
        }
        self.rest = ahead;
        let bound = |digits: &str| digits.parse::<u32>().map_err(|_| "the repetition number is too large");
        let from = if low.is_empty() { 0 } else { bound(&low)? };
        Ok(Some(match (comma, high.is_empty()) {
            (false, _) => format!("{{{from}}}"),
            (true, true) => format!("{{{from},}}"),
            (true, false) => format!("{{{from},{}}}", bound(&high)?),
        }))
    }
}

/// Reads ASCII digits up to the next other character.
fn digits(from: &mut Peekable<Chars<'_>>) -> String {
    std::iter::from_fn(|| from.next_if(char::is_ascii_digit)).collect()
}

/// Appends a literal character outside a class.
pub(super) fn push_literal(c: char, out: &mut String) {
    if I_VARIANTS.contains(&c) {
        out.push('[');
        out.extend(I_VARIANTS);
        out.push(']');
    } else {
        push_escaped(c, out);
    }
}

/// Appends a character, escaped if necessary, inside or outside a class.
pub(super) fn push_escaped(c: char, out: &mut String) {
    if c.is_control() {
        out.push_str(&format!(r"\x{{{:x}}}", u32::from(c)));
    } else {
        out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Translates a pattern that must not need backtracking.
    fn linear(pattern: &str) -> String {
        let translated = translate(pattern).expect("the pattern is valid");
        assert!(!translated.needs_backtracking, "{pattern}");
        translated.pattern
    }

    #[test]
    fn syntax_that_both_dialects_have_is_not_changed() {
        for same in ["a|b", "(ab)+?c*", "(?:x){2,3}", "^a.$", "[a-c]", "(?i)a", "x{2}"] {
            assert_eq!(linear(same), same);
        }
    }

    #[test]
    fn classes_are_those_of_python() {
        assert_eq!(linear(r"\s\W"), r"[\s\x1c-\x1f](?-i:[^\p{L}\p{N}_])");
        assert_eq!(linear(r"[\s,&&]"), r"[[\s\x1c-\x1f],\&\&]");
        assert_eq!(linear(r"[[a]"), r"[\[a]");
        assert_eq!(linear(r"[]a]"), r"[\]a]");
        assert_eq!(linear(r"[^]-]"), r"[^\]\-]");
        assert_eq!(linear(r"[+--]"), r"[\+-\-]");
        assert_eq!(linear(r"[\b\x41\101]"), r"[\x{8}AA]");
    }

    #[test]
    fn escapes_are_those_of_python() {
        assert_eq!(linear(r"\–\,\ \'\%\<"), r"–, '%<");
        assert_eq!(linear(r"\Aa\.\Z"), r"\Aa\.\z");
        assert_eq!(linear(r"\x41\u00e9\U0001F681\0\101"), r"Aé🚁\x{0}A");
        for bad in [r"\e", r"\z", r"\o", r"[\A]", r"\x4", r"\ud800", r"\", r"\777", r"\N{DASH}"] {
            assert!(translate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pattern_that_backtracks_only_for_word_boundaries_has_a_form_without_them() {
        let without_boundaries =
            |python| translate(python).expect("the pattern is valid").without_word_boundaries;
        assert_eq!(without_boundaries(r"\b12\b|twelve\B"), Some("12|twelve".replace('i', "[iIı]")));
        assert_eq!(without_boundaries(r"\ba(?!b)"), None);
        assert_eq!(without_boundaries("a"), None);
    }

    #[test]
    fn the_dotless_i_and_i_match_each_other() {
        assert_eq!(linear("kış"), "k[iIı]ş");
        assert_eq!(linear("[aı][a-z][j-z]"), "[aiIı][a-ziIı][j-z]");
    }

    #[test]
    fn braces_that_are_not_repetitions_are_literal_and_comments_are_dropped() {
        assert_eq!(linear("a{,3}b{2,}"), "a{0,3}b{2,}");
        assert_eq!(linear("a{b}{}{1,2"), r"a\{b\}\{\}\{1,2");
        assert_eq!(linear("a{,}"), "a{0,}");
        assert_eq!(linear("a(?#or more)+"), "a+");
    }

    #[test]
    fn patterns_that_python_rejects_are_rejected() {
        for bad in [
            "a**", "a{2}{3}", "a+*", "*", "(+a)", "a|?", "^*", r"\b+", "[z-a]", r"[\w-z]", "[a", "(?#x",
            "(?<n>a)", "(?x) a", "(?", "(?q)",
        ] {
            assert!(translate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn look_around_references_and_boundaries_need_backtracking() {
        for pattern in
            [r"\bx", r"a(?=b)", r"(?<!a)b", r"(a)\1", "(?P<n>a)(?P=n)", "a++", "(?>a)b", "(a)?(?(1)b|c)"]
        {
            let translated = translate(pattern).expect("the pattern is valid");
            assert!(translated.needs_backtracking, "{pattern}");
            assert!(fancy_regex::Regex::new(&translated.pattern).is_ok(), "{pattern}");
        }
        let pattern = |python| translate(python).map(|translated| translated.pattern);
        assert_eq!(pattern(r"(a)\1"), Ok(r"(a)(?:\1)".to_owned()));
        assert_eq!(pattern(r"(a)(?P<n>b)(?P=n)\1"), Ok(r"(a)(b)(?:\2)(?:\1)".to_owned()));
        assert_eq!(pattern(r"(?P<n>a)?(?(n)b|c)"), Ok(r"(a)?(?(1)b|c)".to_owned()));
    }
}
