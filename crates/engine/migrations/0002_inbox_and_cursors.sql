-- Commands given on this machine wait here until the daemon takes them.
CREATE TABLE inbox (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    issue   TEXT    NOT NULL,
    command TEXT    NOT NULL,
    actor   TEXT    NOT NULL
) STRICT;

-- Up to where the changed issues of a repository have been read.
CREATE TABLE cursor (
    repo  TEXT PRIMARY KEY,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
