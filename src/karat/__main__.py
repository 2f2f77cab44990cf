"""``python -m karat``: the command line, for the interpreter that has karat."""

from karat.cli import main

if __name__ == "__main__":
    main()
