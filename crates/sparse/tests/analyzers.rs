//! The tokens of each analyzer: published stems, the word pieces of a model, and invariants for arbitrary texts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sparse::{Analyzer, Error, Language};
use tokenize::Tokenizer;

fn snowball(language: &str) -> Analyzer {
    Analyzer::snowball(language.parse().expect("a language of Snowball's"))
}

fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// Every analyzer, and some of them again with other stop words.
fn analyzers() -> Vec<Analyzer> {
    let word_piece = Analyzer::word_piece(&model("tiny-encoder")).expect("the project carries it");
    let mut analyzers = vec![Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE, word_piece];
    let stopped = analyzers
        .clone()
        .into_iter()
        .map(|analyzer| analyzer.with_stop_words(["the", "of", "No", "été", "##s", "[UNK]"]).expect("words"));
    analyzers.extend(stopped.collect::<Vec<_>>());
    analyzers.extend(Language::all().map(Analyzer::snowball));
    analyzers
}

#[test]
fn stems_are_those_that_snowball_publishes() {
    // Pairs of the vocabularies and outputs in snowball-data (snowballstem.org), for Snowball 3.
    for (language, pairs) in [
        ("english", "consistently consist consolation consol knackeries knackeri skies sky dying die"),
        (
            "german",
            "beobachtungen beobacht beleidigungen beleid bewegungsgründe bewegungsgrund bezeichnungen bezeichn brüderschaft bruderschaft",
        ),
        ("french", "continuation continu continuelle continuel majestueusement majestu maintenir mainten"),
        (
            "spanish",
            "cocaína cocain coherencia coherent comercialización comercializ competidores competidor cómodamente comod",
        ),
        ("italian", "abbandonata abbandon abbandonate abbandon pronostico pronost propaga propag"),
        (
            "russian",
            "великодушнейший великодушн вдохновение вдохновен верностью верност вглядывалась вглядыва вернуться вернут",
        ),
        (
            "finnish",
            "aiheutettiin aiheutet ahtisaarella ahtisaar ahvenanmaalaisista ahvenanmaalais aihepiiristä aihepiir",
        ),
        (
            "swedish",
            "jaktkarlarne jaktkarl jaktkarlens jaktkarl jaktlöjtnantens jaktlöjtnant klostergården klostergård",
        ),
    ] {
        let words: Vec<&str> = pairs.split(' ').collect();
        for pair in words.chunks(2) {
            assert_eq!(snowball(language).tokens(pair[0]), [pair[1]], "{language}: {}", pair[0]);
        }
    }
}

#[test]
fn snowballs_chain_is_words_lower_case_stop_words_stems() {
    // "die" and "der" are stop words.
    assert_eq!(snowball("german").tokens("Die Häuser DER Städte, 3.14"), ["haus", "stadt", "3.14"]);
    // Others take their place, and are compared before stems: "Haus" stays.
    let stopped = snowball("german").with_stop_words(["HÄUSER"]).expect("a word");
    assert_eq!(stopped.tokens("Die Häuser, das Haus"), ["die", "das", "haus"]);
    // Elisions are the stemmer's business, whichever apostrophe is written.
    assert_eq!(snowball("french").tokens("l'avion L’AVION"), ["avion", "avion"]);
    assert_eq!(snowball("english").tokens("the navy’s navy's"), ["navi", "navi"]);
    // I is ı in Turkish: "ırmak" is a river. İ is i as everywhere.
    assert_eq!(snowball("turkish").tokens("IRMAK İSTANBUL'DA"), ["ırmak", "istanbul"]);
    assert_eq!(snowball("swedish").tokens("IRMAK"), ["irmak"]);
    // A language without a list keeps every word.
    let turkish: Language = "turkish".parse().expect("a language");
    assert!(!turkish.has_stop_words());
    assert_eq!(snowball("turkish").tokens("ve"), ["ve"]);
    let listed: Vec<&str> =
        Language::all().filter(|language| language.has_stop_words()).map(Language::name).collect();
    assert_eq!(
        listed.join(" "),
        "danish dutch dutch_porter english finnish french german hungarian italian lovins norwegian porter portuguese russian spanish swedish"
    );
}

#[test]
fn word_pieces_are_the_models() {
    let analyzer = Analyzer::word_piece(&model("minilm-encoder")).expect("the project carries it");
    // "Reba" is re ##ba in BERT's vocabulary (Ram et al., 2023, appendix A); [SEP] in a text is text.
    assert_eq!(
        analyzer.tokens("Reba's embeddings"),
        ["re", "##ba", "'", "s", "em", "##bed", "##ding", "##s"]
    );
    assert_eq!(analyzer.tokens("[SEP] Wörld ☃"), ["[", "sep", "]", "world", "[UNK]"]);
    // Longer than any model takes: nothing is cut off.
    assert_eq!(analyzer.tokens(&"word ".repeat(10_000)).len(), 10_000);
    let stopped = analyzer.clone().with_stop_words(["##s", "[UNK]", "'"]).expect("pieces");
    assert_eq!(stopped.tokens("Reba's embeddings ☃"), ["re", "##ba", "s", "em", "##bed", "##ding"]);
    // The folder and its file are one tokenizer; another model's is another.
    assert_eq!(Analyzer::word_piece(&model("minilm-encoder/tokenizer.json")).ok(), Some(analyzer.clone()));
    assert_ne!(Analyzer::word_piece(&model("tiny-encoder")).ok(), Some(analyzer));
}

#[test]
fn what_is_no_word_piece_tokenizer_is_refused() {
    let missing = Analyzer::word_piece(&model("no-such-model")).expect_err("nothing there");
    assert!(matches!(missing, Error::Tokenizer(tokenize::Error::Io { .. })), "{missing}");
    let other = Analyzer::word_piece(&model("tiny-encoder/config.json")).expect_err("another file");
    assert!(matches!(other, Error::Tokenizer(tokenize::Error::Format { .. })), "{other}");
    // The same vocabulary as byte pairs, and one without its unknown token.
    let json = std::fs::read_to_string(model("tiny-encoder/tokenizer.json")).expect("a tokenizer");
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tokenizer.json");
    let mut refused = |model: &dyn Fn(&mut serde_json::Value)| {
        model(&mut value["model"]);
        std::fs::write(&path, value.to_string()).expect("a file");
        Analyzer::word_piece(folder.path()).expect_err("another model").to_string()
    };
    let words = "expected a WordPiece model with its unknown token, got another model";
    assert!(refused(&|model| model["unk_token"] = "[NONE]".into()).ends_with(words));
    assert!(
        refused(&|model| {
            model["type"] = "BPE".into();
            model["merges"] = serde_json::json!([]);
        })
        .ends_with(words)
    );
}

#[test]
fn one_versions_tokens_do_not_change() {
    // The CRC-32 of the tokens of these texts by each analyzer. Where one is another than before, the tokens of an
    // index made then are not those of a query now: raise the analyzer's version in `analyzer.rs`.
    let texts = [
        "The U.S. Navy’s ships were running; don't R2-D2 naïvely. 3.14 été İO ΟΔΟΣ",
        "Die Beobachtungen der Brüderschaft über Straßen und Häuser sowie bequemliche Äußerungen",
        "L'avion des majestueuses continuations qu’elles maintenaient; les chevaux étaient beaux",
        "Las comercializaciones competidoras y los cocainómanos cómodamente; nação quilométricas",
        "великодушнейший вдохновение верностью; ведомости вернуться Καλημέρα χαρούμενε φορολογούμενε",
        "havnemyndighetene klostergården undersøgelse aiheutettiin babakocsijáért lichamelijkheden",
        "abbandonata pronosticò kitaplarından evlerimizdeki wiadomości nejzajímavější կառավարություն",
        "المكتبات والكتاب हिन्दी पुस्तकों விளையாட்டுகள் ספרים پژوهشگران",
    ];
    let tokens = |analyzer: &Analyzer| {
        let mut digest = flate2::Crc::new();
        texts.iter().for_each(|text| {
            analyzer.for_each_token(text, |token| digest.update(format!("{token}\n").as_bytes()));
        });
        format!("{analyzer} v{} {:08x}\n", analyzer.version(), digest.sum())
    };
    let named = [Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE];
    let word_piece = Analyzer::word_piece(&model("tiny-encoder")).expect("the project carries it");
    let all = named.into_iter().chain([word_piece]).chain(Language::all().map(Analyzer::snowball));
    let got: String = all.map(|analyzer| tokens(&analyzer)).collect();
    let (_, golden) =
        include_str!("analyzers.golden.txt").split_once('\n').expect("a line that says what it is");
    assert_eq!(got, golden);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_text_has_terms_and_none_is_empty(text in "\\PC{0,40}|[\\PC\u{0}-\u{20} '’]{0,80}") {
        for analyzer in analyzers() {
            prop_assert!(analyzer.tokens(&text).iter().all(|token| !token.is_empty()), "{analyzer}");
        }
    }

    #[test]
    fn any_word_of_a_script_has_a_stem(
        word in "[a-zà-žß'ıİ]{1,24}|[а-џѐ]{1,24}|[α-ώΐς]{1,24}|[ء-ٟپ-ی\u{200c}]{1,24}|[ऀ-ॿ]{1,24}|[஀-௿]{1,24}|[א-ת\u{591}-\u{5c7}]{1,24}|[ա-և]{1,24}",
        ending in "(ований|ость|ationen|issement|erinnen|izations|lerinden|ssaan|okhoz|ização|’|'|'s)?",
    ) {
        for language in Language::all() {
            let analyzer = Analyzer::snowball(language);
            let text = format!("{word}{ending}");
            prop_assert!(analyzer.tokens(&text).len() <= text.chars().count(), "{analyzer}");
        }
    }

    #[test]
    fn stop_words_are_never_terms(
        text in "[abAB'’ .\u{e9}\u{c9}]{0,30}",
        words in prop::collection::vec("[abAB\u{e9}\u{c9}]{1,2}", 0..4),
    ) {
        // Without stems a term is compared as it is; with them, a text of nothing but stop words has none.
        for analyzer in [Analyzer::SIMPLE, Analyzer::WHITESPACE] {
            let stopped = analyzer.clone().with_stop_words(&words).expect("words");
            let listed = stopped.stop_words().expect("a list").to_vec();
            let expected: Vec<String> =
                analyzer.tokens(&text).into_iter().filter(|token| !listed.contains(token)).collect();
            prop_assert_eq!(stopped.tokens(&text), expected);
        }
        for analyzer in analyzers().into_iter().filter(|analyzer| analyzer.name() != "wordpiece") {
            let stopped = analyzer.with_stop_words(&words).expect("words");
            prop_assert_eq!(stopped.tokens(&words.join(" ")), [""; 0], "{}", stopped);
        }
    }

    #[test]
    fn terms_without_stems_are_terms_of_themselves(text in "\\PC{0,60}") {
        for analyzer in [Analyzer::SIMPLE, Analyzer::WHITESPACE] {
            let tokens = analyzer.tokens(&text);
            prop_assert_eq!(analyzer.tokens(&tokens.join(" ")), tokens, "{}", analyzer);
        }
    }

    #[test]
    fn word_pieces_are_those_that_a_model_is_given(text in "\\PC{0,60}") {
        let path = model("tiny-encoder");
        let analyzer = Analyzer::word_piece(&path).expect("the project carries it");
        let tokenizer = Tokenizer::open(&path.join("tokenizer.json")).expect("the project carries it");
        let json = std::fs::read(path.join("tokenizer.json")).expect("a tokenizer");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let ids: Vec<u64> = analyzer
            .tokens(&text)
            .iter()
            .map(|token| json["model"]["vocab"][token].as_u64().expect("a piece of the vocabulary"))
            .collect();
        let pieces = tokenizer.pieces(&text).expect("tokenises");
        prop_assert_eq!(ids, pieces.ids.into_iter().map(u64::from).collect::<Vec<_>>());
    }
}
