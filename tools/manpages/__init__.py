"""Manual pages of Debian packages as a data set: which section of the manual is this page from?

debian      looks packages up, downloads them and reads the pages in them
installed   the pages on this system instead
roff        a page's running text, without what names its section
duplicates  leaves one page of each group of near duplicates
selection   balances the sections and splits the pages
dataset     from raw pages to the files
"""
