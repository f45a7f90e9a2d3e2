"""requirements.txt is all that pyproject.toml asks for, with a hash for each file of a version."""

import re
import sysconfig
import tomllib
from importlib.metadata import distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
OURS = {"attention-executed"}
# A GPU's build of torch brings these, each in the one version that torch asks for.
CUDA = re.compile(r"torch|triton|nvidia-.+|cuda-.+")
PARTS = re.compile(r"^(?=[A-Za-z0-9])", re.M)  # where a name of the lock begins


def lock() -> dict[str, Requirement]:
    """What is locked, by name."""
    found = re.findall(r"^([A-Za-z0-9][^\\\n]*?) \\$", text(), re.M)
    requirements = [Requirement(line) for line in found]
    return {canonicalize_name(each.name): each for each in requirements}


def text() -> str:
    return (ROOT / "requirements.txt").read_text("utf-8")


def version(requirement: Requirement) -> str:
    (pin,) = requirement.specifier
    assert pin.operator == "==", requirement
    return pin.version


def group(name: str) -> list[Requirement]:
    """A group of pyproject.toml, with the groups that it includes."""
    found = []
    for each in PROJECT["dependency-groups"][name]:
        if isinstance(each, str):
            found.append(Requirement(each))
        else:
            found += group(each["include-group"])
    return found


def asked() -> list[Requirement]:
    """All that pyproject.toml names, but torch itself."""
    theirs = [Requirement(each) for each in PROJECT["project"]["dependencies"]]
    theirs += [Requirement(each) for each in PROJECT["project"]["optional-dependencies"]["graph"]]
    return [each for each in theirs + group("dev") if each.name != "torch"]


def test_what_is_asked_for_is_locked_in_a_version_that_fits() -> None:
    assert len(asked()) > 25
    for requirement in asked():
        pin = lock()[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version(pin)), (requirement, pin)


def test_what_is_installed_is_locked() -> None:
    # Of this environment alone: a package, once loaded, may show others that it carries inside.
    here = distributions(path=[sysconfig.get_path("purelib")])
    installed = {canonicalize_name(each.name): each.version for each in here}
    theirs = {k for k in installed if CUDA.fullmatch(k) and k not in lock()}  # torch brings them
    installed = {k: v for k, v in installed.items() if k not in OURS and k not in theirs}
    locked = {
        name: version(pin)
        for name, pin in lock().items()
        if not pin.marker or pin.marker.evaluate()
    }
    assert installed == locked


def test_torch_is_pinned_apart() -> None:
    assert "torch" not in lock()
    (pin,) = group("torch")
    assert distribution("torch").version.partition("+")[0] == version(pin)
    for requirement in PROJECT["project"]["dependencies"]:
        if (wanted := Requirement(requirement)).name == "torch":
            assert wanted.specifier.contains(version(pin))


def test_the_lock_was_told_what_torch_needs() -> None:
    (told,) = PROJECT["tool"]["uv"]["dependency-metadata"]
    assert told["version"] == distribution("torch").version.partition("+")[0]
    needs = [Requirement(each) for each in distribution("torch").requires or []]
    plain = {
        each
        for each in needs
        if "extra" not in str(each.marker) and not CUDA.fullmatch(canonicalize_name(each.name))
    }
    assert set(map(Requirement, told["requires-dist"])) == plain


def test_the_lock_is_of_these_groups() -> None:
    """Below each name it says who asked for it: a name that pyproject.toml dropped is seen."""
    direct = [part for part in PARTS.split(text()) if "attention-executed (pyproject.toml" in part]
    names = {canonicalize_name(part.partition("==")[0]) for part in direct}
    assert names == {canonicalize_name(each.name) for each in asked()}


def test_every_version_has_hashes() -> None:
    for part in PARTS.split(text())[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}$", part, re.M), part.partition(" ")[0]
    assert len(lock()) == len(PARTS.findall(text()))


def test_make_asks_for_the_hashes() -> None:
    make = (ROOT / "Makefile").read_text("utf-8")
    (install,) = re.findall(r".*--requirement requirements\.txt", make)
    # Nothing is built, so no tool to build it is fetched without a hash.
    assert "--require-hashes --only-binary :all:" in install
