from __future__ import annotations

import random

from gui.editor.soft_breaks import SoftBreaks


def naive_logical(breaks: list[int], position: int) -> int:
    return position - sum(1 for at in breaks if at < position)


def test_like_a_plain_list_whatever_happens() -> None:
    rnd = random.Random(5)
    plain = sorted(rnd.sample(range(300), 40))
    length = 300
    breaks = SoftBreaks(plain, length)
    for _ in range(400):
        position = rnd.randint(0, length)
        removed = rnd.choice([0, 0, 1, rnd.randint(0, length - position)])
        removed = min(removed, length - position)
        added = rnd.choice([0, 1, 5, 30])
        new = sorted(rnd.sample(range(position, position + added), min(added, rnd.randint(0, 3))))
        lost = breaks.replace(position, removed, added, new)
        gone = [at for at in plain if position <= at < position + removed]
        assert lost == len(gone)
        plain = (
            [at for at in plain if at < position]
            + new
            + [at + added - removed for at in plain if at >= position + removed]
        )
        length += added - removed
        assert breaks.between(0, length + 1) == plain
        assert breaks.length == length
        assert breaks.logical_length == length - len(plain)
        for probe in (0, length, rnd.randint(0, length)):
            assert breaks.to_logical(probe) == naive_logical(plain, probe)
            assert breaks.is_break(probe) == (probe in plain)
        offset = rnd.randint(0, length - len(plain))
        behind, before = breaks.to_document(offset), breaks.to_document(offset, before_break=True)
        places = [p for p in range(length + 1) if naive_logical(plain, p) == offset]
        assert behind == max(places)
        assert before == min(places)


def test_a_separator_changes_its_kind() -> None:
    breaks = SoftBreaks([3, 9], 20)
    breaks.set_break(9, False)
    breaks.set_break(5, True)
    assert breaks.between(0, 20) == [3, 5]
    assert breaks.length == 20
