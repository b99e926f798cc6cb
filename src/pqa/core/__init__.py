"""Nouns: frozen plain data and the ports; standard library only, no process, clock, disk or network."""
