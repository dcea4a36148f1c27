//! Commit objects as git stores them: read, and written byte for byte, so that the same commit gets
//! the same name whenever it is made.

use super::commit::Commit;
use super::sha::Sha;

/// The committer that GitHub names in a merge made over its API.
const COMMITTER: &str = "GitHub <noreply@github.com>";

/// Reads a commit object; none if it is not one.
pub(super) fn parse(sha: Sha, bytes: &[u8]) -> Option<Commit> {
    let text = String::from_utf8_lossy(bytes);
    let (head, message) = text.split_once("\n\n").unwrap_or((&text, ""));
    let value =
        |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let (author, email, authored_at) = person(value("author")?);
    let (_committer, _email, at) = person(value("committer")?);
    let parents = head.lines().filter_map(|line| line.strip_prefix("parent ")?.parse().ok());
    Some(Commit {
        sha,
        parents: parents.collect(),
        tree: value("tree")?.parse().ok()?,
        message: message.trim_end_matches('\n').to_owned(),
        author: author.to_owned(),
        email: email.to_owned(),
        authored_at,
        at,
    })
}

/// `Name <address> seconds zone`.
pub(super) fn person(line: &str) -> (&str, &str, u64) {
    let (name, rest) = line.split_once('<').unwrap_or((line, ""));
    let (email, when) = rest.split_once('>').unwrap_or((rest, ""));
    let seconds = when.split_whitespace().next().and_then(|seconds| seconds.parse().ok());
    (name.trim(), email, seconds.unwrap_or(0))
}

/// The author of a commit that is to be made, and the time.
#[derive(Debug)]
pub(super) struct Author<'a> {
    pub(super) name: &'a str,
    pub(super) email: &'a str,
    pub(super) at: u64,
}

/// The bytes of a commit object.
pub(super) fn write(
    tree: Sha,
    parents: &[Sha],
    author: &Author<'_>,
    message: &str,
    at: u64,
) -> Vec<u8> {
    let [name, email] = [author.name, author.email].map(plain);
    let mut text = format!("tree {tree}\n");
    text.extend(parents.iter().map(|parent| format!("parent {parent}\n")));
    text.push_str(&format!("author {name} <{email}> {} +0000\n", author.at));
    text.push_str(&format!("committer {COMMITTER} {at} +0000\n\n"));
    // Requests with NUL are refused; titles from before that may have it.
    text.push_str(&message.replace('\0', ""));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text.into_bytes()
}

/// A name without what would end it early.
fn plain(name: &str) -> String {
    name.chars().filter(|character| !"<>\n\r\0".contains(*character)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_commit_reads_back() {
        let tree: Sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
        let author = Author { name: "ada\n<evil>", email: "ada@example.com", at: 7 };
        let bytes = write(tree, &[tree], &author, "Title\n\nBody", 9);
        let commit = parse(tree, &bytes).unwrap();
        assert_eq!((commit.author.as_str(), commit.email.as_str()), ("adaevil", "ada@example.com"));
        assert_eq!((commit.authored_at, commit.at), (7, 9));
        assert_eq!((commit.tree, commit.parents.as_slice()), (tree, &[tree][..]));
        assert_eq!(commit.message, "Title\n\nBody");
    }

    #[test]
    fn what_is_no_commit_is_none() {
        let sha: Sha = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
        assert_eq!(parse(sha, b"object 123\ntype commit\n"), None);
    }
}
