"""Ledger: what is kept over runs, in one SQLite file: runs, deaths, findings, replays, defenses, calibration."""
