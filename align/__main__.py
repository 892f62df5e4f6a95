"""``python -m align`` is the command line."""

from align.cli import main

if __name__ == "__main__":
    main()
