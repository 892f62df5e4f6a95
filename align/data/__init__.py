"""Data that ships with Align: phone maps, the bundled model and the demonstration."""
