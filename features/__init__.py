"""Signals, features and base functions."""
