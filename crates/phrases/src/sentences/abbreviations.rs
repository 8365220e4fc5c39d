//! Abbreviations that end with a full stop, grouped by what usually follows them.
//!
//! A lowercase entry also matches a word with a capital first letter ("dr" matches "Dr" and "DR"). An entry with a
//! capital letter matches only a word with a capital first letter, because the lowercase word has a different meaning
//! ("Sat." and "sat."). The language of a text is unknown, so the lists omit abbreviations that are common words in
//! another supported language.
//!
//! The lists were compiled by hand for this crate. They cover European languages: titles, months, units, U.S. states,
//! and the abbreviations of reference works. No published list groups abbreviations by what follows them; the
//! segmentation suppressions of Unicode's CLDR (Common Locale Data Repository) only list them.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// Whether a sentence ends at the full stop of an abbreviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A title, after which a name follows ("Dr."). The sentence continues, unless a number or no word follows. In
    /// capital letters, the title may be a different word ("MS"): the sentence then ends before a word that often
    /// begins sentences.
    Title,
    /// The sentence always continues ("e.g.").
    Inner,
    /// The sentence continues if a number follows ("vol."). Otherwise like `Ambiguous`.
    BeforeNumber,
    /// The sentence continues if a number follows ("no. 5"). Otherwise a single letter is like `Ambiguous`. A longer
    /// word is then not an abbreviation, and the sentence ends ("no.").
    BeforeNumberOrWord,
    /// The sentence ends if a number follows, or a word that often begins sentences ("Inc. The"). It continues if a
    /// number follows "al." ("et al. 2020").
    Ambiguous,
    /// The end of a list, or a unit ("etc.", "km."). The sentence ends, unless a lowercase word follows.
    Final,
}

#[rustfmt::skip]
const TITLES: &[&str] = &[
    "Adm", "Amb", "Archbp", "Brig", "Capt", "cmdr", "Col", "Cpl", "dr", "dra", "Drs", "Fr", "Ft", "Gen", "Gov",
    "Hon", "Hr", "Insp", "Kpt", "Lt", "Ltn", "Maj", "Messrs", "mgr", "mlle", "mlles", "MM", "mme", "mmes", "mr",
    "mrs", "ms", "msgr", "mx", "Pfc", "Pharm", "Pres", "prof", "profs", "Pvt", "Rep", "Reps", "Rev", "Revd", "Sen",
    "Sens", "Sgt", "Sig", "sra", "sras", "sres", "srta", "Supt", "Dott", "Ing", "Avv", "dhr", "mevr", "Ven", "проф",
    "акад", "св", "ул", "ul", "им", "гр", "тов", "ks", "płk", "hab", "Dipl", "Mag", "dña", "uds",
];

#[rustfmt::skip]
const INNER: &[&str] = &[
    "approx", "cf", "vs", "viz", "e.g", "i.e", "eg", "ie", "a.k.a", "w.r.t", "incl", "excl", "esp", "resp", "c.f",
    "v.s", "n.b", "i.a", "q.v", "b.v", "o.a", "d.w.z", "bijv", "bv", "t.ex", "bl.a", "f.eks", "p.g.a", "dvs", "fx",
    "z.b", "d.h", "u.a", "i.d.r", "s.o", "s.u", "bzw", "ggf", "vgl", "evtl", "sog", "ehem", "geb", "gest", "zzgl",
    "inkl", "p.ex", "p.ej", "c.-à-d", "c.à.d", "ej", "env", "av", "aprox", "núm", "tzn", "tj", "np", "např", "tzv",
    "т.е", "т.к", "т.н", "напр", "тыс", "млн", "млрд", "ок", "род", "ур",
];

#[rustfmt::skip]
const BEFORE_NUMBERS: &[&str] = &[
    "nos", "nr", "nrs", "pp", "pg", "pgs", "vol", "vols", "chap", "chaps", "sect", "secs", "figs", "eq", "eqs",
    "eqn", "eqns", "para", "paras", "ver", "ca", "circa", "est", "suppl", "ser", "ext", "tel", "fn", "ff", "bd",
    "bde", "abb", "kap", "tab", "abs", "ziff", "s", "p", "c", "v", "f", "n", "r", "l", "t", "§", "hfst", "blz",
    "str", "pág", "págs", "pag", "cap", "tít", "стр", "рис", "гл", "табл", "čís", "č", "kl", "Jan", "Feb", "Febr",
    "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Okt", "Nov", "Dec", "Dez", "Mon", "Tue", "Tues",
    "Wed", "Thu", "Thur", "Thurs", "Fri", "Sat", "Sun", "janv", "févr", "juil", "déc", "ene", "abr", "dic",
];

#[rustfmt::skip]
const BEFORE_NUMBERS_OR_WORDS: &[&str] = &[
    "no", "fig", "art", "pop", "sec", "ch", "op", "ed", "min", "max", "app", "ref", "pt", "nº", "arts", "d", "b",
    "m",
];

#[rustfmt::skip]
const AMBIGUOUS: &[&str] = &[
    "inc", "sr", "ltd", "corp", "co", "cos", "bros", "llc", "plc", "gmbh", "jr", "jun", "sen", "esq", "st", "ste",
    "mt", "mts", "ave", "blvd", "rd", "hwy", "pkwy", "dept", "depts", "univ", "assn", "assoc", "acad", "inst",
    "intl", "natl", "govt", "mfg", "mkt", "bldg", "dist", "div", "reg", "comm", "admin", "asst", "attys", "cdr",
    "mgmt", "ph", "phd", "Ala", "Ariz", "Ark", "Calif", "Colo", "Conn", "Del", "Fla", "Ga", "Ill", "Ind", "Kan",
    "Ky", "Mass", "Md", "Mich", "Minn", "Mo", "Mont", "Neb", "Nev", "Okla", "Ore", "Penn", "Pa", "Tenn", "Tex",
    "Va", "Vt", "Wash", "Wis", "Wyo", "Ont", "Que", "Bhd", "pty", "pvt", "mio", "mrd", "jh", "jhd", "jhdt", "hrsg",
    "aufl", "ausg", "verw", "lt", "eds", "repr", "trans", "transl", "rev", "lat", "hist", "biol", "chem", "phys",
    "math", "med", "ital", "engl", "dt", "franz", "griech", "wm", "chas", "geo", "jos", "thos", "avda", "apdo",
    "tte", "dpto", "gg", "гг", "вв", "руб", "коп", "обл", "г", "al", "doc", "spp", "sp", "subsp", "var",
];

#[rustfmt::skip]
const FINAL: &[&str] = &[
    "etc", "usw", "ecc", "enz", "osv", "itd", "itp", "atd", "apod", "stb", "u.s.w", "m.m", "т.д", "т.п", "др", "пр",
    "cm", "cu", "ft", "hr", "hrs", "kg", "km", "lb", "lbs", "mi", "mins", "mm", "oz", "sq", "tbsp", "tsp", "yd",
    "yr", "yrs",
];

static TABLE: LazyLock<FxHashMap<&str, Kind>> = LazyLock::new(|| {
    let kinds = [
        (TITLES, Kind::Title),
        (INNER, Kind::Inner),
        (BEFORE_NUMBERS, Kind::BeforeNumber),
        (BEFORE_NUMBERS_OR_WORDS, Kind::BeforeNumberOrWord),
        (AMBIGUOUS, Kind::Ambiguous),
        (FINAL, Kind::Final),
    ];
    kinds.into_iter().flat_map(|(words, kind)| words.iter().map(move |&word| (word, kind))).collect()
});

/// Returns the kind of an abbreviation, which is given without its final full stop. Returns `None` if the word is not
/// an abbreviation.
pub(crate) fn kind(word: &str) -> Option<Kind> {
    if let Some(&kind) = TABLE.get(word) {
        return Some(kind);
    }
    let mut characters = word.chars();
    let first = characters.next().filter(|first| first.is_uppercase())?;
    // A word that begins with a capital letter also matches lowercase and capitalized entries.
    let lowercase = word.to_lowercase();
    let capitalized = first.to_uppercase().chain(characters.flat_map(char::to_lowercase)).collect::<String>();
    TABLE.get(lowercase.as_str()).or_else(|| TABLE.get(capitalized.as_str())).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_abbreviation_has_two_kinds() {
        let mut words = [TITLES, INNER, BEFORE_NUMBERS, BEFORE_NUMBERS_OR_WORDS, AMBIGUOUS, FINAL].concat();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn lowercase_entries_match_any_case_and_capitalized_entries_need_a_capital_letter() {
        assert_eq!(kind("dr"), Some(Kind::Title));
        assert_eq!(kind("Dr"), Some(Kind::Title));
        assert_eq!(kind("DR"), Some(Kind::Title));
        assert_eq!(kind("Gen"), Some(Kind::Title));
        assert_eq!(kind("GEN"), Some(Kind::Title));
        assert_eq!(kind("gen"), None);
        assert_eq!(kind("sat"), None);
        assert_eq!(kind("Sat"), Some(Kind::BeforeNumber));
        assert_eq!(kind("Т.е"), Some(Kind::Inner));
        assert_eq!(kind(""), None);
    }
}
