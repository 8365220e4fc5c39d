//! Splits texts whose sentence boundaries are known. In these texts, `¦` marks a boundary and is not part of the text.

use phrases::sentences;

/// Checks that each text is split at its marks and nowhere else.
#[track_caller]
fn assert_boundaries(cases: &[&str]) {
    let mut wrong = Vec::new();
    for case in cases {
        let text = case.replace('¦', "");
        let expected: Vec<&str> = case.split('¦').map(str::trim).collect();
        let found: Vec<&str> = sentences(&text).map(|range| &text[range]).collect();
        if found != expected {
            wrong.push(format!("expected {expected:?}\n     got {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn plain_sentences_end_with_their_terminators() {
    assert_boundaries(&[
        "The mill burned down.",
        "The mill burned down. ¦It was never rebuilt. ¦Who owned it?",
        "Stop! ¦Who goes there? ¦A friend.",
        "No space at the end matters.   ¦  Nor do three.",
        "It rained for days",
        "Is that so?! ¦It is.",
        "Never!!! ¦Not once.",
        "\u{feff}The first. ¦The second.",
    ]);
}

#[test]
fn abbreviations_inside_a_sentence_do_not_end_it() {
    assert_boundaries(&[
        "Dr. Moss met Mr. Hale and Mrs. Orr at the quay. ¦They sailed.",
        "We asked Prof. Lindqvist, Gen. Abara and Sen. Cole. ¦All three declined.",
        "Fruit, e.g. Apples or pears, sells well. ¦Bread does not.",
        "The lower town, i.e. Old Harbour, was flooded.",
        "The case of Harlow vs. Dean was closed.",
        "See Fig. 3 and Figs. 4 to 6. ¦Then turn to Sec. 2.",
        "The result is shown in Fig. B. ¦It is clear.",
        "As Okoro et al. (2019) and Lind et al. 2020 found, it holds. ¦Others disagree.",
        "It is due to Okoro et al. ¦The method is theirs.",
        "Room No. 12 is empty. ¦Is it locked? ¦No. ¦Go in.",
        "It grew by approx. 40 per cent.",
        "Read vol. IV, pp. 12–19, and ch. 7. ¦Skip the rest.",
        "Born on Jan. 5, 1911, she died on Dec. 9. ¦Her house stands.",
        "He lives on St. Mary St. in Cork. ¦She does not.",
        "The brothers of St. Jude built Mt. Carmel.",
        "They sell pens, ink, paper, etc. in the shop. ¦Ask inside.",
        "They sell pens, ink, etc. ¦Paper is sold next door.",
        "The Rev. J. Tull and Lt. Col. Ames spoke.",
        "She sat. ¦He stood. ¦On Sat. 4 May they left.",
        "Vice-Pres. Daly resigned. ¦Nobody wept.",
        "Was it Sgt. \"Red\" Malone? ¦It was.",
    ]);
}

#[test]
fn abbreviations_end_a_sentence_where_the_next_word_begins_one() {
    assert_boundaries(&[
        "He works for Harlow Inc. ¦The firm makes nails.",
        "He works for Harlow Inc. Belfast and likes it.",
        "She moved to the U.S. ¦In 1990 she returned.",
        "The U.S. Navy and the U.N. Security Council agreed. ¦They seldom do.",
        "They met at 5 p.m. ¦Nobody else came.",
        "They met at 5 p.m. Monday and at 9 a.m. EST on Friday. ¦It was cold.",
        "She has a Ph.D. from Leeds. ¦Her brother has a B.Sc. ¦They are proud.",
        "Caesar died in 44 B.C. ¦He was stabbed.",
        "It was built by Samuel Gray Jr. ¦He never saw it finished.",
        "It was built by Samuel Gray Sr. ¦He never saw it finished.",
        "Martin Gray Jr. Hall is named after him.",
        "She has MS. ¦The illness came in 1990. ¦DR. MOSS TREATS HER.",
        "The finds date from 9000 BP. ¦The last is later.",
        "Pay is 90,000/yr. ¦Teachers get more, and 3 lbs. ¦Flour is extra. ¦Ft. Ross is near.",
        "He is a doctor of pharmacy (Pharm. D.) and likes it.",
        "The class is called C. ¦(Since it is large, so is the proof.) ¦Let it be P. ¦Again, it is large.",
        "He studied at 12 Elm Ave. ¦It burned.",
    ]);
}

#[test]
fn initials_belong_to_names() {
    assert_boundaries(&[
        "J. R. R. Tolkien wrote it. ¦C. S. Lewis read it first.",
        "J.R.R. Tolkien wrote it. ¦C.S. Lewis read it first.",
        "The novel by Ursula K. Le Guin won. ¦It is short.",
        "J.-P. Morel and H.-G. Wirth argued.",
        "Robert M. La Follette ran. ¦He lost.",
        "Take vitamin C. ¦It helps. ¦Then there was plan B. ¦This one failed.",
        "А. С. Пушкин родился в Москве. ¦Он писал стихи.",
    ]);
}

#[test]
fn numbers_and_names_with_full_stops_are_not_split() {
    assert_boundaries(&[
        "Pi is about 3.14. ¦It never ends.",
        "Version 2.0.1 is out. ¦Use v3.0.0-rc.1 if you dare.",
        "It cost $4.50. ¦That was too much.",
        "In 1999. ¦2000 was worse.",
        "The year was 1999. ¦Everyone danced.",
        "See https://example.org/a.b?c=D.E&f for more. ¦Or do not.",
        "Visit www.example.org. ¦It is free.",
        "Write to a.b@example.org. ¦She answers.",
        "Open report.final.pdf and main.rs. ¦Close both.",
        "Node.js runs it. ¦ASP.NET does not.",
        "At 10.30 we left. ¦At 11.15 we were back.",
        "The .45 was loaded. ¦So was he.",
        "The ratio was 1:2.5. ¦Good.",
        "IP 10.0.0.1 is mine. ¦10.0.0.2 is yours.",
        "It ended. ¦iPhone sales rose. ¦eBay fell.",
    ]);
}

#[test]
fn ellipses_end_a_sentence_before_a_capital_letter() {
    assert_boundaries(&[
        "Well... maybe. ¦Or not.",
        "He waited... ¦Nobody came.",
        "He waited… ¦Nobody came… or so he thought.",
        "She said . . . nothing. ¦He left . . . ¦They stayed.",
        "It began [...] and ended. ¦He wrote: \"The war [...] Great Britain lost.\"",
        "...And so it goes. ¦On.",
        "Wait....! ¦What?..",
    ]);
}

#[test]
fn closing_quotation_marks_and_brackets_belong_to_the_sentence() {
    assert_boundaries(&[
        "\"Come in,\" he said. ¦\"Sit down.\" ¦She did.",
        "“Come in.” ¦“No.” ¦(He meant it.) ¦She left.",
        "'Who is it?' asked the boy. ¦'Me!' ¦He opened.",
        "\"Why?\" she asked. ¦\"Because!\" he cried. ¦They laughed.",
        "\"Help!\" John cried. ¦Nobody heard.",
        "\"Help!\" ¦John ran away.",
        "He said \"I am done.\" and left. ¦We stayed.",
        "He asked (why not?) and waited. ¦She (who else?) knew.",
        "It was over (or nearly so). ¦(See below.) ¦We slept.",
        "It ended.) ¦She wept.",
        "She called it “a farce.” ¦He called it “art.”",
        "Did he say “stop”? ¦He did. ¦He said, “Stop!”.  ¦So we stopped.",
        "„Komm herein.“ ¦Er kam. ¦»Setz dich.« ¦Sie saß.",
        "« Entrez ! » ¦Elle entra. ¦« Pourquoi ? » demanda-t-il. ¦Personne ne parla.",
        "Is it far ? ¦Yes ! ¦Quoi ? ! ¦Rien.",
    ]);
}

#[test]
fn a_name_that_ends_with_a_terminator_does_not_end_a_sentence_before_a_lowercase_word() {
    assert_boundaries(&[
        "He joined Yahoo! in 2004. ¦He left Yahoo! ¦The pay was bad.",
        "Her play Who Is Afraid? is long. ¦It is good.",
        "He won Jeopardy! twice.",
    ]);
    // If the word before the mark is not capitalized, a lowercase word may begin a sentence.
    assert_boundaries(&["Oh, is it? ¦why yes."]);
}

#[test]
fn a_text_without_capitals_has_sentences_too() {
    assert_boundaries(&[
        "the mill burned down. ¦it was never rebuilt. ¦who owned it? ¦nobody knows.",
        "dr. moss left at 5 p.m. ¦she came back, e.g. for tea. ¦good.",
    ]);
}

#[test]
fn footnote_marks_belong_to_the_sentence_before_them() {
    assert_boundaries(&[
        "The mill burned down.[1] ¦It was never rebuilt.[2][3] ¦Why?[citation needed] ¦Nobody knows.",
        "The mill burned down.¹ ¦It was never rebuilt.²³ ¦Why?",
        "Some doubt it [4]. ¦Others [5, 6] do not.",
    ]);
}

#[test]
fn blank_lines_and_headings_end_sentences() {
    assert_boundaries(&[
        "The Old Mill\n¦It burned down in 1911. ¦Nobody\nknows why.",
        "The Old Mill\n\n¦it burned down\n\n\n¦and that was that",
        "# The Old Mill\n¦It burned down.\n¦## Owners\n¦There were two.",
        "The Old Mill\n============\n¦It burned down.",
        "Owners:\n¦The Grays held it.",
        "A form\u{c}¦feed and a paragraph\u{2029}¦separator",
        "Mill Lane\r\n¦Old Town\r\n\r\n¦Dear Sir",
        "By Dr.\nMoss and others. ¦Who?",
        "Harlow Inc.\n¦Annual Report\n¦1999",
        "A line,\nwith a comma. ¦One more\nthing.",
    ]);
}

#[test]
fn list_items_are_sentences_and_their_numbers_are_not() {
    assert_boundaries(&[
        "Buy:\n¦- flour\n¦- two eggs\n¦- milk",
        "Buy:\n¦• flour\n¦• Eggs\n¦* milk",
        "1. Flour is first.\n¦2. Eggs are second.\n¦3. Milk",
        "1) Flour\n¦2) Eggs\n¦(3) milk",
        "1. Flour\n¦a) white\n¦b) brown",
        "1.1. Aims\n¦1.2. Means\n¦iv. ends",
        "A. Aims. ¦They are few.",
        "1.\nFlour is first.\n¦2.\n\nEggs are second.",
        "- Flour. ¦Half a pound of it.\n¦- Eggs.",
    ]);
}

#[test]
fn sentences_continue_across_hard_wrapped_lines() {
    assert_boundaries(&[
        "The old mill on the river stood for two hundred years and was\nthe pride of the town until it burned down in the spring of\n1911. ¦The owner at that time was a man from Cork who was called\nHarlow and never built it again.",
        "The old mill on the river was sold in 1870 to the brothers Gray and\nHarlow of Old Harbour, who milled there until the fire. ¦It was Dr.\nMoss who saw it first.",
        "The Old Mill\n¦The old mill on the river was sold in 1870 to the brothers Gray and\nHarlow of Old Harbour, who milled there until the fire. ¦It was\nnot rebuilt.",
        "The self-\nmade man paid for it – and\nfor more. ¦Then he left.",
    ]);
}

#[test]
fn chinese_and_japanese_sentences_end_without_a_space() {
    assert_boundaries(&[
        "老磨坊烧毁了。¦它再也没有重建！¦谁是主人？¦没人知道。",
        "他说：“进来。”¦她走了进去。",
        "他说：「你好！」，然后走了。¦她没有回答。",
        "版本是３．１４。¦很好。",
        "古い水車は焼けた。¦もう建て直されなかった。",
        "「はい。」と彼は言った。¦彼女は笑った！？¦本当に？",
        "他用iPhone!¦真好。",
        "标题\n¦老磨坊烧毁了。",
        "半角の句点｡¦次の文｡",
    ]);
}

#[test]
fn other_scripts_have_their_own_terminators() {
    assert_boundaries(&[
        // Hindi
        "पुरानी चक्की जल गई। ¦वह फिर कभी नहीं बनी। ¦मालिक कौन था?",
        // Arabic and Urdu
        "احترقت الطاحونة القديمة. ¦من كان صاحبها؟ ¦لا أحد يعرف.",
        "پرانی چکی جل گئی۔ ¦مالک کون تھا؟ ¦کوئی نہیں جانتا۔",
        // Armenian
        "Հին ջրաղացը այրվեց։ ¦Ոչ ոք չգիտի։",
        // Ethiopic
        "ወፍጮው ተቃጠለ። ¦ባለቤቱ ማን ነበር፧ ¦ማንም አያውቅም።",
        // Khmer
        "រោងម៉ាស៊ីនបានឆេះ។ ¦គ្មាននរណាដឹងទេ។",
        // Burmese, where ၊ is a comma
        "ဆန်စက်ဟောင်း၊ မီးလောင်သွားသည်။ ¦ဘယ်သူမှမသိပါ။",
        // Greek
        "Ο μύλος κάηκε. ¦Ποιος ήταν ο ιδιοκτήτης; ¦Κανείς δεν ξέρει.",
        // Korean
        "낡은 방앗간이 불탔다. ¦주인은 누구였을까? ¦아무도 모른다.",
        // Hebrew
        "הטחנה הישנה נשרפה. ¦מי היה הבעלים? ¦איש אינו יודע.",
        // Georgian, where lowercase letters begin sentences
        "ძველი წისქვილი დაიწვა. ¦არავინ იცის.",
    ]);
}

#[test]
fn thai_and_lao_sentences_end_at_spaces() {
    assert_boundaries(&[
        "โรงสีเก่าริมแม่น้ำถูกไฟไหม้เมื่อปีที่แล้ว ¦ไม่มีใครรู้ว่าใครเป็นเจ้าของโรงสีแห่งนี้",
        "โรงสีเก่าริมแม่น้ำถูกไฟไหม้ในคืนนั้น และไม่มีใครรู้ว่าเป็นเพราะอะไร",
        "ในปี 2454 โรงสีเก่าริมแม่น้ำถูกไฟไหม้",
        "โรงสีเก่าริมแม่น้ำมีคนงานมากมายต่างๆ ที่มาจากเมืองอื่น",
        "ໂຮງສີເກົ່າແຄມແມ່ນ້ຳຖືກໄຟໄໝ້ໃນປີກາຍນີ້ ¦ບໍ່ມີໃຜຮູ້ວ່າໃຜເປັນເຈົ້າຂອງ",
    ]);
}

#[test]
fn abbreviations_of_european_languages_do_not_end_a_sentence() {
    assert_boundaries(&[
        // German
        "Am 3. Oktober 1990 kam Dr. Vogel, z. B. mit Frau Prof. Kern. ¦Es war kalt.",
        "Im 19. Jahrhundert gab es das, d.h. Mühlen u.a. Werke. ¦Heute nicht mehr.",
        "Der 2. Weltkrieg begann 1939. ¦Das Buch hat Bd. 4 und Nr. 7, vgl. Kern S. 12. ¦Gut.",
        "Äpfel, Birnen usw. ¦Brot gab es nicht.",
        // French
        "M. Dupont et Mme. Leroy, p. ex. à Lyon, sont venus. ¦Ils sont partis.",
        "C'est fini. ¦« Non ! » cria-t-elle. ¦Voir p. 12, vol. 3.",
        // Spanish
        "El Sr. Gómez y la Sra. Ruiz viven en la Av. Norte. ¦¿Dónde? ¦¡Aquí! ¦Véase pág. 4.",
        // Italian, Portuguese, Dutch
        "Il Dott. Rossi è qui. ¦Pane, vino, ecc. sono sul tavolo.",
        "O Dr. Silva mora na R. Nova. ¦Ele é velho.",
        "Dhr. De Vries eet fruit, bijv. Appels. ¦Hij slaapt.",
        // Russian, Polish
        "Мельница сгорела в 1911 г. в мае, т.е. весной. ¦Он жил на ул. Ленина. ¦Кто?",
        "— Привет! — сказал он. ¦Она молчала.",
        "Mieszka przy ul. Długiej, tj. Nowej. ¦Jest stary.",
    ]);
}
