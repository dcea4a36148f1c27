//! Labels that a repository lacks.

use crate::ports::LabelDefinition;
use ralph_core::label::DEFINITIONS;
use ralph_core::repo::LabelFault;
use std::collections::BTreeMap;

/// Returns every label that the repository lacks, or that no longer looks as it should.
#[must_use]
pub fn wrong_labels(present: &[LabelDefinition]) -> BTreeMap<String, LabelFault> {
    let mut wrong = BTreeMap::new();
    for definition in &DEFINITIONS {
        let found = present.iter().find(|label| label.name.eq_ignore_ascii_case(definition.name));
        let fault = match found {
            None => Some(LabelFault::Missing),
            Some(label)
                if !label.color.eq_ignore_ascii_case(definition.color)
                    || label.description != definition.description =>
            {
                Some(LabelFault::Drifted)
            }
            Some(_) => None,
        };
        wrong.extend(fault.map(|fault| (definition.name.to_owned(), fault)));
    }
    wrong
}
