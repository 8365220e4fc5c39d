//! [`Plan`]: how the texts of a batch are divided among groups and threads.

use std::ops::Range;

use transformer::Text;

/// Maximum number of tokens of a group, unless a single text is longer. Products of larger matrices are not faster per
/// row.
const GROUP_TOKENS: usize = 1024;

/// Texts that a model processes together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupPlan {
    /// The number of the model.
    pub model: usize,
    /// The texts, by their numbers in the batch.
    pub texts: Range<usize>,
    tokens: usize,
}

/// The groups of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub groups: Vec<GroupPlan>,
}

impl Plan {
    /// Divides texts into groups. Each part of the texts has a model.
    pub fn new(texts: &[Text<'_>], parts: &[(usize, Range<usize>)]) -> Self {
        let mut groups: Vec<GroupPlan> = Vec::new();
        for (model, part) in parts {
            let first = groups.len();
            for at in part.clone() {
                let tokens = texts[at].ids.len();
                match groups[first..].last_mut() {
                    Some(group) if group.tokens + tokens <= GROUP_TOKENS => {
                        group.tokens += tokens;
                        group.texts.end = at + 1;
                    }
                    _ => groups.push(GroupPlan { model: *model, texts: at..at + 1, tokens }),
                }
            }
        }
        Self { groups }
    }

    /// Assigns groups to threads in descending order of tokens, each to the thread with the fewest tokens so far
    /// (Graham, 1969). So the partition depends only on the batch and the number of threads.
    pub fn partition(&self, threads: usize) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.groups[at].tokens), at));
        let mut parts = vec![(0, Vec::new()); threads];
        for at in order {
            let part = parts.iter_mut().min_by_key(|(tokens, _)| *tokens).expect("there is a thread");
            part.0 += self.groups[at].tokens;
            part.1.push(at);
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Number of tokens of all groups.
    pub fn tokens(&self, texts: &[Text<'_>]) -> usize {
        self.groups.iter().flat_map(|group| &texts[group.texts.clone()]).map(|text| text.ids.len()).sum()
    }
}
