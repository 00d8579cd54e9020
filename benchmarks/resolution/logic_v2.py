"""nomenklatura's logic-v2 on pairs of names, in the environment of the peers: JSON pairs on stdin, JSON scores on stdout.

Run by a path, not as a module: this project is not installed there."""

import json
import sys

from followthemoney import EntityProxy, model
from nomenklatura.matching import LogicV2, ScoringConfig


def entity(name: str) -> EntityProxy:
    return EntityProxy.from_dict({"id": name, "schema": "Company", "properties": {"name": [name]}})


def main() -> None:
    assert model is not None
    config = ScoringConfig.defaults()
    pairs = json.load(sys.stdin)
    json.dump([LogicV2.compare(entity(left), entity(right), config).score for left, right in pairs], sys.stdout)


main()
