"""The notation as the site shows it, and a prediction."""

import re
from pathlib import Path

from markdown import Markdown

CONFIG = Path(__file__).parents[2] / "mkdocs.yml"


def convert(text: str) -> str:
    """The HTML of a page, by the extensions that the book is built with."""
    from mkdocs.config import load_config

    config = load_config(str(CONFIG), strict=False)
    md = Markdown(extensions=config["markdown_extensions"], extension_configs=config["mdx_configs"])
    return md.convert(text)


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).strip()


PREDICTION = """!!! predict "Which?"

    - ( ) This *one*: no, `a:b` is.
    - (x) That: it is.
"""
