"""The page of runs: one self-contained file of HTML in which people find out why.

`write` is the way in. Everything in a page is computed here; the script in it selects, sorts and
draws.
"""

from karat.report.page.making import PAGE_SIZE, PageMaker, RepairedRun, write, write_file

__all__ = ["PAGE_SIZE", "PageMaker", "RepairedRun", "write", "write_file"]
