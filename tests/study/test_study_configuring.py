from __future__ import annotations

import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest

from arctree.errors import CallError, DataError
from arctree.lifting import Scheme
from arctree.study.configuring import (
    HOSTED,
    NATIVE,
    StudyData,
    StudySettings,
    SystemSettings,
    changed_settings,
    load_study,
    native_configuration,
)
from arctree.study.identity import identity_of, shared_folders
from arctree.study.running import run_one
from arctree.study.runs import model_folder, runs_of
from command_line import PROJECT
from studied import CONFIGURATION, GRAPH, write_study

CHANGE = 'set = ["training.epochs=2"]'


def changed(tmp_path: Path, old: str, new: str) -> str:
    text = CONFIGURATION.format(folder=tmp_path, epochs=3)
    assert old in text
    path = tmp_path / "changed.toml"
    path.write_text(text.replace(old, new), "utf-8")
    return str(path)


def test_a_study_is_read(tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path)))
    assert study.title == "Toy & co_1"
    assert study.seeds == (1, 2)
    assert study.data.lifting is Scheme.HEAD
    assert [entry.name for entry in study.entries] == ["mapped", "graph"]
    assert [entry.title for entry in study.entries] == ["mapped", "graph-based"]
    mapped, graph = study.entries
    assert study.reference(graph) is study.reference(mapped) is mapped
    first = native_configuration(study, mapped, 2)
    second = native_configuration(study, graph, 2)
    assert (first.training.epochs, second.training.epochs) == (3, 2)
    assert (first.parser.kind, second.parser.kind) == ("mapped", "graph")
    assert first.training.seed == second.training.seed == 2
    assert first.encoder == second.encoder
    assert first.data.test == ()  # training never sees it
    assert not first.segmenter.train


@pytest.mark.parametrize(
    ("row", "encoder"),
    [
        ('kind = "graph"', ""),
        ('kind = "graph"\nmodels = ["a", "b"]', "loaded"),
        ('kind = "graph"\nmodels = ["a", "b"]\nencoder = "MPNet"', "MPNet"),
        ('kind = "graph"\nsettings = "small"', "small"),
        ('kind = "mapped"\nmodels_of = "mapped"\nset = ["parser.beam=2"]', "Bi_LSTM & more"),
    ],
)
def test_a_row_that_names_no_encoder(row: str, encoder: str, tmp_path: Path) -> None:
    assert load_study(changed(tmp_path, GRAPH, row)).entries[1].encoder == encoder


def test_a_study_without_a_title_has_its_file_s(tmp_path: Path) -> None:
    assert load_study(changed(tmp_path, 'title = "Toy & co_1"', "")).title == "changed"


def test_what_is_so_by_default_does_not_tell_runs_apart(tmp_path: Path) -> None:
    study = load_study(changed(tmp_path, "rate = 8e-3", "rate = 2e-3\nclip = 1.0"))
    settings = changed_settings(study, study.entries[0])
    assert settings["training"] == {"epochs": 3, "batch": 250}
    assert settings["parser"]["kind"] == "mapped"
    assert settings["encoder"]["width"] == 48


def test_variables_are_looked_up_when_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = changed(tmp_path, "word_width = 16", 'word_width = 16\nvectors = "$VECTORS_HERE"')
    monkeypatch.delenv("VECTORS_HERE", raising=False)
    study = load_study(path)
    mapped = study.entries[0]
    assert changed_settings(study, mapped)["encoder"]["vectors"] == ("$VECTORS_HERE",)
    with pytest.raises(DataError, match="VECTORS_HERE is not set"):
        native_configuration(study, mapped, 1)
    monkeypatch.setenv("VECTORS_HERE", "/there")
    assert native_configuration(study, mapped, 1).encoder.vectors == ("/there",)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[study]", "[studio]", r"no section \[studio\]; did you mean study\?"),
        ("seeds = [1, 2]", "seed = 1", r"no key study.seed; did you mean seeds\?"),
        ("seeds = [1, 2]", "seeds = [1, 1]", r"study.seeds is \[1, 1\]"),
        ("seeds = [1, 2]", "seeds = []", r"study.seeds is \[\]"),
        ("dev = ", "def = ", r"no key data.def; did you mean dev\?"),
        (
            'kind = "graph"',
            'kind = "graf"',
            "system graph: systems.kind is 'graf'; it takes mapped",
        ),
        ('name = "graph"', 'nome = "graph"', r"system 2: no key systems.nome; did you mean name\?"),
        ('name = "graph"', 'name = "Mapped"', "two systems Mapped"),
        ('name = "graph"', 'name = "report"', "the name 'report' cannot be that of its folder"),
        ('name = "graph"', 'name = "../x"', "the name '../x' cannot be that of its folder"),
        ('name = "graph"', "", "system 2: systems.name is missing; give it; it takes a text"),
        (
            'kind = "graph"',
            "",
            "system graph: systems.kind is missing; give it; it takes mapped or in",
        ),
        (
            'name = "graph"',
            'name = "speed-cpu.json"',
            "'speed-cpu.json' cannot be that of its folder",
        ),
        (
            "[settings.small.encoder]",
            "[settings.spare.training]\nepocs = 3\n\n[settings.small.encoder]",
            r"settings spare: no key training.epocs; did you mean epochs",
        ),
        (
            "[settings.small.encoder]",
            "[settings.spare.stanza]\nepocs = 3\n\n[settings.small.encoder]",
            r"no key stanza.epocs; did you mean epochs",
        ),
        (
            "[settings.small.encoder]",
            "[settings.spare.trianing]\nepochs = 3\n\n[settings.small.encoder]",
            r"settings spare: no section \[trianing\] for the kind mapped; did you mean training",
        ),
        (
            'settings = "small"\nencoder = "Bi_LSTM & more"\nset',
            'settings = "smell"\nset',
            r"system graph: no section \[settings.smell\]; did you mean small\?",
        ),
        ('["training.epochs=2"]', '["training.epoch=2"]', r"system graph: no key training.epoch"),
        ('["training.epochs=2"]', '["stanza.epochs=2"]', r"no section \[stanza\] for the kind"),
        ('["training.epochs=2"]', '["training.seed=2"]', "system graph: training.seed is set"),
        ('["training.epochs=2"]', '["parser.kind=mapped"]', "system graph: parser.kind is set"),
        ("hidden = 32", "hidden = 0", "system mapped: parser.hidden is 0; it goes from 1"),
        (GRAPH, 'kind = "graph"\nmodels = ["a"]', "system graph: 1 models for 2 seeds"),
        ("set = [", "seeds = [1, 3]\nset = [", r"system graph: seeds is \[1, 3\]; .*: 1, 2"),
        ("set = [", "seeds = [2, 2]\nset = [", r"system graph: seeds is \[2, 2\]"),
        (
            GRAPH,
            'kind = "graph"\nseeds = [2]\nmodels = ["a", "b"]',
            "system graph: 2 models for 1 seeds",
        ),
        (
            GRAPH,
            'kind = "in-order"\nmodels = ["a", "b"]\nset = ["parser.beam=0"]',
            "system graph: parser.beam is 0",
        ),
        (
            GRAPH,
            f'kind = "graph"\nmodels = ["a", "b"]\n{CHANGE}',
            "system graph: set has 'training.epochs=2', and models that are loaded do not change",
        ),
        (
            CHANGE,
            'models = ["a", "b"]',
            "system graph: settings is 'small', and models that are loaded do not change; leave it",
        ),
        (
            CHANGE,
            'set = ["parser.beam = 2"]',
            "system graph: a graph-based parser has no beam; leave 'parser.beam = 2' out of set",
        ),
        (
            "seeds = [1, 2]",
            "seeds = [1, 2147483649]",
            r"seeds is .*; give .*, from 0 to 2147483648",
        ),
        ('["training.epochs=2"]', '["epochs"]', "system graph: set epochs: write it as section"),
        (
            GRAPH,
            'kind = "graph"\nmodels_of = "mapped"',
            "system graph: models_of is 'mapped'; name a system of the same kind that .*: none",
        ),
    ],
)
def test_what_is_wrong_is_told_with_file_and_key(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = changed(tmp_path, old, new)
    with pytest.raises(DataError, match=f"^{path}: .*{said}"):
        load_study(path)


BEAM = """
[[systems]]
name = "wide"
kind = "mapped"
models_of = "mapped"
set = ["parser.beam=2"]
"""


def test_rows_that_would_read_alike_have_their_names_besides(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    text = path.read_text("utf-8") + BEAM
    for title, told in (("", "mapped (wide)"), ('title = "beam of 2"\n', "beam of 2")):
        path.write_text(text.replace('name = "wide"\n', f'name = "wide"\n{title}'))
        mapped, graph, wide = load_study(str(path)).entries
        assert (graph.title, wide.title) == ("graph-based", told)
        assert mapped.title == ("mapped" if title else "mapped (mapped)")


def test_models_may_be_those_of_another_system(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + BEAM)
    study = load_study(str(path))
    run = runs_of(study, tmp_path / "out", ["wide"], [2])[0]
    assert model_folder(study, run) == tmp_path / "out" / "mapped" / "seed-2" / "model"
    assert identity_of(study, run)["model"] == "mapped/seed-2/model"
    assert run.entry.encoder == "Bi_LSTM & more"
    # Where the models are learnt otherwise, what they answered counts no more.
    path.write_text(path.read_text("utf-8").replace("epochs = 3", "epochs = 4"))
    assert identity_of(load_study(str(path)), run) != identity_of(study, run)


def test_systems_are_run_in_the_order_of_the_study(tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path)))
    runs = runs_of(study, tmp_path, ["graph", "mapped", "graph"], [1])
    assert [run.entry.name for run in runs] == ["mapped", "graph"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('of = "mapped"', 'of = "wide"', "models_of is 'wide'; name a system .* above it: mapped"),
        ('settings = "small"\n', 'models = ["a", "b"]\n', "models_of is 'mapped'; .*: none"),
        ('of = "mapped"', 'of = "mapped"\nmodels = ["a", "b"]', "and models are named, too"),
        ('"small"\n', '"small"\nseeds = [2]\n', "models_of is 'mapped', which has no seed 1"),
        (
            'kind = "mapped"\nmodels_of = "mapped"\nset = ["parser.beam=2"]',
            'kind = "stanza-mapped"\nmodels_of = "mapped"',
            "models_of is 'mapped', and the system is not native",
        ),
    ],
)
def test_models_that_there_will_not_be_are_told(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = write_study(tmp_path)
    path.write_text((path.read_text("utf-8").replace(CHANGE, "") + BEAM).replace(old, new))
    with pytest.raises(DataError, match=f"^{path}: system wide: .*{said}"):
        load_study(str(path))


@pytest.mark.parametrize("path", sorted((PROJECT / "recipes" / "study").glob("*.toml")), ids=str)
def test_the_recipes_are_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whatever they take from the environment is told where they are."""
    text = path.read_text("utf-8")
    pages = [path, *(PROJECT / "recipes").glob("*/README.md")]
    told = "".join(page.read_text("utf-8") for page in pages)
    for name in set(re.findall(r"\$(\w+)", text)):
        assert f"{name}=" in told or f"{name} " in told, name
        monkeypatch.setenv(name, "somewhere")
    study = load_study(str(path))
    native = () if path.stem in ("english-adam", "gothic-longer") else NATIVE
    assert {entry.kind for entry in study.entries} == {*native, *HOSTED}


def test_a_system_may_be_run_with_some_of_the_seeds(tmp_path: Path) -> None:
    study = load_study(changed(tmp_path, "set = [", "seeds = [2]\nset = ["))
    assert [study.seeds_of(entry) for entry in study.entries] == [(1, 2), (2,)]
    planned = [(run.entry.name, run.seed) for run in runs_of(study, tmp_path)]
    assert planned == [("mapped", 1), ("mapped", 2), ("graph", 2)]
    with pytest.raises(CallError, match="graph is not run with the seed 1"):
        run_one(study, tmp_path, "graph", 1, print)


STANZA = """
[settings.host.stanza]
epochs = 2
steps = 5

[[systems]]
name = "stanza-mapped"
kind = "stanza-mapped"
settings = "host"

[[systems]]
name = "stanza-in-order"
kind = "stanza-in-order"
settings = "host"
set = ["stanza.{key}={value}"]
"""


NETWORKS = ("labeller", "tagger", "characters")


@pytest.mark.parametrize(
    ("key", "value", "labellers", "taggers", "characters"),
    [
        ("epochs", 3, 1, 1, 1),
        ("batch", 7, 1, 1, 1),
        ("learn_relations", "true", 1, 1, 1),
        ("steps", 6, 2, 1, 1),
        ("word_batch", 70, 2, 1, 1),
        ("tag_steps", 8, 2, 2, 1),
        ("characters", 9, 1, 1, 2),
        ("character_epochs", 9, 1, 1, 2),
    ],
)
def test_networks_that_are_alike_are_shared(
    tmp_path: Path, key: str, value: int | str, labellers: int, taggers: int, characters: int
) -> None:
    """What is said of the tree parsers alone makes no other labeller, nor steps another tagger."""
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + STANZA.format(key=key, value=value), "utf-8")
    study = load_study(str(path))
    first, second = runs_of(study, tmp_path, ["stanza-mapped", "stanza-in-order"], [1])
    shared = [shared_folders(study, run) for run in (first, second)]
    folders = [{getattr(one, name) for one in shared} for name in NETWORKS]
    assert list(map(len, folders)) == [labellers, taggers, characters]
    assert len(set.union(*folders)) == labellers + taggers + characters
    [other] = runs_of(study, tmp_path, ["stanza-mapped"], [2])
    elsewhere = shared_folders(study, other)
    assert not set.union(*folders) & {getattr(elsewhere, name) for name in NETWORKS}
    train = study.data.train
    other_test = replace(study, data=replace(study.data, test=train))
    other_dev = replace(study, data=replace(study.data, dev=train))
    assert shared_folders(other_test, first) == shared[0]
    assert shared_folders(other_dev, first) != shared[0]  # dev chooses among what is learnt


def test_what_does_not_learn_lifted_trees_does_not_depend_on_the_scheme(tmp_path: Path) -> None:
    """So graph-based systems, taggers and models of characters serve studies of both schemes."""
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8") + STANZA.format(key="epochs", value=3), "utf-8")
    study = load_study(str(path))
    other = replace(study, data=replace(study.data, lifting=Scheme.PATH))
    runs = runs_of(study, tmp_path, seeds=[1])
    assert {run.entry.name: identity_of(study, run) == identity_of(other, run) for run in runs} == {
        "mapped": False,
        "graph": True,
        "stanza-mapped": False,
        "stanza-in-order": False,
    }
    here, there = (shared_folders(one, runs[-1]) for one in (study, other))
    assert (here.tagger, here.characters) == (there.tagger, there.characters)
    assert here.labeller != there.labeller


def test_a_study_needs_systems(tmp_path: Path) -> None:
    text = CONFIGURATION.format(folder=tmp_path, epochs=1)
    path = tmp_path / "none.toml"
    path.write_text(text[: text.index("[[systems]]")], "utf-8")
    with pytest.raises(DataError, match=r"no systems; write a \[\[systems\]\] for each"):
        load_study(str(path))
    with pytest.raises(CallError, match="cannot be read"):
        load_study(str(tmp_path / "absent.toml"))


def test_a_system_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    study = load_study(str(write_study(tmp_path)))
    with pytest.raises(CallError, match="no system 'grave'; there are: mapped, graph"):
        study.entry("grave")


def test_the_configuration_on_the_page_has_every_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCTREE_DATA", "/data")
    page = (PROJECT / "docs" / "study.md").read_text("utf-8")
    block, _ = re.findall(r"^```toml\n(.*?)^```$", page, re.M | re.S)
    shown = tomllib.loads(block)
    usual = StudySettings()
    for name, value in shown["study"].items():
        if name != "title":
            assert StudySettings.read({name: value}) == usual
    assert set(shown["study"]) == {item.name for item in fields(StudySettings)}
    assert set(shown["data"]) == {item.name for item in fields(StudyData)}
    keys = {key for system in shown["systems"] for key in system}
    assert keys == {item.name for item in fields(SystemSettings)}
    (tmp_path / "page.toml").write_text(block, "utf-8")
    study = load_study(str(tmp_path / "page.toml"))
    assert [entry.name for entry in study.entries][:2] == ["mapped", "graph"]
    kinds = re.findall(r"^\| `([\w-]+)` \| ", page, re.M)
    assert kinds == [*NATIVE, *HOSTED]


def test_stanzas_own_parser_is_not_known_by_how_trees_are_learnt(tmp_path: Path) -> None:
    text = CONFIGURATION.format(folder=tmp_path, epochs=1)
    text += "[settings.hosted.stanza]\nsteps = 70\nepochs = 7\nletters = true\n"
    text += 'tree_options = ["--optim", "adamw"]\ngraph_options = ["--lr", "1e-3"]\n'
    for kind in ("stanza-mapped", "stanza-graph"):
        text += f'[[systems]]\nname = "{kind}"\nkind = "{kind}"\nsettings = "hosted"\n'
    path = tmp_path / "hosted.toml"
    path.write_text(text, "utf-8")
    study = load_study(str(path))
    dependent = {"steps": 70, "graph_options": ("--lr", "1e-3")}
    assert changed_settings(study, study.entry("stanza-graph")) == {"stanza": dependent}
    assert changed_settings(study, study.entry("stanza-mapped")) == {
        "stanza": {
            **dependent,
            "epochs": 7,
            "letters": True,
            "tree_options": ("--optim", "adamw"),
        }
    }


def test_a_system_in_stanza_is_known_by_what_it_sets(tmp_path: Path) -> None:
    text = CONFIGURATION.format(folder=tmp_path, epochs=1)
    text += '[settings.glove.stanza]\nvectors = "$V"\nbatch = 30\n'
    text += '[[systems]]\nname = "hosted"\nkind = "stanza-mapped"\nsettings = "glove"\n'
    path = tmp_path / "hosted.toml"
    path.write_text(text, "utf-8")
    study = load_study(str(path))
    hosted = study.entry("hosted")
    assert (hosted.title, hosted.encoder) == ("mapped in Stanza", "glove")
    assert changed_settings(study, hosted) == {"stanza": {"vectors": ("$V",)}}
    assert study.reference(hosted) is hosted
    path.write_text(text.replace("batch = 30", "botch = 30"), "utf-8")
    with pytest.raises(DataError, match=r"system hosted: no key stanza.botch; did you mean batch"):
        load_study(str(path))
