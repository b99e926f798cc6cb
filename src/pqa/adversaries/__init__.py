"""Adversaries: those outside pqa who look for flaws, behind one small port; what they answer goes through the gate."""
