//! One test for each end of a turn that is named.

/// The ends of turns of an agent, by the names of their cases.
macro_rules! ends {
    ($($program:ident is $agent:ident: $($name:ident $case:literal),*;)*) => {$(
        mod $program {
            use crate::program::Program;
            use crate::recording::plays;

            $(#[test]
            fn $name() {
                plays(Program::$agent, $case);
            })*
        }
    )*};
}
