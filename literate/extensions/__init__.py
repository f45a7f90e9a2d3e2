"""Python-Markdown extensions: the book's notation on the site."""
