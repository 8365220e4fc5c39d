//! [`Plan`]: how the texts of a batch are divided among groups and threads.

use std::ops::Range;

use transformer::Text;

/// Maximum number of tokens of a group, unless a single text is longer. Products of matrices of so many rows are as fast
/// as those of more.
const GROUP_TOKENS: usize = 1024;

/// Texts that a network runs together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupPlan {
    /// The network.
    pub member: usize,
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
    /// Divides texts into groups. Each part of the texts has a network.
    pub fn new(texts: &[Text<'_>], parts: &[(usize, Range<usize>)]) -> Self {
        let mut groups: Vec<GroupPlan> = Vec::new();
        for (member, part) in parts {
            let first = groups.len();
            for at in part.clone() {
                let tokens = texts[at].ids.len();
                match groups[first..].last_mut() {
                    Some(group) if group.tokens + tokens <= GROUP_TOKENS => {
                        group.tokens += tokens;
                        group.texts.end = at + 1;
                    }
                    _ => groups.push(GroupPlan { member: *member, texts: at..at + 1, tokens }),
                }
            }
        }
        Self { groups }
    }

    /// Divides the groups among threads: the group with the most tokens goes first, each to the thread with the fewest
    /// tokens. So the shares depend only on the batch.
    pub fn shares(&self, threads: usize) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.groups.len()).collect();
        order.sort_by_key(|&at| (std::cmp::Reverse(self.groups[at].tokens), at));
        let mut shares = vec![(0, Vec::new()); threads];
        for at in order {
            let share = shares.iter_mut().min_by_key(|(tokens, _)| *tokens).expect("there is a thread");
            share.0 += self.groups[at].tokens;
            share.1.push(at);
        }
        shares.into_iter().map(|(_, share)| share).collect()
    }

    /// Number of tokens of all groups.
    pub fn tokens(&self, texts: &[Text<'_>]) -> usize {
        self.groups.iter().flat_map(|group| &texts[group.texts.clone()]).map(|text| text.ids.len()).sum()
    }
}
