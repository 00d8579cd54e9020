"""A folder of made documents to measure with: Markdown, two thirds English and one third Chinese, the same bytes for a seed.

A document has twelve sections of about 700 bytes, so it becomes about twelve chunks of that size with any splitter that
respects headings: 1,000 documents are about 8.3 MB and 12,000 chunks. Words are drawn with the frequencies of a language (a
few are everywhere, most are rare), because that is what an inverted index costs by.

    python -m benchmarks.corpus FOLDER [DOCUMENTS]
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from pathlib import Path

SECTIONS = 12
SECTION_BYTES = 600
"""At least, of text; with its last sentence and its heading a section comes to about 690."""
DOCUMENTS_A_FOLDER = 50

_SOUNDS = ("b c d f g l m n p r s t v br cl st tr", "a e i o u ea io", " n r s nt l")
"""Onsets, vowels and ends of the syllables that English-looking words are made of."""
_HAN = (
    "网关证书轮换策略延迟预算租户配额重试退避索引分片副本快照清单登记审计发布阈值告警窗口集群存储客端服务器令牌熔断上游下负载区域"
    "容量工程师合同票支持事故复盘部署校验监控加密归档恢数据库模型接版产品说明操作流管理用系统安全规范标准测评估分析报设计开维护"
)
_VOCABULARY = 3000


class Writer:
    """Draws documents. Two writers of one seed write the same."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311  # no secret
        syllables = [onset + vowel + coda for onset, vowel, coda in itertools.product(*(sounds.split(" ") for sounds in _SOUNDS))]
        self._words = ["".join(self._random.choices(syllables, k=self._random.randint(1, 3))) for _ in range(_VOCABULARY)]
        self._han = ["".join(self._random.choices(_HAN, k=2)) for _ in range(_VOCABULARY)]
        self._weights = list(itertools.accumulate(1 / (rank + 3) for rank in range(_VOCABULARY)))

    def document(self, number: int, sections: int = SECTIONS) -> str:
        """Return the next document. Every third is Chinese."""
        chinese = number % 3 == 0
        title = f"系统手册 {number}" if chinese else f"Operations handbook {number}"
        parts = [f"# {title}\n"]
        for section in range(1, sections + 1):
            topic = "".join(self._draw(self._han, 2)) if chinese else " ".join(self._draw(self._words, 2)).capitalize()
            parts.append(f"## {section}. {topic}\n")
            parts.append(self.paragraph(chinese) + "\n")
        return "\n".join(parts)

    def paragraph(self, chinese: bool) -> str:
        """Return one paragraph of about `SECTION_BYTES`."""
        sentences: list[str] = []
        size = 0
        while size < SECTION_BYTES:
            sentences.append(self._sentence(chinese))
            size += len(sentences[-1].encode())
        return ("" if chinese else " ").join(sentences)

    def _sentence(self, chinese: bool) -> str:
        if chinese:
            return "".join(self._draw(self._han, self._random.randint(8, 18))) + "。"
        return " ".join(self._draw(self._words, self._random.randint(8, 18))).capitalize() + "."

    def _draw(self, words: list[str], count: int) -> list[str]:
        return self._random.choices(words, cum_weights=self._weights, k=count)


def write_corpus(folder: Path, documents: int, seed: int = 7) -> list[Path]:
    """Write `documents` files below `folder`, in folders of fifty, and return their paths in order."""
    writer = Writer(seed)
    paths = list(_paths(folder, documents))
    for number, path in enumerate(paths):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(writer.document(number), encoding="utf-8")
    return paths


def _paths(folder: Path, documents: int) -> Iterator[Path]:
    return (folder / f"part{number // DOCUMENTS_A_FOLDER:03d}" / f"document{number:05d}.md" for number in range(documents))


def edit_paragraph(path: Path, mark: str) -> None:
    """Change one paragraph in the middle of a document: a sentence is added, its first ones stay."""
    lines = path.read_text(encoding="utf-8").split("\n")
    middle = [place for place, line in enumerate(lines) if line and not line.startswith("#")][SECTIONS // 2]
    lines[middle] += f" One more sentence says {mark}."
    path.write_text("\n".join(lines), encoding="utf-8")


def main() -> None:
    folder, documents = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    paths = write_corpus(folder, documents)
    print(f"{len(paths)} documents, {sum(path.stat().st_size for path in paths) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
