//! Whether a sentence ends with a stop.

use crate::abbreviations::{Kind, kind};
use crate::ahead::{Ahead, First, Gap};
use crate::characters::{before, goes_on, is_dash, is_unspaced};
use crate::lines::is_marker;
use crate::starters::{makes_ordinal, may_start_sentences, names_speaker, starts_sentences, tells_time};
use crate::stop::Stop;

/// What a stop does to a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ends,
    /// The sentence goes on, also over a line break.
    GoesOn,
    /// The sentence goes on, but a line break may end it.
    Open,
}

use Verdict::{Ends, GoesOn, Open};

/// The text around a stop.
pub(crate) struct Place<'t> {
    pub text: &'t str,
    /// Where the sentence begins.
    pub start: usize,
    /// Whether letters have their case: in a text without any capital, small letters say nothing.
    pub cased: bool,
}

impl Place<'_> {
    pub fn verdict(&self, stop: &Stop, gap: Gap) -> Verdict {
        if gap.end == self.text.len() {
            return Open;
        }
        if is_marker(&self.text[self.start..stop.end]) {
            return GoesOn;
        }
        if gap.is_empty() {
            return self.without_space(stop);
        }
        if gap.lines > 1 {
            return Ends;
        }
        let ahead = Ahead::at(self.text, gap.end);
        if ahead.goes_on() {
            return Open;
        }
        let small = ahead.first == First::Small && self.cased && !ahead.is_camel();
        if stop.ellipsis {
            let elided = matches!(before(self.text, stop.at), Some('[' | '(')) && stop.closed;
            return if small || elided { Open } else { Ends };
        }
        if stop.single {
            return if small { Open } else { self.after_full_stop(stop, &ahead) };
        }
        let said = stop.quoted && ahead.first == First::Capital && names_speaker(ahead.word, ahead.second());
        let exclaimed = small && (stop.closed || ahead.sign.is_some_and(is_dash) || self.word_is_capitalised(stop));
        if said || exclaimed { Open } else { Ends }
    }

    fn without_space(&self, stop: &Stop) -> Verdict {
        let Some(next) = self.text[stop.end..].chars().next() else { return Open };
        if stop.wide {
            // 「はい。」と言った goes on.
            let quoting = stop.closed && matches!(next, 'と' | 'っ' | 'な' | 'の' | 'を' | 'が' | 'は' | 'に');
            let decimal = stop.single && next.is_numeric();
            return if goes_on(next) || quoting || decimal { Open } else { Ends };
        }
        if !stop.single && !stop.ellipsis && is_unspaced(next) && !goes_on(next) { Ends } else { Open }
    }

    /// `Yahoo! is`, `Virginia Woolf? is`: names and titles that end in a mark.
    fn word_is_capitalised(&self, stop: &Stop) -> bool {
        let word = word_before(self.text, self.start, stop.at);
        word.chars().next().is_some_and(char::is_uppercase)
    }

    /// After a single full stop, and not before a small letter.
    fn after_full_stop(&self, stop: &Stop, ahead: &Ahead<'_>) -> Verdict {
        let word = word_before(self.text, self.start, stop.at);
        let by_starter = |is_starter| if ahead.starts(is_starter) { Ends } else { Open };
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            let previous = word_before(self.text, self.start, stop.at - word.len());
            let ordinal = (1..=2).contains(&word.len()) && ahead.first == First::Capital;
            return if ordinal && makes_ordinal(previous, ahead.word) { GoesOn } else { Ends };
        }
        // A capital alone is an initial; of "Vice-Pres." the last part counts.
        let found = match is_initial(word) && word.chars().all(char::is_uppercase) {
            true => None,
            false => kind(word).or_else(|| kind(word.rsplit_once(['-', '/'])?.1)),
        };
        match found {
            Some(Kind::Title) => match ahead.first {
                First::Digit | First::Nothing => Ends,
                _ => GoesOn,
            },
            Some(Kind::Inside) => GoesOn,
            Some(Kind::Number | Kind::NumberOrWord) if ahead.is_like_number() => GoesOn,
            Some(Kind::NumberOrWord) if word.chars().nth(1).is_some() => Ends,
            Some(Kind::Either) if word == "al" && ahead.first == First::Digit => GoesOn,
            Some(Kind::Either) if ahead.first == First::Digit => Ends,
            Some(Kind::Last) => Ends,
            Some(Kind::Number | Kind::NumberOrWord | Kind::Either) => by_starter(may_start_sentences),
            None if is_initial(word) => match ahead.first {
                First::Capital | First::Small if ahead.starts(starts_sentences) => Ends,
                First::Capital | First::Small => GoesOn,
                _ => Ends,
            },
            None if is_dotted(word) => {
                let time = matches!(word.as_bytes(), [b'a' | b'p' | b'A' | b'P', b'.', b'm' | b'M']);
                match ahead.first {
                    First::Digit => Open,
                    First::Nothing | First::Other => Ends,
                    _ if time => if tells_time(ahead.word) { GoesOn } else { Ends },
                    _ => by_starter(may_start_sentences),
                }
            }
            None => Ends,
        }
    }
}

/// Letters before a stop that are looked at.
const MOST_LETTERS: usize = 24;

/// The word that ends at `end`, with its inner full stops, hyphens and apostrophes; empty where a longer one does.
fn word_before(text: &str, start: usize, end: usize) -> &str {
    // From inside closing marks and spaces.
    let text = text[start..end].trim_end();
    let inside = |letter: char| letter.is_alphanumeric() || matches!(letter, '.' | '\'' | '’' | '-' | '§' | '/');
    let (mut length, mut letters) = (0, 0);
    for letter in text.chars().rev().take_while(|&letter| inside(letter)) {
        length += letter.len_utf8();
        letters += 1;
        if letters > MOST_LETTERS {
            return "";
        }
    }
    text[text.len() - length..].trim_start_matches(['\'', '’', '-', '.'])
}

/// A single letter.
fn is_initial(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// "U.S", "Ph.D", "J.-P": two or more parts of one or two letters.
fn is_dotted(word: &str) -> bool {
    let part = |part: &str| {
        let part = part.trim_start_matches('-');
        (1..=2).contains(&part.chars().count()) && part.chars().all(char::is_alphabetic)
    };
    word.contains('.') && word.split('.').all(part)
}
