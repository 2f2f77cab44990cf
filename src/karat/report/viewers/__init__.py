"""Pages to look into pyramids and ROUGE with: one file each, without server and network.

What is computed on a page is computed by `engine/`, scripts that repeat the
metrics of karat operation by operation; `content` gives a page what files hold.
"""
