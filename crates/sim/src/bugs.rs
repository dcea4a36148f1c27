//! Bugs planted at the seams, each of which some checker must catch. The program under test is never
//! changed: a port lies, an effect is rewritten, a decision is swapped, a row is tampered with.

macro_rules! bugs {
    ($($name:ident: $rules:expr, $text:literal;)+) => {
        /// Every planted bug.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Bug { $($name,)+ }

        impl Bug {
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What it does.
            #[must_use]
            pub const fn says(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The rules of which at least the first must fire; the others may as well.
            #[must_use]
            pub const fn caught_by(self) -> &'static [&'static str] {
                match self { $(Self::$name => &$rules,)+ }
            }
        }
    };
}

bugs! {
    ForeignLabel: ["I1"], "writes a label outside the namespace";
    RetryCommentAfterTimeout: ["I9", "I10"], "sends a comment again after a time-out without looking";
    StrangerMayCommand: ["I3"], "takes everybody's labels as commands";
    PullToDefaultBranch: ["I6"], "opens task pull requests against the default branch";
    MergeWithoutHead: ["I11"], "merges whatever the head is by then";
    StopLeavesProcess: ["L3", "E3", "I8"], "reports a process as ended and lets it run";
}
