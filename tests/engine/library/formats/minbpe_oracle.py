"""minbpe's encoding as its README describes it: what its ``.model`` files mean to other programs."""

from __future__ import annotations

import itertools

import regex


class MinbpeModel:
    """A ``.model`` file and how text is encoded with it."""

    def __init__(self, content: str) -> None:
        lines = content.splitlines()
        assert lines[0] == "minbpe v1"
        self.pattern = lines[1]
        special_count = int(lines[2])
        self.specials = {text: int(token_id) for text, token_id in map(str.split, lines[3 : 3 + special_count])}
        pairs = [tuple(map(int, line.split())) for line in lines[3 + special_count :]]
        self.merges = {pair: 256 + number for number, pair in enumerate(pairs)}

    def encode_ordinary(self, text: str) -> list[int]:
        pieces = regex.findall(self.pattern, text) if self.pattern else [text]
        return [token_id for piece in pieces for token_id in self._encode_piece(list(piece.encode()))]

    def _encode_piece(self, ids: list[int]) -> list[int]:
        while True:
            known = [pair for pair in itertools.pairwise(ids) if pair in self.merges]
            if not known:
                return ids
            pair = min(known, key=self.merges.__getitem__)
            merged: list[int] = []
            place = 0
            while place < len(ids):
                found = tuple(ids[place : place + 2]) == pair
                merged.append(self.merges[pair] if found else ids[place])
                place += 2 if found else 1
            ids = merged
