"""An explanation of a release in layers, in plain sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from anonymizer.explanation.layered import CoarseClass, LayeredExplanation
from anonymizer.report.page import share, whole
from anonymizer.report.sections import FigureTable, Section
from anonymizer.report.solution import say_narrowed
from anonymizer.report.words import given_away, points, said_of_references, standing
from anonymizer.solution.layered import Layer

LARGEST = 10
"""So many layers are shown on the terminal; a page has them all."""
LEARNED = (
    "That a record is coarser than others tells something: when a class was made, it took every record "
    "that fell into it, so that a record released by a coarser class is not one of a finer class inside "
    "it. What is counted are the cells for which one finer class is enough to see that."
)


def layered_sections(explanation: LayeredExplanation) -> tuple[Section, ...]:
    """Answer a steward's questions about layers, one after the other."""
    return (
        Section(
            "Where the release stands",
            (
                standing_of(explanation),
                *given_away(explanation.sensitive, explanation.classes),
                *said_of_references(explanation.references),
                bound_of(explanation),
            ),
        ),
        layers_section(explanation),
        levels_section(explanation),
        lost_section(explanation),
        narrowed_section(explanation),
    )


def standing_of(explanation: LayeredExplanation) -> str:
    """Say what the release costs and what risk is left."""
    return standing(
        explanation.quality,
        explanation.suppressed,
        explanation.records,
        explanation.highest,
        explanation.average,
    )


def bound_of(explanation: LayeredExplanation) -> str:
    """Say how far better layers could be."""
    if explanation.bound is None:
        return "The layers were applied as given; how far better ones could be was not asked."
    gap = 1 - explanation.quality - explanation.bound
    if gap <= 0:
        return "No release in layers has a higher quality: this one is proven optimal."
    return (
        f"No release in layers has a quality above {points(1 - explanation.bound)} points, so that "
        f"better layers could gain at most {points(gap)}."
    )


def layers_section(explanation: LayeredExplanation) -> Section:
    """Show the layers, those with most records first."""
    layers, attributes = explanation.layers, tuple(explanation.levels)
    first = layers[:LARGEST]
    kept = explanation.records - explanation.suppressed
    records = sum(layer.records for layer in first)
    sentences = [
        f"The records are in {whole(len(layers))} {'layer' if len(layers) == 1 else 'layers'}, each with "
        "one scheme; an attribute that is not named is left as it is."
    ]
    if len(layers) > LARGEST:
        sentences.append(
            f"The {LARGEST} largest hold {whole(records)} of {whole(kept)} records "
            f"({share(records / kept)})."
        )
    short = FigureTable(("records", "loss", "levels"), tuple(short_row(layer) for layer in first))
    every = FigureTable(
        ("records", "loss", *attributes),
        tuple(layer_row(layer, attributes) for layer in layers),
        "Every layer with all levels",
    )
    return Section("The layers", tuple(sentences), (short, every))


def short_row(layer: Layer) -> tuple[str, ...]:
    """Write a layer as a row that fits a terminal."""
    raised = [f"{name} {level}" for name, level in layer.scheme.items() if level]
    return whole(layer.records), f"{layer.loss:.4f}", ", ".join(raised) or "all at 0"


def layer_row(layer: Layer, attributes: Sequence[str]) -> tuple[str, ...]:
    """Write a layer with the level of each attribute."""
    levels = (str(layer.scheme[name]) for name in attributes)
    return whole(layer.records), f"{layer.loss:.4f}", *levels


def levels_section(explanation: LayeredExplanation) -> Section:
    """Show how many records are at each level of each attribute."""
    height = max(len(records) for records in explanation.levels.values())
    rows = tuple(
        (name, *(whole(n) for n in records), *["-"] * (height - len(records)))
        for name, records in explanation.levels.items()
    )
    header = ("attribute", *(f"level {level}" for level in range(height)))
    return Section(
        "How far each attribute is generalized",
        ("The records that are released at each level; suppressed ones are left out.",),
        (FigureTable(header, rows),),
    )


def lost_section(explanation: LayeredExplanation) -> Section:
    """Say who lost most."""
    half, records = explanation.bear_half, explanation.records
    sentences = [
        f"Half of the loss is borne by {whole(half)} of {whole(records)} records "
        f"({share(half / records)}){', suppressed ones among them' if explanation.suppressed else ''}."
        if half
        else "No record lost anything."
    ]
    if not explanation.lost_most:
        if half:
            sentences.append("No class may be shown: the models do not say how large it must be.")
        return Section("Who lost most", tuple(sentences))
    sentences.append(
        "The released classes whose records lost most, each record the share that is given:"
    )
    header = (*explanation.lost_most[0].generalized, "records", "loss")
    rows = tuple(class_row(each) for each in explanation.lost_most)
    return Section(
        "Who lost most", tuple(sentences), (FigureTable(header, rows, folded="These classes"),)
    )


def class_row(lost: CoarseClass) -> tuple[str, ...]:
    """Write a class by its values as a row."""
    values = (text or "(missing)" for text in lost.generalized.values())
    return *values, whole(lost.records), f"{lost.loss:.4f}"


def narrowed_section(explanation: LayeredExplanation) -> Section:
    """Say what the layers give away."""
    narrowed, kept = explanation.narrowed, explanation.records - explanation.suppressed
    figures: tuple[FigureTable, ...] = ()
    if narrowed is not None and narrowed.cells:
        rows = tuple(
            (name, whole(cells), share(cells / kept))
            for name, cells in narrowed.by_attribute.items()
            if cells
        )
        figures = (FigureTable(("attribute", "cells narrowed", "of the records"), rows),)
    why = () if narrowed is None else (LEARNED,)
    return Section("What the layers give away", (say_narrowed(narrowed, kept), *why), figures)
