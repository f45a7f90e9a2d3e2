"""The wheel holds the package and nothing else, and works where the repository is not."""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
# In processes of their own, which beartype does not reach.
pytestmark = [pytest.mark.slow, pytest.mark.untyped]
SCRIPT = """
import pathlib, sys
sys.modules["numpy"] = None  # neither torch nor the package asks for it
import torch, attention
assert pathlib.Path(attention.__file__).is_relative_to(sys.argv[1]), attention.__file__
x = torch.eye(3)
print(attention.dot_product_attention(x, x, x, attention.Causal())[0].tolist())
mask = attention.Causal() & attention.Padding(torch.tensor([2]))
print(attention.dot_product_attention(*[x[None, None]] * 3, mask)[0, 0, 0].tolist())
"""


def test_the_wheel_works_elsewhere(tmp_path: Path) -> None:
    source, wheels, target = tmp_path / "source", tmp_path / "wheels", tmp_path / "target"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "attention", source / "attention")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    alone = ["--no-deps", "--no-index"]
    build = ["wheel", "--no-build-isolation", *alone, "--wheel-dir", str(wheels), str(source)]
    subprocess.run([*pip, *build], check=True)
    (wheel,) = wheels.glob("attention_executed-*.whl")
    names = ZipFile(wheel).namelist()
    assert "attention/py.typed" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        "attention",
        "attention_executed",
    }
    subprocess.run([*pip, "install", *alone, "--target", str(target), str(wheel)], check=True)
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(target)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(target), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "[1.0, 0.0, 0.0]\n[1.0, 0.0, 0.0]"
