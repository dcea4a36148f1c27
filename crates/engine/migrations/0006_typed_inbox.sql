-- Commands given on this machine are JSON. Posting a command again with the key that its sender chose does not repeat
-- it. The key stays known beside the outcome, which exists from the moment the command is taken.
ALTER TABLE inbox ADD COLUMN key TEXT;
ALTER TABLE inbox ADD COLUMN body TEXT NOT NULL DEFAULT '';
UPDATE inbox SET body = CASE
    WHEN issue = '*' THEN json_object('order', 'drain')
    WHEN command = 'take-over' THEN json_object('order', 'take-over', 'repo', issue)
    ELSE json_object(
        'order', 'issue',
        'issue', json_object(
            'repo', substr(issue, 1, instr(issue, '#') - 1),
            'number', CAST(substr(issue, instr(issue, '#') + 1) AS INTEGER)
        ),
        'command', substr(command, 1, instr(command || ' --', ' --') - 1),
        'manner', iif(instr(command, ' --') > 0, substr(command, instr(command, ' --') + 3), 'plain')
    )
END;
ALTER TABLE inbox DROP COLUMN issue;
ALTER TABLE inbox DROP COLUMN command;
UPDATE inbox SET seal = seal_of(id, at, actor, key, body);
CREATE UNIQUE INDEX inbox_key ON inbox (key) WHERE key IS NOT NULL;

ALTER TABLE outcome ADD COLUMN key TEXT;
ALTER TABLE outcome ADD COLUMN body TEXT NOT NULL DEFAULT '';
-- NULL: taken, but not decided yet.
ALTER TABLE outcome ADD COLUMN answer TEXT;
UPDATE outcome SET
    body = CASE
        WHEN command = 'take-over' THEN json_object('order', 'take-over', 'repo', issue)
        ELSE json_object(
            'order', 'issue',
            'issue', json_object(
                'repo', substr(issue, 1, instr(issue, '#') - 1),
                'number', CAST(substr(issue, instr(issue, '#') + 1) AS INTEGER)
            ),
            'command', command,
            'manner', 'plain'
        )
    END,
    answer = iif(
        refused IS NULL, json_object('is', 'obeyed'), json_object('is', 'refused', 'why', refused)
    );
ALTER TABLE outcome DROP COLUMN issue;
ALTER TABLE outcome DROP COLUMN command;
ALTER TABLE outcome DROP COLUMN refused;
UPDATE outcome SET seal = seal_of(id, at, key, body, answer);
CREATE UNIQUE INDEX outcome_key ON outcome (key) WHERE key IS NOT NULL;
