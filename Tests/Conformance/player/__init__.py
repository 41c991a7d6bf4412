"""The parts of replay.py: it plays recorded scenarios against an Identity Toolkit server."""
