//! A digest in every row, computed by SQLite as a function of ours. A row that does not match its own was damaged, and
//! is named instead of believed.

use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;

/// Odd, so that multiplying by it loses nothing.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
const TURN: u32 = 29;
const WORD_BYTES: usize = 8;

/// The version of the schema that brought the digests.
pub(super) const SINCE_VERSION: u32 = 4;

/// A table whose rows carry a digest of these columns.
struct Sealed {
    table: &'static str,
    columns: &'static str,
    /// Names a row for people.
    name: &'static str,
    /// It grows with the age of the store; its rows are looked at when they are read.
    is_long: bool,
}

const fn sealed(table: &'static str, columns: &'static str, name: &'static str) -> Sealed {
    Sealed { table, columns, name, is_long: false }
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
    sealed("inbox", "id, at, issue, command, actor", "'the command ' || id || ' of the inbox'"),
    sealed("cursor", "repo, since", "'how far ' || repo || ' was read'"),
    sealed("identity", "forge, login", "'the login on ' || forge"),
    sealed("instance", "one, id", "'the name of this store'"),
    sealed("outcome", "id, at, issue, command, refused", "'what became of command ' || id"),
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

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Everything,
    /// What does not grow with the age of the store.
    Present,
}

/// Teaches a connection the function that makes digests. Without it no statement that names it can be prepared.
pub(super) fn register(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("seal_of", -1, flags, |row| Ok(seal_of(row)))
}

/// The name of a row that does not match its digest; `None` when all do.
pub(super) fn broken(connection: &Connection, extent: Extent) -> rusqlite::Result<Option<String>> {
    for Sealed { table, columns, name, is_long } in &SEALED {
        if *is_long && extent == Extent::Present {
            continue;
        }
        // The tables were compared with those of the version before; what came later is not in them.
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

/// Takes in one word. Two sums that differ stay different whatever follows, so no change of a single word is lost.
const fn word(sum: &mut u64, word: u64) {
    *sum = (*sum ^ word).wrapping_add(1).wrapping_mul(FACTOR).rotate_left(TURN);
}
