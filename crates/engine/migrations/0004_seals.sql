-- Each row carries a digest of itself, so that damage is found where it is and not believed. `seal_of` is the program's own.
ALTER TABLE issue ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE repo ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE fact ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE outbox ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE verdict ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE lease ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blob ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursor ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;
ALTER TABLE identity ADD COLUMN seal INTEGER NOT NULL DEFAULT 0;

UPDATE issue SET seal = seal_of(repo, number, state, managed);
UPDATE repo SET seal = seal_of(name, state);
UPDATE fact SET seal = seal_of(seq, at, version, subject, body);
UPDATE outbox SET seal = seal_of(id, key, subject, lane, effect, state, wanted, tries, due, reason);
UPDATE verdict SET seal = seal_of(subject, standing, since);
UPDATE lease SET seal = seal_of(name, owner, token, expires);
UPDATE blob SET seal = seal_of(digest, text);
UPDATE inbox SET seal = seal_of(id, at, issue, command, actor);
UPDATE cursor SET seal = seal_of(repo, since);
UPDATE identity SET seal = seal_of(forge, login);

-- Which store this is: what others see in the mark that it leaves on a repository.
CREATE TABLE instance (
    one  INTEGER PRIMARY KEY CHECK (one = 1),
    id   TEXT    NOT NULL,
    seal INTEGER NOT NULL
) STRICT;
