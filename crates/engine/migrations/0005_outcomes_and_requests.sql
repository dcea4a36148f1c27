-- What became of commands given on this machine, by their number in the inbox; kept for a day.
CREATE TABLE outcome (
    id      INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    issue   TEXT    NOT NULL,
    command TEXT    NOT NULL,
    -- NULL: it was obeyed.
    refused TEXT,
    seal    INTEGER NOT NULL
) STRICT;

-- Changes that were asked for of late, so that a restart does not forget that one is asked for over and over.
CREATE TABLE request (
    key     TEXT    NOT NULL,
    -- Digest of the whole effect.
    content TEXT    NOT NULL,
    subject TEXT    NOT NULL,
    -- When it was asked for, as a JSON list.
    times   TEXT    NOT NULL,
    -- How often it was held back with nothing different seen since, and until when it is.
    holds   INTEGER NOT NULL,
    until   INTEGER NOT NULL,
    seal    INTEGER NOT NULL,
    PRIMARY KEY (key, content)
) STRICT, WITHOUT ROWID;
