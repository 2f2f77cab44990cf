"""The bill of materials (CycloneDX): what karat depends on, and what of others is in it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from releasing.contents import bundled
from releasing.running import BIN, StepFailed, run


def versions(root: Path) -> dict[str, str]:
    """The versions of what is bundled, where they are known."""
    constraints = Path(__file__).with_name("constraints.txt").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([\w-]+)==(\S+)$", constraints, re.MULTILINE))
    lock = json.loads((root / "web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    for path, entry in lock.items():
        if "version" in entry:
            found[path.removeprefix("node_modules/")] = entry["version"]
    return found


def component(row: dict[str, Any], version: str | None) -> dict[str, Any]:
    """A row of the table of what is bundled, as CycloneDX writes it."""
    own = row["license"].startswith("LicenseRef-")
    made: dict[str, Any] = {
        "type": "data" if row["files"][0].startswith("karat/text/data/") else "library",
        "bom-ref": f"bundled:{row['name']}",
        "name": row["name"],
        "description": row["about"],
        "licenses": [{"license": {"name" if own else "id": row["license"]}}],
        "properties": [{"name": "karat:file", "value": each} for each in row["files"]],
    }
    if version:
        made["version"] = version
    if "purl" in row:
        made["purl"] = row["purl"] + (f"@{version}" if version else "")
    return made


def write(tree: Path, python: Path, path: Path) -> None:
    """Writes the bill for an environment in which karat is installed."""
    run([BIN / "cyclonedx-py", "environment", "--pyproject", tree / "pyproject.toml",
         "--output-reproducible", "--of", "JSON", "--sv", "1.6", "-o", path, python])  # fmt: skip
    bill = json.loads(path.read_text(encoding="utf-8"))
    known = versions(tree)
    karat = next(each for each in [bill["metadata"]["component"], *bill["components"]]
                 if each["name"] == "karat")  # fmt: skip
    karat.setdefault("components", []).extend(
        component(row, known.get(row["name"])) for row in bundled(tree)
    )
    # What installs packages is no part of karat.
    bill["components"] = [
        each for each in bill["components"] if each["name"] not in ("pip", "setuptools")
    ]
    kept = {each["bom-ref"] for each in bill["components"]} | {
        bill["metadata"]["component"]["bom-ref"]
    }
    bill["dependencies"] = [each for each in bill.get("dependencies", []) if each["ref"] in kept]
    text = json.dumps(bill, indent=2, ensure_ascii=False) + "\n"
    problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if problem is not None:
        raise StepFailed(f"the bill of materials is no CycloneDX: {problem}")
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    # From a folder of its own as well: python -m releasing.materials PYTHON FILE
    write(Path(__file__).resolve().parents[2], Path(sys.argv[1]), Path(sys.argv[2]))
