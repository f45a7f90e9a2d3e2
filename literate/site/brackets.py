"""A hook of MkDocs: the reference says `default: None)`, where its template leaves a space."""

import re


def on_page_content(html: str, **_: object) -> str:
    return re.sub(r"(</code>)\s+\)", r"\1)", html)
