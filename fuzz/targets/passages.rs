//! Opens, verifies and reads passage stores, and looks passages up by id.
#![no_main]

use std::path::Path;

use corpus::{Passage, PassageStore, PassageStoreWriter};
use fuzz::{Scratch, file_target};

fn seeds() -> Vec<Vec<u8>> {
    let scratch = Scratch::new();
    let path = scratch.path("seed");
    let write = |count: usize| {
        let mut writer = PassageStoreWriter::create(&path).expect("writable");
        for number in 0..count {
            let title = (number % 3 > 0).then(|| "title ".repeat(number % 3));
            let text = "word ".repeat(number * 7 % 40);
            writer.push(&Passage { id: format!("p{number}"), title, text }).expect("a new id");
        }
        writer.finish(serde_json::json!({"source": "fuzz"})).expect("writable");
        std::fs::read(&path).expect("readable")
    };
    [0, 1, 30].map(write).to_vec()
}

fn use_all(path: &Path, size: usize) {
    let Ok(store) = PassageStore::open(path) else { return };
    // Opening a file verifies all sections of up to 16 MiB, and inputs are smaller than that.
    store.verify().expect("opening verified all sections");
    assert_eq!(store.iter().len(), store.len() as usize);
    for passage in store.iter().flatten() {
        // `find` reads only the id of a passage, so the rest of the passage that it finds may be corrupt.
        if let Ok(Some(found)) = store.find(passage.id)
            && let Ok(found) = store.get(found)
        {
            assert_eq!(found.id, passage.id);
        }
        assert!(passage.id.len() + passage.text.len() <= size);
    }
    assert!(store.get(store.len()).is_err());
    let found = store.find("missing");
    assert!(found.is_err() || found.is_ok_and(|ord| ord.is_none_or(|ord| ord < store.len())));
}

file_target!(seeds, use_all);
