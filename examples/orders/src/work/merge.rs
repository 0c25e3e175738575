//! Sorting in slices: sorted runs are merged two by two, a bounded number of entries at a time.

use std::collections::VecDeque;

/// Sorted runs on their way to one.
#[derive(Debug, Default)]
pub(crate) struct Merging {
    runs: VecDeque<Vec<u64>>,
    current: Option<Merge>,
}

#[derive(Debug)]
struct Merge {
    left: Vec<u64>,
    right: Vec<u64>,
    from_left: usize,
    from_right: usize,
    merged: Vec<u64>,
}

impl Merging {
    /// Adds entries, in any order among themselves.
    pub(crate) fn add(&mut self, mut run: Vec<u64>) {
        if !run.is_empty() {
            run.sort_unstable();
            self.runs.push_back(run);
        }
    }

    /// Entries still to be moved, counted generously: each of `all` once for every halving of the runs.
    pub(crate) fn left(&self, all: usize) -> usize {
        let runs = self.runs.len() + usize::from(self.current.is_some());
        let of_current = self.current.as_ref().map_or(0, |merge| merge.merged.len());
        (all * runs.next_power_of_two().ilog2() as usize).saturating_sub(of_current)
    }

    /// Moves at most `most` entries. Returns everything once it is one run.
    pub(crate) fn advance(&mut self, mut most: usize) -> Option<Vec<u64>> {
        while most > 0 {
            if let Some(merge) = &mut self.current {
                most -= merge.advance(most);
                if merge.is_done() {
                    self.runs.extend(self.current.take().map(|merge| merge.merged));
                }
                continue;
            }
            match (self.runs.pop_front(), self.runs.pop_front()) {
                (Some(left), Some(right)) => {
                    let merged = Vec::with_capacity(left.len() + right.len());
                    self.current = Some(Merge {
                        left,
                        right,
                        from_left: 0,
                        from_right: 0,
                        merged,
                    });
                }
                (one, _) => return Some(one.unwrap_or_default()),
            }
        }
        None
    }
}

impl Merge {
    fn is_done(&self) -> bool {
        self.merged.len() == self.left.len() + self.right.len()
    }

    fn advance(&mut self, most: usize) -> usize {
        let before = self.merged.len();
        while self.merged.len() < before + most {
            let next = match (self.left.get(self.from_left), self.right.get(self.from_right)) {
                (Some(left), Some(right)) if right < left => {
                    self.from_right += 1;
                    *right
                }
                (Some(left), _) => {
                    self.from_left += 1;
                    *left
                }
                (None, Some(right)) => {
                    self.from_right += 1;
                    *right
                }
                (None, None) => break,
            };
            self.merged.push(next);
        }
        self.merged.len() - before
    }
}

#[cfg(test)]
mod tests {
    use super::Merging;

    #[test]
    fn runs_become_one_sorted_run_whatever_their_number_and_the_slice() {
        for runs in [0_u64, 1, 2, 3, 7, 16] {
            for slice in [1, 5, 1000] {
                let mut merging = Merging::default();
                let mut all = Vec::new();
                for run in 0..runs {
                    let entries: Vec<u64> = (0..run * 3)
                        .map(|entry| (entry * 7919 + run * 104_729) % 1009)
                        .collect();
                    all.extend(&entries);
                    merging.add(entries);
                }
                all.sort_unstable();
                let merged = (0..10_000).find_map(|_| merging.advance(slice));
                assert_eq!(merged, Some(all), "{runs} runs, {slice} at a time");
            }
        }
    }
}
