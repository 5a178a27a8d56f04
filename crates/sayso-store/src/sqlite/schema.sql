-- The journal; what a record says is in `record`, in canonical JSON. Nothing else is indexed: an
-- index by call would cost every append half as much again.
CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    record TEXT NOT NULL
) STRICT;

CREATE INDEX journal_starts ON journal (seq) WHERE kind = 'started';

-- `binding` is the binding as one text; `approval` the whole approval as JSON.
CREATE TABLE approvals (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    binding TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    spent INTEGER NOT NULL,
    approval TEXT NOT NULL
) STRICT;

CREATE INDEX approvals_by_binding ON approvals (binding, expires_at) WHERE spent = 0;

-- `approvals` counts the changes of that table, so that others see that there is something new.
CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO counters (name, value) VALUES ('approvals', 0), ('checks', 0);

CREATE TABLE secrets (
    name TEXT PRIMARY KEY,
    secret BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Idempotency keys. `run` tells the runs of the gate apart: what an earlier one left without a
-- result has none.
CREATE TABLE outcomes (
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    call TEXT NOT NULL,
    run BLOB NOT NULL,
    at INTEGER NOT NULL,
    result TEXT,
    PRIMARY KEY (caller, key)
) STRICT;

CREATE INDEX outcomes_by_time ON outcomes (at);

CREATE TABLE pins (
    server TEXT PRIMARY KEY,
    lock TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;

CREATE TABLE evidence (
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    hint TEXT NOT NULL,
    witness TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (server, tool, hint)
) STRICT;
