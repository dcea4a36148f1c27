//! Fields that stored rows leave out. A row is rewritten whole whenever it changes, so it omits default values.

/// True for the value that a row without the field is read as.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

#[cfg(test)]
mod tests {
    use crate::ids::{IssueKey, RepoName};
    use crate::issue::{Managed, Phase};
    use crate::run::Run;
    use crate::time::Time;

    #[test]
    fn a_row_leaves_out_what_says_nothing_and_is_read_back() {
        let key = IssueKey::new(RepoName::parse("acme/app").unwrap(), 7);
        let mut managed = Managed::new(Phase::Queued, Time(1));
        managed.run = Some(Run::next(&key, "Title", None, Time(2)));
        let row = serde_json::to_string(&managed).unwrap();
        assert!(!row.contains("null"), "{row}");
        assert_eq!(serde_json::from_str::<Managed>(&row).unwrap(), managed);
    }

    #[test]
    fn a_row_that_spells_everything_out_is_read_as_before() {
        let row = r#"{"phase":"queued","since":1,"queued_at":1,"is_paused":false,"blocked":null,"run":null,
            "work":null,"worktrees":[],"attempt":0,"episodes":0,"pull":null,"commands":{"seen_up_to":0,
            "read_at":null,"pending":{},"last":null,"clearing":{},"reread_after":null,"comments_up_to":0},
            "comments":{},"labels":{"echoes":[],"contradicted_until":null,"is_confirmed":false,
            "queued_seen_at":null,"refusals":0,"retry_at":null},"was_adopted":false,"reach":null}"#;
        let read: Managed = serde_json::from_str(row).unwrap();
        assert_eq!(read, Managed::new(Phase::Queued, Time(1)));
    }
}
