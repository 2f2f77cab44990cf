"""Command-line flags made from the options of metrics and formats."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from copy import copy
from typing import Any

import click
import msgspec

from karat.cli.common.printing import flag_name, with_flags
from karat.core.options import Option
from karat.errors import OptionError

NOTHING = "none"
"""On the command line: an empty list, in place of a default that is none."""


def flag(option: Option) -> click.Option:
    """The flag of a declared option; absent means the default."""
    name = flag_name(option.name).removeprefix("--")
    help_text = with_flags(option.help)
    if not option.required and option.default not in (None, (), ""):
        shown = option.default
        if option.scalar is bool:
            shown = "yes" if option.default else "no"
        elif option.is_list:
            shown = ", ".join(map(str, option.default))
        help_text += f"  [default: {shown}]"
    if option.scalar is bool and not option.choices:
        return click.Option([f"--{name}/--no-{name}"], default=None, help=help_text)
    kind: Any = option.scalar
    if option.choices:
        kind = click.Choice([str(choice) for choice in option.choices])
    elif option.members:
        kind = click.Choice([*map(str, option.members), *([NOTHING] if option.default else [])])
    return click.Option(
        [f"--{name}"], type=kind, default=None, multiple=option.is_list, help=help_text
    )


def flags(declared: Iterable[Mapping[str, Option]], taken: set[str]) -> list[click.Option]:
    """The flags of several declarations, each name once."""
    result = []
    for options in declared:
        for option in options.values():
            if option.name not in taken:
                taken.add(option.name)
                result.append(flag(option))
    return result


def flags_apart(
    owner: str, declared: Mapping[str, Option], taken: set[str], commanded: Container[str]
) -> dict[str, click.Option]:
    """The flags of options with the name of their metric in front: ``--rouge-sentences``.

    Help shows those that are the only ones, since the command has a flag of the plain name.
    """
    result = {}
    for option in declared.values():
        name = f"{owner}_{option.name}".replace("-", "_").replace("+", "p")  # chrfpp
        if name not in taken:
            taken.add(name)
            result[option.name] = flag(msgspec.structs.replace(option, name=name))
            result[option.name].hidden = option.name not in commanded
    return result


def format_flags(
    declared: Mapping[str, Mapping[str, Option]], taken: set[str]
) -> list[click.Option]:
    """The flags of several formats; one that few of them have says which."""
    result = flags(declared.values(), taken)
    for option in result:
        owners = [name for name, options in declared.items() if option.name in options]
        if len(owners) < min(4, len(declared)):
            text, mark, default = (option.help or "").partition("  [default")
            option.help = f"{text} ({', '.join(owners)}){mark}{default}"
    return result


def with_synonyms(
    options: Iterable[click.Option], synonyms: Mapping[str, str]
) -> list[click.Option]:
    """The options, each also under the flags that mean it."""
    result = []
    for option in options:
        further = [flag for flag, name in synonyms.items() if name == option.name]
        if further:
            option = copy(option)
            option.opts = [*further, *option.opts]
        result.append(option)
    return result


def given(values: Mapping[str, Any], declared: Mapping[str, Option]) -> dict[str, Any]:
    """Those of the values that were given and that are declared."""
    result = {}
    for name, option in declared.items():
        value = values.get(name)
        if value is None or value == ():
            continue
        if option.choices:
            value = next(choice for choice in option.choices if str(choice) == value)
        elif option.members and NOTHING in value:
            if len(value) > 1:
                raise OptionError(
                    f"{flag_name(name)} {NOTHING} stands alone, got {', '.join(map(repr, value))}",
                    code="K302",
                )
            value = ()
        result[name] = value
    return result
