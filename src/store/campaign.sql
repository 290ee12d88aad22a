-- SPDX-License-Identifier: MIT
-- Version 1 of a campaign file; docs/campaign.md tells what each column holds.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;
CREATE TABLE problem (
  id INTEGER PRIMARY KEY,
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  source BLOB NOT NULL,
  UNIQUE (level, number)
) STRICT;
CREATE TABLE candidate (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  problem INTEGER NOT NULL REFERENCES problem,
  sample INTEGER NOT NULL,
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  source BLOB NOT NULL,
  UNIQUE (run, problem, sample)
) STRICT;
CREATE TABLE observation (
  candidate INTEGER PRIMARY KEY REFERENCES candidate,
  finished_at TEXT NOT NULL,
  json TEXT NOT NULL
) STRICT;
CREATE TABLE failure (
  id INTEGER PRIMARY KEY,
  candidate INTEGER NOT NULL REFERENCES candidate,
  at TEXT NOT NULL,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;
CREATE INDEX failure_candidate ON failure (candidate);
CREATE TABLE recorded (
  run TEXT NOT NULL,
  level INTEGER NOT NULL,
  number INTEGER NOT NULL,
  sample INTEGER NOT NULL,
  harness TEXT NOT NULL,
  tests TEXT NOT NULL,
  compiled INTEGER NOT NULL,
  correct INTEGER NOT NULL,
  runtime_ms REAL,
  peak_bytes INTEGER,
  json TEXT NOT NULL,
  PRIMARY KEY (run, level, number, sample, harness, tests)
) STRICT;
CREATE TABLE recorded_baseline (
  hardware TEXT NOT NULL,
  name TEXT NOT NULL,
  level INTEGER NOT NULL,
  problem TEXT NOT NULL,
  mean_ms REAL,
  peak_bytes INTEGER,
  json TEXT NOT NULL,
  PRIMARY KEY (hardware, name, level, problem)
) STRICT;
