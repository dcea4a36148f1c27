-- State rows hold the folded truth, one per issue and repository. The journal explains how it came about.
CREATE TABLE issue (
    repo   TEXT    NOT NULL,
    number INTEGER NOT NULL,
    state  TEXT    NOT NULL,
    -- Managed issues are decided on at every start; the others only wait to be asked for.
    managed INTEGER NOT NULL,
    PRIMARY KEY (repo, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE repo (
    name  TEXT PRIMARY KEY,
    state TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    version INTEGER NOT NULL,
    subject TEXT    NOT NULL,
    body    TEXT    NOT NULL
) STRICT;
CREATE INDEX fact_by_subject ON fact (subject, seq);

CREATE TABLE outbox (
    id      INTEGER PRIMARY KEY,
    key     TEXT    NOT NULL UNIQUE,
    subject TEXT    NOT NULL,
    lane    TEXT    NOT NULL,
    effect  TEXT    NOT NULL,
    -- pending | claimed
    state   TEXT    NOT NULL,
    -- 0: nobody wants it any more, but a try may have happened, so it is only looked up.
    wanted  INTEGER NOT NULL,
    tries   INTEGER NOT NULL,
    due     INTEGER NOT NULL,
    reason  TEXT    NOT NULL
) STRICT;

CREATE TABLE verdict (
    subject  TEXT PRIMARY KEY,
    standing TEXT NOT NULL,
    since    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
    name    TEXT PRIMARY KEY,
    owner   TEXT    NOT NULL,
    token   INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Longer texts, by digest: issue bodies of managed issues, plans.
CREATE TABLE blob (
    digest TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) STRICT, WITHOUT ROWID;
