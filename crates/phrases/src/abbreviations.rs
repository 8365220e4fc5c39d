//! Abbreviations that end in a full stop, and what it means after them.
//!
//! Entries in small letters are found in any case; those with a capital only with one, since in small letters they are
//! words ("Sat." and "sat."). A word that is common in some other language is left out, as the language of a text is not
//! known here.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What a full stop after an abbreviation means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name follows: the sentence goes on.
    Title,
    /// It stands inside sentences.
    Inside,
    /// A number follows; without one it is as `Either`.
    Number,
    /// A number follows, or it is a word at the end of a sentence.
    NumberOrWord,
    /// It ends a sentence where what follows begins as sentences do.
    Either,
    /// It ends lists, or is a unit: it ends a sentence if a capital follows.
    Last,
}

#[rustfmt::skip]
const TITLES: &[&str] = &[
    "Adm", "Amb", "Archbp", "Brig", "Capt", "cmdr", "Col", "Cpl", "dr", "dra", "Drs", "Fr", "Ft", "Gen", "Gov", "Hon",
    "Hr", "Insp", "Kpt", "Lt", "Ltn", "Maj", "Messrs", "mgr", "mlle", "mlles", "MM", "mme", "mmes", "mr", "mrs", "ms",
    "msgr", "mx", "Pfc", "Pharm", "Pres", "prof", "profs", "Pvt", "Rep", "Reps", "Rev", "Revd", "Sen", "Sens", "Sgt", "Sig",
    "sra", "sras", "sres", "srta", "Supt", "Dott", "Ing", "Avv", "dhr", "mevr", "Ven", "проф", "акад", "св", "ул", "ul", "им",
    "гр", "тов", "ks", "płk", "hab", "Dipl", "Mag", "dña", "uds",
];

#[rustfmt::skip]
const INSIDE: &[&str] = &[
    "approx", "cf", "vs", "viz", "e.g", "i.e", "eg", "ie", "a.k.a", "w.r.t", "incl", "excl", "esp", "resp", "c.f", "v.s",
    "n.b", "i.a", "q.v", "b.v", "o.a", "d.w.z", "bijv", "bv", "t.ex", "bl.a", "f.eks", "p.g.a", "dvs", "fx",
    "z.b", "d.h", "u.a", "i.d.r", "s.o", "s.u", "bzw", "ggf", "vgl", "evtl", "sog", "ehem", "geb", "gest", "zzgl", "inkl",
    "p.ex", "p.ej", "c.-à-d", "c.à.d", "ej", "env", "av", "aprox", "núm", "tzn", "tj", "np", "např", "tzv",
    "т.е", "т.к", "т.н", "напр", "тыс", "млн", "млрд", "ок", "род", "ур",
];

#[rustfmt::skip]
const NUMBERS: &[&str] = &[
    "nos", "nr", "nrs", "pp", "pg", "pgs", "vol", "vols", "chap", "chaps", "sect", "secs", "figs", "eq", "eqs", "eqn",
    "eqns", "para", "paras", "ver", "ca", "circa", "est", "suppl", "ser", "ext", "tel", "fn", "ff", "bd", "bde", "abb",
    "kap", "tab", "abs", "ziff", "s", "p", "c", "v", "f", "n", "r", "l", "t", "§", "hfst", "blz", "str", "pág", "págs",
    "pag", "cap", "tít", "стр", "рис", "гл", "табл", "čís", "č", "kl", "Jan", "Feb", "Febr", "Mar", "Apr", "Jun", "Jul",
    "Aug", "Sep", "Sept", "Oct", "Okt", "Nov", "Dec", "Dez", "Mon", "Tue", "Tues", "Wed", "Thu", "Thur", "Thurs", "Fri", "Sat", "Sun", "janv", "févr", "juil", "déc", "ene", "abr", "dic",
];

#[rustfmt::skip]
const NUMBERS_OR_WORDS: &[&str] = &["no", "fig", "art", "pop", "sec", "ch", "op", "ed", "min", "max", "app", "ref", "pt", "nº", "arts", "d", "b", "m"];

#[rustfmt::skip]
const EITHER: &[&str] = &[
    "inc", "sr", "ltd", "corp", "co", "cos", "bros", "llc", "plc", "gmbh", "jr", "jun", "sen", "esq", "st", "ste", "mt", "mts",
    "ave", "blvd", "rd", "hwy", "pkwy", "dept", "depts", "univ", "assn", "assoc", "acad", "inst", "intl", "natl",
    "govt", "mfg", "mkt", "bldg", "dist", "div", "reg", "comm", "admin", "asst", "attys", "cdr", "mgmt", "ph", "phd",
    "Ala", "Ariz", "Ark", "Calif", "Colo",
    "Conn", "Del", "Fla", "Ga", "Ill", "Ind", "Kan", "Ky", "Mass", "Md", "Mich", "Minn", "Mo", "Mont", "Neb", "Nev",
    "Okla", "Ore", "Penn", "Pa", "Tenn", "Tex", "Va", "Vt", "Wash", "Wis", "Wyo", "Ont", "Que", "Bhd", "pty", "pvt",
    "mio", "mrd", "jh", "jhd", "jhdt", "hrsg", "aufl", "ausg", "verw", "lt", "eds", "repr", "trans", "transl", "rev",
    "lat", "hist", "biol", "chem", "phys", "math", "med", "ital", "engl", "dt", "franz", "griech", "wm", "chas", "geo",
    "jos", "thos", "avda", "apdo", "tte", "dpto", "gg", "гг", "вв", "руб", "коп", "обл", "г", "al",
    "doc", "spp", "sp", "subsp", "var",
];

#[rustfmt::skip]
const LAST: &[&str] = &[
    "etc", "usw", "ecc", "enz", "osv", "itd", "itp", "atd", "apod", "stb", "u.s.w", "m.m", "т.д", "т.п", "др", "пр",
    "cm", "cu", "ft", "hr", "hrs", "kg", "km", "lb", "lbs", "mi", "mins", "mm", "oz", "sq", "tbsp", "tsp", "yd", "yr", "yrs",
];

static TABLE: LazyLock<FxHashMap<&str, Kind>> = LazyLock::new(|| {
    let kinds = [
        (TITLES, Kind::Title),
        (INSIDE, Kind::Inside),
        (NUMBERS, Kind::Number),
        (NUMBERS_OR_WORDS, Kind::NumberOrWord),
        (EITHER, Kind::Either),
        (LAST, Kind::Last),
    ];
    kinds.into_iter().flat_map(|(words, kind)| words.iter().map(move |&word| (word, kind))).collect()
});

/// The kind of a word before a full stop, given without it.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    if let Some(&kind) = TABLE.get(word) {
        return Some(kind);
    }
    let mut letters = word.chars();
    let first = letters.next().filter(|first| first.is_uppercase())?;
    // In capitals, or with one: as a small word, or as one with a capital.
    let small = word.to_lowercase();
    let capital = first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect::<String>();
    TABLE.get(small.as_str()).or_else(|| TABLE.get(capital.as_str())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_abbreviation_has_two_kinds() {
        let mut words = [TITLES, INSIDE, NUMBERS, NUMBERS_OR_WORDS, EITHER, LAST].concat();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn small_entries_are_found_in_any_case_and_capital_ones_with_a_capital() {
        assert_eq!(kind("dr"), Some(Kind::Title));
        assert_eq!(kind("Dr"), Some(Kind::Title));
        assert_eq!(kind("DR"), Some(Kind::Title));
        assert_eq!(kind("Gen"), Some(Kind::Title));
        assert_eq!(kind("GEN"), Some(Kind::Title));
        assert_eq!(kind("gen"), None);
        assert_eq!(kind("sat"), None);
        assert_eq!(kind("Sat"), Some(Kind::Number));
        assert_eq!(kind("Т.е"), Some(Kind::Inside));
        assert_eq!(kind(""), None);
    }
}
