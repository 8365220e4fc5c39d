//! The tokens of each analyzer: stems that Snowball publishes, the word pieces of a model, and properties of the tokens
//! of random texts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use sparse::{Analyzer, Error, Language};
use tokenize::Tokenizer;

/// Returns the Snowball analyzer of a language.
fn snowball(language: &str) -> Analyzer {
    Analyzer::snowball(language.parse().expect("a language of Snowball"))
}

/// Returns the folder, or a file, of a model in the repository.
fn model(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name)
}

/// Returns every analyzer, and some of them a second time with stop words of the caller.
fn analyzers() -> Vec<Analyzer> {
    let word_piece = Analyzer::word_piece(&model("tiny-encoder")).expect("a model in the repository");
    let mut analyzers = vec![Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE, word_piece];
    let with_stop_words = analyzers
        .clone()
        .into_iter()
        .map(|analyzer| analyzer.with_stop_words(["the", "of", "No", "été", "##s", "[UNK]"]).expect("words"));
    analyzers.extend(with_stop_words.collect::<Vec<_>>());
    analyzers.extend(Language::all().map(Analyzer::snowball));
    analyzers
}

#[test]
fn stems_are_those_that_snowball_publishes() {
    // Pairs of a word and its stem from snowball-data (snowballstem.org), for Snowball 3.
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
fn a_snowball_analyzer_lowercases_removes_stop_words_and_stems() {
    // "die" and "der" are stop words.
    assert_eq!(snowball("german").tokens("Die Häuser DER Städte, 3.14"), ["haus", "stadt", "3.14"]);
    // A caller's stop words replace the default ones. They are compared with unstemmed words, so "Haus" is kept.
    let analyzer = snowball("german").with_stop_words(["HÄUSER"]).expect("a word");
    assert_eq!(analyzer.tokens("Die Häuser, das Haus"), ["die", "das", "haus"]);
    // The stemmer removes elisions and possessives, with either apostrophe.
    assert_eq!(snowball("french").tokens("l'avion L’AVION"), ["avion", "avion"]);
    assert_eq!(snowball("english").tokens("the navy’s navy's"), ["navi", "navi"]);
    // The lower case of I is ı in Turkish ("ırmak" means river). The lower case of İ is i in all languages.
    assert_eq!(snowball("turkish").tokens("IRMAK İSTANBUL'DA"), ["ırmak", "istanbul"]);
    assert_eq!(snowball("swedish").tokens("IRMAK"), ["irmak"]);
    // Snowball has no stop words for Turkish, so every word is kept.
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
fn word_pieces_are_those_of_the_models_vocabulary() {
    let analyzer = Analyzer::word_piece(&model("minilm-encoder")).expect("a model in the repository");
    // "Reba" is re ##ba in BERT's vocabulary (Ram et al., 2023, "What are you token about?", appendix A).
    assert_eq!(
        analyzer.tokens("Reba's embeddings"),
        ["re", "##ba", "'", "s", "em", "##bed", "##ding", "##s"]
    );
    // In a text, the name of a special token is ordinary text.
    assert_eq!(analyzer.tokens("[SEP] Wörld ☃"), ["[", "sep", "]", "world", "[UNK]"]);
    // A text that is longer than any model accepts is not truncated.
    assert_eq!(analyzer.tokens(&"word ".repeat(10_000)).len(), 10_000);
    let with_stop_words = analyzer.clone().with_stop_words(["##s", "[UNK]", "'"]).expect("pieces");
    assert_eq!(with_stop_words.tokens("Reba's embeddings ☃"), ["re", "##ba", "s", "em", "##bed", "##ding"]);
    // The path of the file gives the same analyzer as the path of its folder; a different model gives a different one.
    assert_eq!(Analyzer::word_piece(&model("minilm-encoder/tokenizer.json")).ok(), Some(analyzer.clone()));
    assert_ne!(Analyzer::word_piece(&model("tiny-encoder")).ok(), Some(analyzer));
}

#[test]
fn files_that_are_not_word_piece_tokenizers_are_refused() {
    let missing = Analyzer::word_piece(&model("no-such-model")).expect_err("no such folder");
    assert!(matches!(missing, Error::Tokenizer(tokenize::Error::Io { .. })), "{missing}");
    let other = Analyzer::word_piece(&model("tiny-encoder/config.json")).expect_err("another file");
    assert!(matches!(other, Error::Tokenizer(tokenize::Error::Format { .. })), "{other}");
    // First, the tokenizer gets an unknown token that is not in its vocabulary. Then its type also becomes byte-pair
    // encoding (BPE).
    let json = std::fs::read_to_string(model("tiny-encoder/tokenizer.json")).expect("a tokenizer");
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("tokenizer.json");
    let mut refused = |change: &dyn Fn(&mut serde_json::Value)| {
        change(&mut value["model"]);
        std::fs::write(&path, value.to_string()).expect("a file");
        Analyzer::word_piece(folder.path()).expect_err("another model").to_string()
    };
    let message = "expected a WordPiece model with its unknown token, got another model";
    assert!(refused(&|model| model["unk_token"] = "[NONE]".into()).ends_with(message));
    assert!(
        refused(&|model| {
            model["type"] = "BPE".into();
            model["merges"] = serde_json::json!([]);
        })
        .ends_with(message)
    );
}

#[test]
fn the_tokens_of_an_analyzer_change_only_with_its_version() {
    // `analyzers.golden.txt` has the CRC-32 of the tokens of these texts for each analyzer. If a CRC changes, the tokens
    // of queries no longer match those of existing indexes: raise the analyzer's version in `analyzer.rs`.
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
    let line = |analyzer: &Analyzer| {
        let mut digest = flate2::Crc::new();
        texts.iter().for_each(|text| {
            analyzer.for_each_token(text, |token| digest.update(format!("{token}\n").as_bytes()));
        });
        format!("{analyzer} v{} {:08x}\n", analyzer.version(), digest.sum())
    };
    let named = [Analyzer::ENGLISH, Analyzer::SIMPLE, Analyzer::WHITESPACE];
    let word_piece = Analyzer::word_piece(&model("tiny-encoder")).expect("a model in the repository");
    let all = named.into_iter().chain([word_piece]).chain(Language::all().map(Analyzer::snowball));
    let got: String = all.map(|analyzer| line(&analyzer)).collect();
    let (_, golden) =
        include_str!("analyzers.golden.txt").split_once('\n').expect("a first line that explains the others");
    assert_eq!(got, golden);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_term_of_any_text_is_empty(text in "\\PC{0,40}|[\\PC\u{0}-\u{20} '’]{0,80}") {
        for analyzer in analyzers() {
            prop_assert!(analyzer.tokens(&text).iter().all(|token| !token.is_empty()), "{analyzer}");
        }
    }

    #[test]
    fn no_word_has_more_terms_than_characters(
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
        // Analyzers without a stemmer compare the terms themselves with the stop words.
        for analyzer in [Analyzer::SIMPLE, Analyzer::WHITESPACE] {
            let with_stop_words = analyzer.clone().with_stop_words(&words).expect("words");
            let listed = with_stop_words.stop_words().expect("a list").to_vec();
            let expected: Vec<String> =
                analyzer.tokens(&text).into_iter().filter(|token| !listed.contains(token)).collect();
            prop_assert_eq!(with_stop_words.tokens(&text), expected);
        }
        // With or without a stemmer, a text that has only stop words has no terms.
        for analyzer in analyzers().into_iter().filter(|analyzer| analyzer.name() != "wordpiece") {
            let analyzer = analyzer.with_stop_words(&words).expect("words");
            prop_assert_eq!(analyzer.tokens(&words.join(" ")), [""; 0], "{}", analyzer);
        }
    }

    #[test]
    fn analyzing_unstemmed_terms_again_gives_the_same_terms(text in "\\PC{0,60}") {
        for analyzer in [Analyzer::SIMPLE, Analyzer::WHITESPACE] {
            let tokens = analyzer.tokens(&text);
            prop_assert_eq!(analyzer.tokens(&tokens.join(" ")), tokens, "{}", analyzer);
        }
    }

    #[test]
    fn the_word_pieces_of_any_text_are_those_of_the_models_tokenizer(text in "\\PC{0,60}") {
        let path = model("tiny-encoder");
        let analyzer = Analyzer::word_piece(&path).expect("a model in the repository");
        let tokenizer = Tokenizer::open(&path.join("tokenizer.json")).expect("a model in the repository");
        let json = std::fs::read(path.join("tokenizer.json")).expect("a tokenizer");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let ids: Vec<u64> = analyzer
            .tokens(&text)
            .iter()
            .map(|token| json["model"]["vocab"][token].as_u64().expect("a piece of the vocabulary"))
            .collect();
        let pieces = tokenizer.pieces(&text).expect("pieces");
        prop_assert_eq!(ids, pieces.ids.into_iter().map(u64::from).collect::<Vec<_>>());
    }
}
