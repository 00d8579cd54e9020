"""Text from pictures: a picture in, its lines with their places and how sure the engine is of each out.

    rapid       RapidOCR (PP-OCR models that its package brings, ONNX), Chinese and English
    tesseract   the program of that name with its language packs
    engine      which of them: as set, or the first that is here
    upright     the turn at which a picture can be read, and its lines
    rulings     straight lines of a picture, which tables are made of

Nothing is fetched. An engine and its picture are in memory together, so a picture's size is bounded by who renders it.
"""
