"""The configuration of a study: one treebank, several systems, several seeds.

A TOML file has the sections ``[study]`` and ``[data]``, any number of named settings such as
``[settings.mpnet.encoder]`` and ``[settings.mpnet.training]``, whose sections are those of a
training configuration, and a ``[[systems]]`` for each row of the table. Reading is as strict
as that of :mod:`arctree.parsing.settings`.

``$NAME`` in names of files stands for an environment variable, and is looked up when runs are
to begin: what a variable stands for may differ from one machine to the next.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

from arctree.errors import CallError, DataError
from arctree.lifting import Scheme
from arctree.parsing.settings import MOST_SEED, Configuration, Settings, between, unknown
from arctree.study.system import Treebanks
from arctree.training.configuring import change_sections, expand_sections, read_sections

NativeKind = Literal["mapped", "in-order", "linearised", "graph"]
HostedKind = Literal["stanza-mapped", "stanza-in-order", "stanza-graph"]
NATIVE: tuple[str, ...] = get_args(NativeKind)
HOSTED: tuple[str, ...] = get_args(HostedKind)
MAPPED = ("mapped", "stanza-mapped")
GRAPH_BASED = ("graph", "stanza-graph")
# Of a training configuration, what a native system's settings may say.
NATIVE_SECTIONS = ("encoder", "parser", "tags", "training")
# What the tables call a kind of system.
TITLES = {
    "mapped": "mapped",
    "in-order": "in-order",
    "linearised": "linearised",
    "graph": "graph-based",
    "stanza-mapped": "mapped in Stanza",
    "stanza-in-order": "in-order of Stanza",
    "stanza-graph": "graph-based of Stanza",
}


@dataclass(frozen=True)
class StudySettings(Settings):
    """What holds for all systems. ``speed_words`` is how much text ``--speed`` measures on."""

    section: ClassVar[str] = "study"
    title: str = ""
    seeds: tuple[int, ...] = (1, 2, 3)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    speed_words: int = between(1, 100_000_000, 10_000)

    def __post_init__(self) -> None:
        super().__post_init__()
        seeds = self.seeds
        if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0 or max(seeds) > MOST_SEED:
            remedy = f"give each seed once, from 0 to {MOST_SEED}"
            raise DataError(f"study.seeds is {list(seeds)}", remedy)


@dataclass(frozen=True)
class StudyData(Settings):
    """The CoNLL-U files of the treebank, and the scheme of lifting."""

    section: ClassVar[str] = "data"
    train: tuple[str, ...] = ()
    dev: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    lifting: Scheme = Scheme.HEAD

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("train", "dev", "test"):
            if not getattr(self, name):
                raise DataError(f"data.{name} is empty", "name a file")


@dataclass(frozen=True)
class SystemSettings(Settings):
    """A row of the table.

    ``name`` is that of its folder. ``title`` and ``encoder`` are what the tables say of it;
    systems with the same ``encoder`` are compared with the first mapped one among them. ``set``
    changes the named settings. ``models`` are finished models to load, one a seed, in place of
    training; with ``models_of`` those of a native system of the study, above this one, whose
    ``encoder`` it has if it names none. A native system that is loaded has no ``settings``, and
    ``set`` can change ``parser.beam`` alone.
    ``seeds`` are those of the study's seeds that it is run with, if not all.
    """

    section: ClassVar[str] = "systems"
    name: str
    kind: Literal[NativeKind, HostedKind]
    settings: str = ""
    title: str = ""
    encoder: str = ""
    set: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    models_of: str = ""
    seeds: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A system as the study knows it: what it is called, and its settings as they are written.

    Its models may be those that lie somewhere, or those of a system of the study.
    """

    name: str
    kind: str
    title: str
    encoder: str
    sections: Mapping[str, Any]
    models: tuple[str, ...] = ()
    own_seeds: tuple[int, ...] = ()
    models_of: str = ""

    @property
    def is_loaded(self) -> bool:
        """Whether it is not trained here."""
        return bool(self.models or self.models_of)

    @property
    def is_native(self) -> bool:
        return self.kind in NATIVE

    @property
    def is_mapped(self) -> bool:
        return self.kind in MAPPED

    @property
    def builds_trees(self) -> bool:
        """Whether it learns φ(D); graph-based systems learn D as it is."""
        return self.kind not in GRAPH_BASED


@dataclass(frozen=True)
class Study:
    """A whole study."""

    settings: StudySettings
    data: Treebanks
    entries: tuple[Entry, ...]
    file: str

    @property
    def title(self) -> str:
        return self.settings.title

    @property
    def seeds(self) -> tuple[int, ...]:
        return self.settings.seeds

    def seeds_of(self, entry: Entry) -> tuple[int, ...]:
        """The seeds that a system is run with, in the study's order."""
        return tuple(seed for seed in self.seeds if not entry.own_seeds or seed in entry.own_seeds)

    def entry(self, name: str) -> Entry:
        """The system of this name."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        raise CallError(
            f"no system {name!r}; there are: {', '.join(entry.name for entry in self.entries)}"
        )

    def reference(self, entry: Entry) -> Entry:
        """The system that an entry is compared with: the mapped one with its encoder."""
        alike = [other for other in self.entries if other.encoder == entry.encoder]
        return next((other for other in alike if other.is_mapped), alike[0])


def load_study(path: str) -> Study:
    """The study that a TOML file describes."""
    sections = read_sections(path)
    try:
        for name in sections:
            if name not in _SECTIONS:
                raise unknown(f"section [{name}]", name, list(_SECTIONS))
        settings = StudySettings.read({"title": Path(path).stem, **_table(sections, "study")})
        data = StudyData.read(expand_sections({"data": _table(sections, "data")})["data"])
        entries = _entries(sections)
        treebanks = Treebanks(data.train, data.dev, data.test, data.lifting)
        study = Study(settings, treebanks, entries, path)
        for number, entry in enumerate(entries):
            _check_models(study, entry, entries[:number])
            _check_seeds(study, entry)
            with _told_of(f"system {entry.name}"):
                changed_settings(study, entry)
        _check_unused(study, sections)
    except DataError as error:
        raise error.at(file=path) from error
    return study


def native_configuration(
    study: Study, entry: Entry, seed: int, *, device: str | None = None, expand: bool = True
) -> Configuration:
    """What a native system is trained with. The test files stay out of it."""
    sections = {name: dict(section) for name, section in entry.sections.items()}
    if expand:
        sections = expand_sections(sections)
    for section, key, value in (
        ("parser", "kind", entry.kind),
        ("training", "seed", seed),
        ("training", "device", device or study.settings.device),
    ):
        if key in sections.setdefault(section, {}):
            raise DataError(f"{section}.{key} is set", "the study says it for each system")
        sections[section][key] = value
    sections["data"] = {"train": study.data.train, "dev": study.data.dev}
    sections["data"]["lifting"] = study.data.lifting
    sections["segmenter"] = {"train": False}
    return Configuration.read(sections)


def changed_settings(study: Study, entry: Entry) -> dict[str, dict[str, Any]]:
    """What an entry sets, without what is so by default: by this a run is known again.

    Hence a setting that is new in arctree makes no finished run a stranger.
    """
    if not entry.is_native:
        return {"stanza": _changed_stanza(entry)}
    encoder = entry.sections.get("encoder", {})
    given = native_configuration(study, entry, 0, expand=False).to_json()
    kept = {key: encoder[key] for key in ("kind", "source") if key in encoder}
    plain = Entry(entry.name, entry.kind, "", "", {"encoder": kept})
    usual = native_configuration(study, plain, 0, expand=False).to_json()
    changed = {}
    for section in NATIVE_SECTIONS:
        values = {
            key: value
            for key, value in given[section].items()
            if key not in _WITHOUT_EFFECT
            and (key in ("kind", "source") or value != usual[section][key])
        }
        changed[section] = values
    return changed


def _check_models(study: Study, entry: Entry, above: tuple[Entry, ...]) -> None:
    """Whose models it loads: those of a system that is trained with its seeds, and before it."""
    if not entry.models_of:
        return
    alike = {
        other.name: other for other in above if other.kind == entry.kind and not other.is_loaded
    }
    fault = f"system {entry.name}: models_of is {entry.models_of!r}"
    if not entry.is_native:
        raise DataError(f"{fault}, and the system is not native", "name their folders in models")
    if entry.models:
        raise DataError(f"{fault}, and models are named, too", "give one or the other")
    if entry.models_of not in alike:
        told = ", ".join(alike) or "none"
        raise DataError(fault, f"name a system of the same kind that is trained above it: {told}")
    seeds = study.seeds_of(alike[entry.models_of])
    if missing := [str(seed) for seed in study.seeds_of(entry) if seed not in seeds]:
        raise DataError(f"{fault}, which has no seed {', '.join(missing)}", "give it seeds")


def _check_seeds(study: Study, entry: Entry) -> None:
    strange = [seed for seed in entry.own_seeds if seed not in study.seeds]
    if strange or len(set(entry.own_seeds)) < len(entry.own_seeds):
        raise DataError(
            f"system {entry.name}: seeds is {list(entry.own_seeds)}",
            f"give some of the study's, each once: {', '.join(map(str, study.seeds))}",
        )
    seeds = study.seeds_of(entry)
    if len(entry.models) not in (0, len(seeds)):
        raise DataError(
            f"system {entry.name}: {len(entry.models)} models for {len(seeds)} seeds",
            "name one for each seed, in their order",
        )


# How a run is made, but not what comes of it.
_WITHOUT_EFFECT = ("seed", "device", "checkpoint_minutes")
_SECTIONS = ("study", "data", "settings", "systems")
# Folders of a study that belong to no system.
_TAKEN = ("report", "labellers", "taggers", "characters", "speed-cpu.json", "speed-cuda.json")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
# The encoder of models whose row says nothing of it.
_LOADED = "loaded"


def _entries(sections: Mapping[str, Any]) -> tuple[Entry, ...]:
    written = sections.get("systems", [])
    if not isinstance(written, list) or not all(isinstance(one, dict) for one in written):
        raise DataError("systems is no list", "write each system as [[systems]]")
    if not written:
        raise DataError("no systems", "write a [[systems]] for each")
    named = _table(sections, "settings")
    entries: dict[str, Entry] = {}
    for number, values in enumerate(written, start=1):
        with _told_of(f"system {values.get('name', number)}"):
            entry = _entry(SystemSettings.read(values), named)
        learner = entries.get(entry.models_of.lower())
        if learner is not None and not entry.encoder:
            entry = replace(entry, encoder=learner.encoder)
        if entry.name.lower() in entries:
            raise DataError(f"two systems {entry.name}", "give each a name of its own")
        entries[entry.name.lower()] = entry
    return _told_apart(list(entries.values()))


def _check_unused(study: Study, sections: Mapping[str, Any]) -> None:
    """Named settings that no row names may be wrong all the same: as a system they would be one."""
    named = _table(sections, "settings")
    used = {system.get("settings") for system in sections["systems"]}
    for name in named:
        if name not in used:
            hosted = "stanza" in _table(named, name, f"settings.{name}")
            kind: NativeKind | HostedKind = "stanza-mapped" if hosted else "mapped"
            with _told_of(f"settings {name}"):
                changed_settings(study, _entry(SystemSettings("none", kind, name), named))


@contextmanager
def _told_of(what: str) -> Iterator[None]:
    """An error says what it is in."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{what}: {error.fault}", error.remedy) from error


def _told_apart(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """No two rows of a table read alike: those that would have their names besides."""
    rows = Counter((entry.title, entry.encoder) for entry in entries)
    return tuple(
        replace(entry, title=f"{entry.title} ({entry.name})")
        if rows[entry.title, entry.encoder] > 1
        else entry
        for entry in entries
    )


def _entry(settings: SystemSettings, named: Mapping[str, Any]) -> Entry:
    if not _NAME.fullmatch(settings.name) or settings.name.lower() in _TAKEN:
        raise DataError(
            f"the name {settings.name!r} cannot be that of its folder",
            f"take letters, digits and . _ + -, but not {' or '.join(_TAKEN)}",
        )
    if settings.settings and settings.settings not in named:
        what = f"section [settings.{settings.settings}]"
        raise unknown(what, settings.settings, list(named) or ["none"])
    sections = copy.deepcopy(_table(named, settings.settings, f"settings.{settings.settings}"))
    try:
        change_sections(sections, settings.set)
    except CallError as error:  # which speaks of the option --set
        raise DataError(str(error).removeprefix("--")) from error
    _check_changes(settings)
    valid = list(NATIVE_SECTIONS if settings.kind in NATIVE else ("stanza",))
    for name, section in sections.items():
        if name not in valid:
            raise unknown(f"section [{name}] for the kind {settings.kind}", name, valid)
        if not isinstance(section, dict):
            raise DataError(f"{name} is {section!r}", f"write it as a section [{name}]")
    return Entry(
        settings.name,
        settings.kind,
        settings.title or TITLES[settings.kind],
        settings.encoder or settings.settings or (_LOADED if settings.models else ""),
        sections,
        settings.models,
        settings.seeds,
        settings.models_of,
    )


def _check_changes(settings: SystemSettings) -> None:
    """What is settled when a native model is trained cannot be changed when it is loaded."""
    is_loaded = settings.kind in NATIVE and (settings.models or settings.models_of)
    if is_loaded and settings.settings:
        raise DataError(
            f"settings is {settings.settings!r}, and models that are loaded do not change",
            "leave it out, and name the row's encoder",
        )
    for change in settings.set:
        key = change.partition("=")[0].strip()
        if key == "parser.beam" and settings.kind == "graph":
            raise DataError("a graph-based parser has no beam", f"leave {change!r} out of set")
        if is_loaded and key != "parser.beam":
            raise DataError(
                f"set has {change!r}, and models that are loaded do not change",
                "leave it out; parser.beam alone can be set",
            )


def _table(sections: Mapping[str, Any], name: str, shown: str = "") -> dict[str, Any]:
    values = sections.get(name, {})
    if not isinstance(values, dict):
        shown = shown or name
        raise DataError(f"{shown} is {values!r}", f"write it as a section [{shown}]")
    return values


def _changed_stanza(entry: Entry) -> dict[str, Any]:
    """Of Stanza's own parser what it depends on: how trees are learnt beside it changes nothing."""
    from arctree.study.stanza.settings import GRAPH_SETTINGS, StanzaSettings

    given = StanzaSettings.read(entry.sections.get("stanza", {}))
    said = {item.name: getattr(given, item.name) for item in fields(given)}
    return {
        item.name: said[item.name]
        for item in fields(given)
        if said[item.name] != item.default
        and (entry.kind != "stanza-graph" or item.name in GRAPH_SETTINGS)
    }
