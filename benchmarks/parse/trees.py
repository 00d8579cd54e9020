"""The edit distance of two ordered labelled trees: the fewest insertions, deletions and renamings that make one the other.

K. Zhang and D. Shasha, "Simple fast algorithms for the editing distance between trees and related problems", SIAM Journal on
Computing 18 (1989). An insertion or deletion costs 1, a renaming between 0 and 1 as the caller says. The rows of each table of
forest distances are computed at once; a tree compared with a leaf needs no table. Two tables of 100 rows take about a second.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Node:
    """A tree: a tag that must be equal for a renaming to cost less than 1, a text that may differ, and children in order."""

    tag: str
    text: str = ""
    children: tuple[Node, ...] = ()

    def size(self) -> int:
        """Return how many nodes the tree has, itself among them."""
        return 1 + sum(child.size() for child in self.children)


def distance(first: Node, second: Node, renaming: Callable[[Sequence[Node], Sequence[Node]], NDArray[np.float64]]) -> float:
    """Return the edit distance; `renaming` gives the costs of renaming each node of one sequence to each of another."""
    a, b = _Numbered(first), _Numbered(second)
    cost = renaming(a.nodes, b.nodes)
    between = np.zeros((len(a.nodes), len(b.nodes)))
    for i in a.roots:
        for j in b.roots:
            if a.leftmost[i] == i or b.leftmost[j] == j:
                _against_leaf(between, cost, a, b, i, j)
            else:
                _forests(between, cost, a, b, i, j)
    return float(between[-1, -1])


class _Numbered:
    """A tree in postorder: its nodes, the leftmost leaf under each, and the roots whose tables must be made, in order."""

    def __init__(self, tree: Node) -> None:
        self.nodes: list[Node] = []
        self.leftmost: list[int] = []
        self._visit(tree)
        last = {leaf: node for node, leaf in enumerate(self.leftmost)}
        self.roots = sorted(last.values())

    def _visit(self, node: Node) -> int:
        leaves = [self._visit(child) for child in node.children]
        leaf = leaves[0] if leaves else len(self.nodes)
        self.nodes.append(node)
        self.leftmost.append(leaf)
        return leaf


_Costs = NDArray[np.float64]


def _against_leaf(between: _Costs, cost: _Costs, a: _Numbered, b: _Numbered, i: int, j: int) -> None:
    """Fill in the distances of a leaf and every tree on the leftmost path of the other: keep the cheapest node, lose the rest."""
    if a.leftmost[i] == i:
        start = b.leftmost[j]
        cheapest = np.minimum.accumulate(cost[i, start : j + 1])
        found = cheapest + np.arange(j + 1 - start)
        for k in range(start, j + 1):
            if b.leftmost[k] == start:
                between[i, k] = found[k - start]
    else:
        start = a.leftmost[i]
        cheapest = np.minimum.accumulate(cost[start : i + 1, j])
        found = cheapest + np.arange(i + 1 - start)
        for k in range(start, i + 1):
            if a.leftmost[k] == start:
                between[k, j] = found[k - start]


def _forests(between: _Costs, cost: _Costs, a: _Numbered, b: _Numbered, i: int, j: int) -> None:
    """Fill in the distances of all pairs of trees on the leftmost paths of `i` and `j`, by those of the forests in between."""
    top, left = a.leftmost[i], b.leftmost[j]
    width = j - left + 1
    steps = np.arange(width + 1, dtype=np.float64)
    behind = np.array([b.leftmost[k] for k in range(left, j + 1)]) - left
    whole = behind == 0
    table = np.empty((i - top + 2, width + 1))
    table[0] = steps
    for row in range(1, i - top + 2):
        node = top + row - 1
        before = a.leftmost[node] - top
        above = table[row - 1]
        best = table[before][behind] + between[node, left : j + 1]
        if before == 0:
            best = np.where(whole, above[:-1] + cost[node, left : j + 1], best)
        best = np.minimum(best, above[1:] + 1)
        line = table[row]
        line[0] = row
        line[1:] = best
        line[:] = np.minimum.accumulate(line - steps) + steps
        if before == 0:
            between[node, left : j + 1][whole] = line[1:][whole]
