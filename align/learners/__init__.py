"""Online learners, flat and structured."""
