//! A compact list of texts, which stores them in one allocation.

/// A list of texts. Their indexes start at 0.
#[derive(Debug, Clone, Default)]
pub(super) struct TextList {
    /// All texts, one after another.
    joined: String,
    /// The end of each text in `joined`.
    ends: Vec<usize>,
}

impl TextList {
    /// Appends a text and returns its index.
    pub fn push(&mut self, text: &str) -> u32 {
        self.joined.push_str(text);
        self.ends.push(self.joined.len());
        self.ends.len() as u32 - 1
    }

    pub fn get(&self, index: u32) -> &str {
        let index = index as usize;
        let start = index.checked_sub(1).map_or(0, |previous| self.ends[previous]);
        &self.joined[start..self.ends[index]]
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub fn shrink_to_fit(&mut self) {
        self.joined.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}
