use crate::characters::{after, class, goes_on, is_closer, is_dash, is_opener, Class};

/// The white space after a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub start: usize,
    /// Where the next character that is no white space starts.
    pub end: usize,
    /// Line breaks in it; a form feed and a paragraph separator count as a blank line.
    pub lines: usize,
}

impl Gap {
    pub fn at(text: &str, start: usize) -> Self {
        let (mut end, mut lines, mut previous) = (start, 0, ' ');
        for letter in text[start..].chars().take_while(|letter| letter.is_whitespace()) {
            lines += match letter {
                '\n' if previous == '\r' => 0,
                '\u{c}' | '\u{2029}' => 2,
                _ if class(letter) == Class::Line => 1,
                _ => 0,
            };
            previous = letter;
            end += letter.len_utf8();
        }
        Self { start, end, lines }
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// What the next word begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Capital,
    Small,
    /// A letter of a script without capitals.
    Other,
    Digit,
    /// No word follows soon.
    Nothing,
}

/// The next word after a gap, behind quotation marks, brackets and dashes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ahead<'t> {
    pub first: First,
    pub word: &'t str,
    /// What follows the word.
    rest: &'t str,
    /// The character right after the gap.
    pub sign: Option<char>,
    pub bracket: bool,
}

/// Signs passed over before a word.
const MOST_SIGNS: usize = 12;
/// Letters of a word that are looked at.
const MOST_LETTERS: usize = 32;

impl<'t> Ahead<'t> {
    pub fn at(text: &'t str, at: usize) -> Self {
        let sign = after(text, at);
        let mut bracket = false;
        let passed = |&letter: &char| {
            bracket |= matches!(letter, '(' | '[');
            let blank = letter.is_whitespace() && class(letter) != Class::Line;
            blank || is_opener(letter) || is_closer(letter) || is_dash(letter) || is_sign(letter)
        };
        let signs: usize = text[at..].chars().take(MOST_SIGNS).take_while(passed).map(char::len_utf8).sum();
        let found = &text[at + signs..];
        let first = found.chars().next().map_or(First::Nothing, first_of);
        let inside = |letter: &char| letter.is_alphanumeric();
        let length: usize = found.chars().take(MOST_LETTERS).take_while(inside).map(char::len_utf8).sum();
        let (word, rest) = found.split_at(length);
        Self { first, word, rest, sign, bracket }
    }

    /// Whether what is ahead shows that no sentence begins there.
    pub fn goes_on(&self) -> bool {
        self.sign.is_some_and(|sign| goes_on(sign) || matches!(sign, ')' | ']' | '}'))
    }

    /// "iPhone": a word that begins small in spite of its place.
    pub fn is_camel(&self) -> bool {
        self.first == First::Small && self.word.chars().take(3).any(char::is_uppercase)
    }

    /// Whether `is_starter` takes the word for one that begins sentences: not an initial, and "A" only before a small word.
    pub fn starts(&self, is_starter: fn(&str) -> bool) -> bool {
        if self.bracket || self.rest.starts_with('.') || !is_starter(self.word) {
            return false;
        }
        let mut letters = self.rest.chars();
        match self.word {
            "A" | "I" | "O" => letters.next() == Some(' ') && letters.next().is_some_and(char::is_lowercase),
            _ => letters.next().is_none_or(|letter| letter.is_whitespace() || matches!(letter, ',' | '\'' | '’')),
        }
    }

    /// The word after the word, or nothing where a sign is between.
    pub fn second(&self) -> &'t str {
        let Some(rest) = self.rest.strip_prefix(' ') else { return "" };
        let inside = |letter: &char| letter.is_alphanumeric();
        let length: usize = rest.chars().take(MOST_LETTERS).take_while(inside).map(char::len_utf8).sum();
        &rest[..length]
    }

    /// A number in Roman digits, or a single capital: "vol. IV", "fig. B".
    pub fn is_like_number(&self) -> bool {
        let roman = self.word.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M'));
        let single = self.word.len() == 1 && !self.starts(crate::starters::starts_sentences);
        let labelled = self.word.len() > 1 && self.word.bytes().skip(1).all(|byte| byte.is_ascii_digit());
        self.first == First::Digit || (self.first == First::Capital && (roman || single || labelled))
    }
}

fn first_of(letter: char) -> First {
    if matches!(letter, '\u{10d0}'..='\u{10ff}') {
        // Georgian: small letters that begin sentences too.
        First::Other
    } else if letter.is_uppercase() {
        First::Capital
    } else if letter.is_lowercase() {
        First::Small
    } else if letter.is_numeric() {
        First::Digit
    } else if letter.is_alphabetic() {
        First::Other
    } else {
        First::Nothing
    }
}

/// Other signs that stand before a word.
fn is_sign(letter: char) -> bool {
    matches!(letter, '.' | '…' | '¿' | '¡' | '*' | '_' | '#' | '$' | '€' | '£' | '¥' | '~' | '`' | '§')
}
