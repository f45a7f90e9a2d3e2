"""What is published: the site, and each page as Markdown, notebook and scripts."""
