//! A digest in every row, computed by SQLite with a function of Ralph's. A row that does not match its digest is
//! damaged, and is reported instead of used.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// Odd, so that multiplication by it is reversible.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const TURN: u32 = 29;
const WORD_BYTES: usize = 8;

/// The version of the schema that introduced the digests.
pub(super) const SINCE_VERSION: u32 = 4;

/// A table whose rows carry a digest of these columns.
struct Sealed {
    table: &'static str,
    columns: &'static str,
    /// Names a row for people.
    name: &'static str,
    /// It grows with the age of the store, so its rows are checked when they are read.
    is_long: bool,
    /// Its columns before a version of the schema that changed them.
    former: Option<(u32, &'static str)>,
}

const fn sealed(table: &'static str, columns: &'static str, name: &'static str) -> Sealed {
    Sealed { table, columns, name, is_long: false, former: None }
}

const SEALED: [Sealed; 13] = [
    sealed("issue", "repo, number, state, managed", "'the state of ' || repo || '#' || number"),
    sealed("repo", "name, state", "'the state of ' || name"),
    sealed(
        "outbox",
        "id, key, subject, lane, effect, state, wanted, tries, due, reason",
        "'the effect ' || key",
    ),
    sealed("verdict", "subject, standing, since", "'the verdict on ' || subject"),
    sealed("lease", "name, owner, token, expires", "'the lease ' || name"),
    Sealed {
        former: Some((6, "id, at, issue, command, actor")),
        ..sealed("inbox", "id, at, actor, key, body", "'the command ' || id || ' of the inbox'")
    },
    sealed("cursor", "repo, since", "'how far ' || repo || ' was read'"),
    sealed("identity", "forge, login", "'the login on ' || forge"),
    sealed("instance", "one, id", "'the name of this store'"),
    Sealed {
        former: Some((6, "id, at, issue, command, refused")),
        ..sealed("outcome", "id, at, key, body, answer", "'the outcome of command ' || id")
    },
    sealed("request", "key, content, subject, times, holds, until", "'the request ' || key"),
    Sealed { is_long: true, ..sealed("blob", "digest, text", "'the text ' || digest") },
    Sealed {
        is_long: true,
        ..sealed(
            "fact",
            "seq, at, version, subject, body",
            "'the fact ' || seq || ' of ' || subject",
        )
    },
];

/// The tables to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Everything,
    /// Tables that do not grow with the age of the store.
    Present,
}

/// Registers the digest function on a connection. Without it no statement that uses it can be prepared.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("seal_of", -1, flags, |row| Ok(seal_of(row)))
}

/// The name of a row that does not match its digest, in a store of this version; `None` if all match.
pub(super) fn broken(
    connection: &Connection,
    version: u32,
    extent: Extent,
) -> rusqlite::Result<Option<String>> {
    for Sealed { table, columns, name, is_long, former } in &SEALED {
        let former = former.filter(|(since, _)| version < *since);
        let columns = former.map_or(*columns, |(_, columns)| columns);
        if *is_long && extent == Extent::Present {
            continue;
        }
        // An older version lacks the tables that were added after it.
        let is_there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if connection.query_row(is_there, [table], |row| row.get::<_, u32>(0))? == 0 {
            continue;
        }
        let find =
            format!("SELECT {name} FROM {table} WHERE seal IS NOT seal_of({columns}) LIMIT 1");
        let mut find = connection.prepare(&find)?;
        let mut rows = find.query(())?;
        if let Some(row) = rows.next()? {
            let name =
                row.get_ref(0)?.as_bytes().map(|name| String::from_utf8_lossy(name).into_owned());
            return Ok(Some(name.unwrap_or_else(|_| format!("a row of {table}"))));
        }
    }
    Ok(None)
}

fn seal_of(row: &Context<'_>) -> i64 {
    let mut sum = 0;
    for column in 0..row.len() {
        match row.get_raw(column) {
            ValueRef::Null => word(&mut sum, 1),
            ValueRef::Integer(number) => {
                word(&mut sum, 2);
                word(&mut sum, number.cast_unsigned());
            }
            ValueRef::Real(number) => {
                word(&mut sum, 3);
                word(&mut sum, number.to_bits());
            }
            ValueRef::Text(bytes) => text(&mut sum, 4, bytes),
            ValueRef::Blob(bytes) => text(&mut sum, 5, bytes),
        }
    }
    sum.cast_signed()
}

fn text(sum: &mut u64, kind: u64, bytes: &[u8]) {
    word(sum, kind);
    word(sum, bytes.len() as u64);
    for chunk in bytes.chunks(WORD_BYTES) {
        let last = |sum, byte: &u8| sum << 8 | u64::from(*byte);
        let whole = <[u8; WORD_BYTES]>::try_from(chunk).map(u64::from_be_bytes);
        word(sum, whole.unwrap_or_else(|_| chunk.iter().fold(0, last)));
    }
}

/// Adds one word to the sum. Two different sums stay different whatever follows, so every change of a single word
/// shows.
const fn word(sum: &mut u64, word: u64) {
    *sum = (*sum ^ word).wrapping_add(1).wrapping_mul(FACTOR).rotate_left(TURN);
}
