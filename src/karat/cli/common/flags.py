"""Command-line flags made from the options of metrics and formats, and their groups in help."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from copy import copy
from math import inf
from typing import Any, TypeAlias

import click
import msgspec

from karat.cli.common.options import NumberRange, WholeNumber
from karat.cli.common.printing import flag_name, with_flags
from karat.core.options import Option, Range, declared
from karat.core.plugins import FORMATS, own_rows
from karat.core.registry import format_class
from karat.errors import OptionError

Sections: TypeAlias = Sequence[tuple[str, Sequence[click.Option]]]
"""Groups of options with their titles."""
NOTHING = "none"
"""On the command line: an empty list, in place of a default that is none."""


def flag(option: Option) -> click.Option:
    """The flag of a declared option; absent means the default."""
    name = flag_name(option.name).removeprefix("--")
    help_text, notes = with_flags(option.help), []
    if not option.required and option.default not in (None, (), ""):
        shown = option.default
        if option.scalar is bool:
            shown = "yes" if option.default else "no"
        elif option.default == "\t":
            shown = "a tab"
        elif option.is_list:
            shown = ", ".join(map(str, option.default))
        notes.append(f"default: {shown}")
    if option.range:
        notes.append(_ends(option.range))
    if notes:
        help_text += f"  [{'; '.join(notes)}]"
    if option.scalar is bool and not option.choices:
        return click.Option([f"--{name}/--no-{name}"], default=None, help=help_text)
    kind: Any = {int: WholeNumber(), float: NumberRange()}.get(option.scalar, option.scalar)
    if option.choices:
        kind = click.Choice([str(choice) for choice in option.choices])
    elif option.members:
        kind = click.Choice([*map(str, option.members), *([NOTHING] if option.default else [])])
    what = "FILE" if option.file else "FIELD" if option.name.endswith("_field") else None
    return click.Option(
        [f"--{name}"],
        type=kind,
        metavar=what if kind is str else None,
        default=None,
        multiple=option.is_list,
        help=help_text,
        hidden=option.choices == (option.default,),  # nothing to choose
    )


def _ends(numbers: Range) -> str:
    """The numbers that an option allows, written as click writes those of the commands' own."""
    low = "" if numbers.low == -inf else f"{numbers.low:g}"
    high = "" if numbers.high > 1e15 else f"{numbers.high:g}"  # as large as a number may be
    return f"{low}<=x<={high}" if low and high else f"x>={low}" if low else f"x<={high}"


def flags(declarations: Iterable[Mapping[str, Option]], taken: set[str]) -> list[click.Option]:
    """The flags of several declarations, each name once."""
    result = []
    for options in declarations:
        for option in options.values():
            if option.name not in taken:
                taken.add(option.name)
                result.append(flag(option))
    return result


def flags_apart(
    owner: str, options: Mapping[str, Option], taken: set[str], commanded: Container[str]
) -> dict[str, click.Option]:
    """The flags of options with the name of their metric in front: ``--rouge-sentences``.

    Help shows those that are the only ones, since the command has a flag of the plain name.
    """
    result = {}
    for option in options.values():
        name = f"{owner}_{option.name}".replace("-", "_").replace("+", "p")  # chrfpp
        if name not in taken:
            taken.add(name)
            result[option.name] = flag(msgspec.structs.replace(option, name=name))
            result[option.name].hidden = option.name not in commanded
    return result


def format_flags(
    formats: Mapping[str, Mapping[str, Option]], taken: set[str]
) -> list[click.Option]:
    """The flags of several formats; one that few of them have says which."""
    result = flags(formats.values(), taken)
    for option in result:
        owners = [name for name, options in formats.items() if option.name in options]
        if len(owners) < min(4, len(formats)):
            text, mark, notes = (option.help or "").partition("  [")
            option.help = f"{text} ({', '.join(owners)}){mark}{notes}"
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


def given(values: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """The values of these options that were given on the command line."""
    result = {}
    for name, option in options.items():
        value = values.get(name)
        if value is None or value == ():
            continue
        if option.choices:
            value = next(choice for choice in option.choices if str(choice) == value)
        elif option.members:
            if NOTHING in value and len(value) > 1:
                raise OptionError(
                    f"{flag_name(name)} {NOTHING} stands alone, got {', '.join(map(repr, value))}",
                    code="K302",
                )
            members = {str(member): member for member in option.members}
            value = tuple(members[text] for text in value if text in members)
        result[name] = value
    return result


def reading_options(kinds: Container[str] | None = None) -> dict[str, dict[str, Option]]:
    """For each format of karat that reads items of these kinds, its options of reading."""
    classes = [
        format_class(row.name)
        for row in own_rows(FORMATS)
        if row.reads and (kinds is None or row.kind in kinds)
    ]
    return {
        cls.name: {name: each for name, each in declared(cls).items() if name not in cls.writing}
        for cls in classes
    }


class SectionedCommand(click.Command):
    """A command whose help shows its options in named groups.

    Some groups are made only when one of their options may be meant, since that loads
    every format there is for the files.
    """

    def __init__(
        self,
        name: str,
        *,
        sections: Sections,
        rare: Callable[[], Sections],
        params: Sequence[click.Parameter] = (),
        **kwargs: Any,
    ) -> None:
        options = [each for _, group in sections for each in group]
        super().__init__(name, params=[*params, *options], **kwargs)
        self.sections = list(sections)
        self.rare = rare
        self.is_complete = False
        self.check: Callable[[Mapping[str, Any]], object] = dict
        """Raises an error if the values of the options do not go together."""

    def complete(self) -> None:
        """Adds the options of the rare groups."""
        if not self.is_complete:
            self.is_complete = True
            for title, options in self.rare():
                self.sections.append((title, options))
                self.params += options

    def make_parser(self, ctx: click.Context) -> Any:
        parser = super().make_parser(ctx)
        # click takes -g for a long option first, and looks for names like it, before it tries
        # the short ones: that takes as long as all else it does.
        getattr(parser, "_long_opt", {}).update(getattr(parser, "_short_opt", {}))
        return parser

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if ctx.resilient_parsing:  # completion in a shell, which must know all
            self.complete()
        try:
            return super().parse_args(ctx, list(args))
        except click.NoSuchOption:
            if self.is_complete:
                raise
        self.complete()
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.indentation():
            for block in _blocks(self.help or ""):
                formatter.write_paragraph()
                formatter.write_text(block)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        self.complete()
        for title, options in self.sections:
            shown = [*options, self.get_help_option(ctx)] if title == "Options" else options
            records = [option.get_help_record(ctx) for option in shown if option]
            if records:
                with formatter.section(title):
                    formatter.write_dl([record for record in records if record])


def _blocks(docstring: str) -> list[str]:
    """The paragraphs of a docstring that are prose."""
    import inspect

    blocks = inspect.cleandoc(docstring).split("\n\n")
    return [" ".join(block.split()) for block in blocks if not block.startswith(">>>")]
