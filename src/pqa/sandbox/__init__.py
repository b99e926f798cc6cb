"""Where foreign code runs: bubblewrap, or nothing at all; what holds is probed, and the tier is said."""
