"""Tools that attacks and stages share: they measure and never judge."""
