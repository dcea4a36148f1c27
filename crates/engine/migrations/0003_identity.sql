-- Who Ralph is on a forge, as that forge last said: a start without it goes on under the same name.
CREATE TABLE identity (
    forge TEXT PRIMARY KEY,
    login TEXT NOT NULL
) STRICT, WITHOUT ROWID;
