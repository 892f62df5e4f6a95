"""Exact decoders: dynamic programmes over the potentials of an alignment."""
