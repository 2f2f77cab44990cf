"""What a report of a fault should tell: how karat was built, and on what it runs."""

from __future__ import annotations

_PACKAGES = ("numpy", "msgspec", "click", "rich", "rapidfuzz")


def build_facts() -> dict[str, str]:
    """Native core, Python, platform and the packages that karat cannot do without."""
    import platform
    from importlib import import_module

    try:
        native = str(import_module("karat._native").BUILD)
    except ImportError as error:  # which is what such a report would be about
        native = f"does not load: {error}"
    packages = [f"{name} {_version(name)}" for name in _PACKAGES]
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return {
        "native core": native,
        "python": f"{python}, {platform.python_compiler()}",
        "platform": platform.platform(),
        "packages": ", ".join(packages),
    }


def _version(package: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "missing"
