-- The primary store: what an index is rebuilt from.
CREATE TABLE indexes (
    name             TEXT PRIMARY KEY,
    -- Milliseconds since 1970. Until then the index has no entries; afterwards the next change
    -- puts them back.
    rebuilding_until INTEGER,
    wipes            INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE documents (
    id         TEXT PRIMARY KEY,
    index_name TEXT NOT NULL REFERENCES indexes (name),
    title      TEXT NOT NULL,
    reindexed  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What a search finds. A wipe removes an index's entries, a rebuild brings them back.
CREATE TABLE index_entries (
    index_name  TEXT NOT NULL REFERENCES indexes (name),
    document_id TEXT NOT NULL REFERENCES documents (id),
    title       TEXT NOT NULL,
    PRIMARY KEY (index_name, document_id)
) STRICT;

-- Results that somebody put first by hand. A wipe removes them, and no rebuild brings them back.
CREATE TABLE pinned_results (
    index_name  TEXT NOT NULL REFERENCES indexes (name),
    query       TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents (id),
    PRIMARY KEY (index_name, query)
) STRICT;

CREATE TABLE tenants (
    name  TEXT PRIMARY KEY,
    email TEXT NOT NULL
) STRICT;

CREATE TABLE tenant_records (
    id      INTEGER PRIMARY KEY,
    tenant  TEXT NOT NULL REFERENCES tenants (name),
    content TEXT NOT NULL
) STRICT;

CREATE TABLE invoices (
    number TEXT PRIMARY KEY,
    tenant TEXT NOT NULL REFERENCES tenants (name),
    amount TEXT NOT NULL
) STRICT;

CREATE TABLE notes (
    id   INTEGER PRIMARY KEY AUTOINCREMENT,
    page TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;

-- Mails that were sent. Nothing takes them back.
CREATE TABLE outbox (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    recipient TEXT NOT NULL,
    subject   TEXT NOT NULL,
    sent_at   INTEGER NOT NULL
) STRICT;

-- How many calls of a tool were answered late, never or with a broken connection, by what the
-- settings said then. No part of what the tools work on.
CREATE TABLE withheld_answers (
    tool    TEXT PRIMARY KEY,
    setting TEXT NOT NULL,
    count   INTEGER NOT NULL
) STRICT;
