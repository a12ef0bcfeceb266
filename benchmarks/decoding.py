"""What decoding costs beside encoding: the batched machine has to stay small.

    python benchmarks/decoding.py MODEL [MODEL ...] --file TEST.conllu

Each stage of the network is timed on its own, on one thread, over the same batches that the parser
makes: encoding (words to vectors), decoding (vectors to unlabelled trees, 2n transitions), and
labelling (labels and marks of lifting, the heads being fixed). What counts is decoding / encoding.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
import torch

from arctree import conllu
from arctree.network.inference import DECODED_AT_ONCE, ENCODED_AT_ONCE, to_tensors
from arctree.network.model import Model
from arctree.parsing.batches import by_cost
from arctree.parsing.machine import row_starts
from arctree.sentence import Sentence

STAGES = ("encoding", "decoding", "labelling")


def main() -> None:
    options = argparse.ArgumentParser(description="Decoding beside encoding.")
    options.add_argument("models", type=Path, nargs="+")
    options.add_argument("--file", required=True, help="CoNLL-U")
    options.add_argument("--rounds", type=int, default=3)
    arguments = options.parse_args()
    torch.set_num_threads(1)
    sentences = list(conllu.read(arguments.file))
    words = sum(map(len, sentences))
    print(f"{Path(arguments.file).name}: {len(sentences):,} sentences, {words:,} words, one thread")
    print(f"{'model':<24}" + "".join(f"{stage:>12}" for stage in STAGES) + "  decoding / encoding")
    for model in arguments.models:
        opened = Model.load(model, torch.device("cpu"))
        rounds = [measure(opened, sentences) for _ in range(arguments.rounds)]
        medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
        times = "".join(f"{seconds:>10.2f} s" for seconds in medians)
        print(f"{model.name:<24}{times}  {medians[1] / medians[0]:>19.3f}")


@torch.inference_mode()
def measure(model: Model, sentences: list[Sentence]) -> tuple[float, float, float]:
    """CPU seconds of each stage over all sentences."""
    network = model.network
    prepared = network.encoder.prepare([sentence.forms for sentence in sentences])
    seconds = dict.fromkeys(STAGES, 0.0)
    group: list[list[int]] = []
    batches = by_cost([item.cost for item in prepared], ENCODED_AT_ONCE["cpu"])
    for batch in batches:
        group.append(batch)
        numbers = [number for some in group for number in some]
        sizes = [len(sentences[number]) for number in numbers]
        if sum(sizes) < DECODED_AT_ONCE["cpu"] and batch is not batches[-1]:
            continue
        start = time.process_time()
        vectors = torch.cat(
            [
                network.encoder(
                    to_tensors(
                        network.encoder.lay_out([prepared[number] for number in some]),
                        network.device,
                    )
                )
                for some in group
            ]
        )
        encoded = time.process_time()
        decoded = network.arcs.decode(vectors, sizes)
        built = time.process_time()
        starts = row_starts(sizes)
        words = torch.from_numpy(np.delete(np.arange(starts[-1]), starts[:-1]))
        heads = decoded.heads[words]
        first = torch.from_numpy(np.repeat(starts[:-1], sizes))
        for labeller in filter(None, (network.labeller, network.marker)):
            labeller.best(vectors, words, first + heads, heads == 0)
        seconds["encoding"] += encoded - start
        seconds["decoding"] += built - encoded
        seconds["labelling"] += time.process_time() - built
        group = []
    return seconds["encoding"], seconds["decoding"], seconds["labelling"]


if __name__ == "__main__":
    main()
