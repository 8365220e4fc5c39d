//! Lists of words that help to decide whether a sentence ends at a terminator. They were compiled by hand for this
//! crate.

/// Words that often begin sentences and rarely begin names. Even after an initial, a sentence ends before such a word.
#[rustfmt::skip]
const STARTERS: &[&str] = &[
    "A", "About", "According", "After", "Again", "All", "Also", "Although", "Among", "An", "And", "Another", "Are",
    "As", "At", "Because", "Before", "Between", "Both", "But", "By", "Can", "Despite", "Did", "Do", "Does",
    "During", "Each", "Even", "Every", "Few", "Finally", "For", "From", "Had", "Has", "Have", "He", "Her", "Here",
    "His", "How", "However", "I", "If", "In", "Instead", "Is", "It", "Its", "Later", "Many", "Meanwhile", "More",
    "Most", "Much", "My", "Neither", "Nor", "Now", "On", "Once", "One", "Only", "Or", "Other", "Others", "Our",
    "Over", "Perhaps", "She", "Since", "So", "Some", "Still", "Such", "That", "The", "Their", "Then", "There",
    "Therefore", "These", "They", "This", "Those", "Though", "Through", "Thus", "To", "Today", "Under", "Until",
    "Was", "We", "Were", "What", "When", "Where", "Whether", "Which", "While", "Who", "Why", "Will", "With",
    "Within", "Without", "Would", "Yes", "Yet", "You", "Your", "В", "Вы", "Его", "Если", "Затем", "И", "Из", "Как",
    "Когда", "Мы", "На", "Но", "Он", "Она", "Они", "Оно", "По", "После", "При", "Также", "Там", "Тогда", "Что",
    "Это", "Этот", "Я",
];

/// Other words that often begin sentences. Some also begin names ("La Salle", "Le Guin").
#[rustfmt::skip]
const MORE_STARTERS: &[&str] = &[
    "Aber", "Als", "Am", "An", "Auch", "Au", "Aux", "Avec", "Bei", "Ce", "Ces", "Cette", "Con", "Così", "Da",
    "Dans", "Das", "De", "Dem", "Den", "Depuis", "Der", "Des", "Después", "Desde", "Die", "Dies", "Diese", "Dieser",
    "Dieses", "Dann", "Du", "Durch", "Ein", "Eine", "Einen", "El", "Ella", "Elle", "Elles", "Ellos", "En",
    "Entonces", "Er", "Es", "Esta", "Este", "Esto", "Et", "Für", "Gli", "Het", "Hier", "Ich", "Ihr", "Ihre", "Il",
    "Ils", "Im", "Je", "La", "Las", "Le", "Les", "Lo", "Los", "Mais", "Man", "Mit", "Nach", "Nous", "O", "Os", "On",
    "Par", "Per", "Pero", "Pour", "Por", "Sa", "Se", "Sein", "Seine", "Seit", "Ses", "Sie", "Sin", "Son", "Su",
    "Sur", "Todos", "Un", "Una", "Und", "Une", "Uno", "Von", "Vor", "Wenn", "Wir", "Zu", "Zum", "Zwei",
];

/// Words that continue a sentence after "5 p.m.".
#[rustfmt::skip]
const TIME_WORDS: &[&str] = &[
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Mon", "Tue", "Tues", "Wed",
    "Thu", "Thurs", "Fri", "Sat", "Sun", "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept",
    "Oct", "Nov", "Dec", "EST", "EDT", "ET", "CST", "CDT", "CT", "MST", "MDT", "MT", "PST", "PDT", "PT", "GMT",
    "UTC", "BST", "CET", "CEST", "IST", "JST", "AEST", "Eastern", "Central", "Pacific", "Mountain", "Greenwich",
    "London",
];

/// Words that follow German ordinal numbers ("3. Oktober").
#[rustfmt::skip]
const AFTER_ORDINALS: &[&str] = &[
    "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember", "Jahrhundert", "Jahrhunderts", "Jahrhunderte", "Jahrtausend", "Jahrtausends", "Jh", "Jhd", "Jhdt",
];

/// Words that precede German ordinal numbers ("im 3. Jahrhundert").
const BEFORE_ORDINALS: &[&str] =
    &["der", "dem", "den", "des", "im", "vom", "zum", "zur", "beim", "die", "das"];

/// Verbs of speech, which follow a quotation and the name of its speaker.
#[rustfmt::skip]
const SPEECH_VERBS: &[&str] = &[
    "added", "answered", "asked", "asks", "called", "cried", "cries", "declared", "exclaimed", "explained",
    "muttered", "remarked", "replied", "replies", "said", "says", "screamed", "shouted", "shouts", "sighed",
    "whispered", "wondered", "wrote", "yelled",
];

/// Words that begin a new sentence after a quotation, because they do not name the speaker of the quotation.
const NOT_SPEAKERS: &[&str] = &[
    "He", "She", "They", "We", "You", "It", "The", "A", "This", "That", "Then", "Who", "Nobody", "Everyone",
];

/// Whether a word often begins sentences, but rarely names.
pub(crate) fn is_unambiguous_starter(word: &str) -> bool {
    STARTERS.contains(&word)
}

/// Whether a word often begins sentences, and perhaps also names.
pub(crate) fn is_possible_starter(word: &str) -> bool {
    STARTERS.contains(&word) || MORE_STARTERS.contains(&word)
}

/// Whether a word continues a sentence after "5 p.m.".
pub(crate) fn is_time_word(word: &str) -> bool {
    TIME_WORDS.contains(&word)
}

/// Whether a number with a full stop is a German ordinal, by the words `before` and `after` it. One of the two words is
/// enough.
pub(crate) fn makes_ordinal(before: &str, after: &str) -> bool {
    AFTER_ORDINALS.contains(&after) || BEFORE_ORDINALS.iter().any(|word| word.eq_ignore_ascii_case(before))
}

/// Whether the two words after a quotation name its speaker: "Ada asked".
pub(crate) fn names_speaker(first: &str, second: &str) -> bool {
    SPEECH_VERBS.contains(&second) && !NOT_SPEAKERS.contains(&first)
}
