"""`python -m a1kit` is the command line."""

from a1kit.cli import main

if __name__ == "__main__":
    main()
