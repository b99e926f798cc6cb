-- The first ledger. A run is written whole or not at all; deleting a run deletes all that hangs on it.

PRAGMA application_id = 1886478641;  -- "pqa1"

CREATE TABLE runs (
    run_id TEXT PRIMARY KEY,
    at TEXT NOT NULL,
    task_digest TEXT NOT NULL,
    task_title TEXT NOT NULL,
    mode TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    seed TEXT NOT NULL,
    choice TEXT,
    abstained INTEGER NOT NULL,
    reason TEXT NOT NULL
) STRICT;

CREATE TABLE branches (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    branch_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    path TEXT NOT NULL,
    topology_axis TEXT,
    conviction TEXT,
    verification TEXT,
    alive INTEGER NOT NULL,
    score REAL,
    PRIMARY KEY (run_id, branch_id)
) STRICT;

CREATE INDEX branches_by_digest ON branches (digest);

-- The failure taxonomy. `stage` is "static" (early kill) or "attack".
CREATE TABLE deaths (
    run_id TEXT NOT NULL,
    branch_id TEXT NOT NULL,
    stage TEXT NOT NULL,
    death_reason TEXT NOT NULL,
    finding_id TEXT,
    attack TEXT,
    category TEXT,
    excerpt TEXT NOT NULL,
    PRIMARY KEY (run_id, branch_id),
    FOREIGN KEY (run_id, branch_id) REFERENCES branches ON DELETE CASCADE
) STRICT;

CREATE TABLE findings (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    finding_id TEXT NOT NULL,
    branch_id TEXT NOT NULL,
    severity TEXT NOT NULL,
    claimed_severity TEXT,
    category TEXT NOT NULL,
    title TEXT NOT NULL,
    detail TEXT NOT NULL,
    resolved INTEGER NOT NULL,
    discounted INTEGER NOT NULL,
    attack TEXT,
    layer TEXT,
    oracle TEXT,
    adversary TEXT,
    location TEXT,
    document TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT;

CREATE INDEX findings_by_id ON findings (finding_id);

CREATE TABLE replays (
    run_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    status TEXT NOT NULL,
    runs INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    output TEXT NOT NULL,
    sandbox TEXT NOT NULL,
    PRIMARY KEY (run_id, position),
    FOREIGN KEY (run_id, position) REFERENCES findings ON DELETE CASCADE
) STRICT;

CREATE TABLE defenses (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    branch_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    answers TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT;

-- kind "conviction": subject is the level, outcome "survived", "died under attack" or "died before attack".
-- kind "severity": subject is the adversary, claimed its word, outcome the proved level or "unproved".
CREATE TABLE calibration (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    branch_id TEXT NOT NULL,
    attack TEXT,
    claimed TEXT,
    outcome TEXT NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT;
