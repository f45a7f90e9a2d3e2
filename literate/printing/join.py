"""Joins printed pages: a link between them leads inside the book, and each has a bookmark."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, FloatObject, NameObject, NullObject, TextStringObject


@dataclass(frozen=True)
class Part:
    """A page of the site as printed: from which file, and as which."""

    title: str
    section: str
    source: Path
    printed: Path


def join(parts: list[Part], site: Path, site_url: str, target: Path) -> None:
    writer = PdfWriter()
    starts, places = [], {}
    for part in parts:
        reader = PdfReader(part.printed)
        start = len(writer.pages)
        starts.append(start)
        places[part.source, ""] = (start, None)
        for name, to in reader.named_destinations.items():
            number = reader.get_destination_page_number(to)
            places[part.source, name.lstrip("/")] = (start + (number or 0), to.top)
        for page in reader.pages:
            writer.add_page(page)
    pages = list(writer.pages)
    for part, start, end in zip(parts, starts, [*starts[1:], len(pages)], strict=True):
        for page in pages[start:end]:
            link(page, part.source, site, site_url, places, pages)
    bookmarks(writer, parts, starts)
    writer.compress_identical_objects(remove_unreferenced=True)  # each part brings the same fonts
    writer.page_mode = "/UseOutlines"
    writer.add_metadata({"/Title": parts[0].title})
    writer.write(target)


def link(page: Any, source: Path, site: Path, site_url: str, places: dict, pages: list) -> None:
    """Turn the addresses of files into places of the book, or into addresses of the site."""
    kept = ArrayObject()
    for reference in page.get("/Annots", []):
        note = reference.get_object()
        action = note.get("/A", {}).get_object() if "/A" in note else {}
        address = (
            action.get("/URI") or f"{source.as_uri()}#{str(note.get('/Dest', '')).lstrip('/')}"
        )
        parts = urlsplit(str(address))
        if parts.scheme != "file":
            kept.append(reference)
            continue
        file = Path(unquote(parts.path))
        file = file / "index.html" if file.is_dir() else file
        place = places.get((file, unquote(parts.fragment))) or places.get((file, ""))
        if place:
            number, top = place
            if "/A" in note:
                del note["/A"]
            height = NullObject() if top is None else FloatObject(top)
            goal = [pages[number].indirect_reference, NameObject("/XYZ"), NullObject(), height]
            note[NameObject("/Dest")] = ArrayObject([*goal, NullObject()])
        elif site_url and file.is_relative_to(site):
            inside = site_url + file.relative_to(site).as_posix()
            action[NameObject("/URI")] = TextStringObject(inside)
        else:  # it leads nowhere on another machine
            continue
        kept.append(reference)
    page[NameObject("/Annots")] = kept


def bookmarks(writer: PdfWriter, parts: list[Part], starts: list[int]) -> None:
    """A bookmark a section, below it its pages, and below each its headings."""
    sections: dict[str, Any] = {}
    for part, start in zip(parts, starts, strict=True):
        if part.section and part.section not in sections:
            sections[part.section] = writer.add_outline_item(title=part.section, page_number=start)
        item = writer.add_outline_item(
            title=part.title, page_number=start, parent=sections.get(part.section)
        )
        reader = PdfReader(part.printed)
        for heading in second_level(reader.outline):
            number = reader.get_destination_page_number(heading)
            title = str(heading.title).rstrip("¶ ")
            writer.add_outline_item(title=title, page_number=start + (number or 0), parent=item)


def second_level(outline: list) -> list:
    """The headings below the title of a page."""
    inside = next((entry for entry in outline if isinstance(entry, list)), [])
    return [entry for entry in inside if not isinstance(entry, list)]
