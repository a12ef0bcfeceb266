from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from arctree.study import provenance
from arctree.study.provenance import versions


def test_the_commit_of_a_checkout_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "src" / "arctree" / "study" / "provenance.py"
    monkeypatch.setattr(provenance, "__file__", str(module))
    assert "commit" not in versions()
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *command], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    noted = versions()["commit"]
    assert len(noted) >= 7
    assert head.stdout.startswith(noted)
