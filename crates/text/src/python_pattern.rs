//! Python's regular expressions in the dialect of `regex` and `fancy_regex`.
//!
//! Differences that matter: what `\w`, `\b` and `\s` hold, escapes (`\,` and `\–` are literal in Python,
//! `\e` is refused, `\Z` is the end), a brace that is no repetition is literal, classes do not nest, and
//! where case is ignored the dotless ı is an i.
//!
//! Known to differ still: `\B` is in the empty text, and a class that holds `\w` or `\W` among others
//! takes the Greek mark U+0345 for a letter.

mod class;
mod escape;
mod group;

use std::iter::Peekable;
use std::str::Chars;

/// A pattern for `regex`, or for `fancy_regex` where it needs backtracking.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Translated {
    pub(crate) pattern: String,
    pub(crate) backtracks: bool,
    /// Where only word boundaries need backtracking, the pattern without them: for `regex`, and in every
    /// text that the pattern itself is in.
    pub(crate) without_boundaries: Option<String>,
}

/// Translates a pattern of Python's module `re` that is to ignore case; what is wrong with it otherwise.
///
/// Refuses what Python refuses in escapes, classes and repetitions; unbalanced parentheses and the like
/// are left for the compiler of the translation to refuse.
pub(crate) fn translate(pattern: &str) -> Result<Translated, String> {
    let translator = Translator::run(pattern, true)?;
    let without_boundaries = if translator.backtracks {
        let bare = Translator::run(pattern, false)?;
        (!bare.backtracks).then_some(bare.out)
    } else {
        None
    };
    Ok(Translated { pattern: translator.out, backtracks: translator.backtracks, without_boundaries })
}

/// One letter to Python when it ignores case; to Unicode the last is another.
const DOTLESS: [char; 3] = ['i', 'I', 'ı'];

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    out: String,
    backtracks: bool,
    /// Names of the capturing groups opened so far, empty where they have none.
    groups: Vec<String>,
    /// Whether word boundaries are translated or left out.
    boundaries: bool,
}

/// What a repetition would repeat.
#[derive(Clone, Copy)]
enum Before {
    /// The start of an alternative, or an anchor.
    Nothing,
    Item,
    Repetition,
}

impl<'p> Translator<'p> {
    fn run(pattern: &'p str, boundaries: bool) -> Result<Self, String> {
        let rest = pattern.chars().peekable();
        let mut translator =
            Self { rest, out: String::new(), backtracks: false, groups: Vec::new(), boundaries };
        translator.pattern()?;
        Ok(translator)
    }

    fn pattern(&mut self) -> Result<(), String> {
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
                    self.backtracks |= mode == '+'; // possessive
                }
                continue;
            }
            before = match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.group(before)?,
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

    /// After `{`: the repetition it opens, if it does.
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

fn digits(from: &mut Peekable<Chars<'_>>) -> String {
    std::iter::from_fn(|| from.next_if(char::is_ascii_digit)).collect()
}

/// A character outside a class.
fn push_literal(c: char, out: &mut String) {
    if DOTLESS.contains(&c) {
        out.push('[');
        out.extend(DOTLESS);
        out.push(']');
    } else {
        push_escaped(c, out);
    }
}

/// The character itself, in or out of a class.
fn push_escaped(c: char, out: &mut String) {
    if c.is_control() {
        out.push_str(&format!(r"\x{{{:x}}}", u32::from(c)));
    } else {
        out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(pattern: &str) -> String {
        let translated = translate(pattern).expect("the pattern is valid");
        assert!(!translated.backtracks, "{pattern}");
        translated.pattern
    }

    #[test]
    fn common_syntax_stays() {
        for same in ["a|b", "(ab)+?c*", "(?:x){2,3}", "^a.$", "[a-c]", "(?i)a", "x{2}"] {
            assert_eq!(linear(same), same);
        }
    }

    #[test]
    fn classes_are_pythons() {
        assert_eq!(linear(r"\s\W"), r"[\s\x1c-\x1f](?-i:[^\p{L}\p{N}_])");
        assert_eq!(linear(r"[\s,&&]"), r"[[\s\x1c-\x1f],\&\&]");
        assert_eq!(linear(r"[[a]"), r"[\[a]");
        assert_eq!(linear(r"[]a]"), r"[\]a]");
        assert_eq!(linear(r"[^]-]"), r"[^\]\-]");
        assert_eq!(linear(r"[+--]"), r"[\+-\-]");
        assert_eq!(linear(r"[\b\x41\101]"), r"[\x{8}AA]");
    }

    #[test]
    fn escapes_are_pythons() {
        assert_eq!(linear(r"\–\,\ \'\%\<"), r"–, '%<");
        assert_eq!(linear(r"\Aa\.\Z"), r"\Aa\.\z");
        assert_eq!(linear(r"\x41\u00e9\U0001F681\0\101"), r"Aé🚁\x{0}A");
        for bad in [r"\e", r"\z", r"\o", r"[\A]", r"\x4", r"\ud800", r"\", r"\777", r"\N{DASH}"] {
            assert!(translate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_pattern_whose_boundaries_alone_backtrack_has_a_form_without_them() {
        let bare = |python| translate(python).expect("the pattern is valid").without_boundaries;
        assert_eq!(bare(r"\b12\b|twelve\B"), Some("12|twelve".replace('i', "[iIı]")));
        assert_eq!(bare(r"\ba(?!b)"), None);
        assert_eq!(bare("a"), None);
    }

    #[test]
    fn the_dotless_i_is_an_i() {
        assert_eq!(linear("kış"), "k[iIı]ş");
        assert_eq!(linear("[aı][a-z][j-z]"), "[aiIı][a-ziIı][j-z]");
    }

    #[test]
    fn braces_that_repeat_nothing_are_literal() {
        assert_eq!(linear("a{,3}b{2,}"), "a{0,3}b{2,}");
        assert_eq!(linear("a{b}{}{1,2"), r"a\{b\}\{\}\{1,2");
        assert_eq!(linear("a{,}"), "a{0,}");
        assert_eq!(linear("a(?#or more)+"), "a+");
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for bad in [
            "a**", "a{2}{3}", "a+*", "*", "(+a)", "a|?", "^*", r"\b+", "[z-a]", r"[\w-z]", "[a", "(?#x",
            "(?<n>a)", "(?x) a", "(?", "(?q)",
        ] {
            assert!(translate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn look_around_references_and_boundaries_backtrack() {
        for pattern in
            [r"\bx", r"a(?=b)", r"(?<!a)b", r"(a)\1", "(?P<n>a)(?P=n)", "a++", "(?>a)b", "(a)?(?(1)b|c)"]
        {
            let translated = translate(pattern).expect("the pattern is valid");
            assert!(translated.backtracks, "{pattern}");
            assert!(fancy_regex::Regex::new(&translated.pattern).is_ok(), "{pattern}");
        }
        let pattern = |python| translate(python).map(|translated| translated.pattern);
        assert_eq!(pattern(r"(a)\1"), Ok(r"(a)(?:\1)".to_owned()));
        assert_eq!(pattern(r"(a)(?P<n>b)(?P=n)\1"), Ok(r"(a)(b)(?:\2)(?:\1)".to_owned()));
        assert_eq!(pattern(r"(?P<n>a)?(?(n)b|c)"), Ok(r"(a)?(?(1)b|c)".to_owned()));
    }
}
