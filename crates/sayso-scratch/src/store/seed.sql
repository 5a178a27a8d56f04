INSERT INTO indexes (name) VALUES ('handbook-v2'), ('runbooks-v3'), ('scratch-1');

INSERT INTO documents (id, index_name, title) VALUES
    ('hb-expenses', 'handbook-v2', 'Expenses and travel'),
    ('hb-leave', 'handbook-v2', 'Leave and holidays'),
    ('hb-oncall', 'handbook-v2', 'How on-call works'),
    ('rb-certificates', 'runbooks-v3', 'Renew the certificates of the edge'),
    ('rb-disk-full', 'runbooks-v3', 'A disk is full'),
    ('rb-failover', 'runbooks-v3', 'Fail over to the second region'),
    ('rb-queue-stuck', 'runbooks-v3', 'The queue does not drain'),
    ('rb-restore', 'runbooks-v3', 'Restore from a backup'),
    ('sc-first', 'scratch-1', 'First scratch document'),
    ('sc-second', 'scratch-1', 'Second scratch document');

INSERT INTO index_entries (index_name, document_id, title)
    SELECT index_name, id, title FROM documents;

INSERT INTO pinned_results (index_name, query, document_id) VALUES
    ('handbook-v2', 'pager', 'hb-oncall'),
    ('runbooks-v3', 'tls', 'rb-certificates'),
    ('runbooks-v3', 'data loss', 'rb-restore'),
    ('scratch-1', 'first', 'sc-first');

INSERT INTO tenants (name, email) VALUES
    ('larkspur', 'accounts@larkspur.example'),
    ('quillon', 'finance@quillon.example'),
    ('tidewater', 'billing@tidewater.example');

INSERT INTO tenant_records (tenant, content) VALUES
    ('larkspur', 'contract of 2024'),
    ('larkspur', 'support history'),
    ('larkspur', 'usage of the last quarter'),
    ('quillon', 'contract of 2025'),
    ('quillon', 'usage of the last quarter'),
    ('tidewater', 'contract of 2023'),
    ('tidewater', 'open questions'),
    ('tidewater', 'support history'),
    ('tidewater', 'usage of the last quarter');

INSERT INTO invoices (number, tenant, amount) VALUES
    ('INV-1041', 'larkspur', 'EUR 480.00'),
    ('INV-1042', 'tidewater', 'EUR 1,250.00'),
    ('INV-1043', 'quillon', 'EUR 90.00');

INSERT INTO notes (page, text) VALUES
    ('on-call', 'The pager moves on Mondays at ten.'),
    ('releases', 'Nothing goes out on a Friday.');
