"""How fast a run merged, as a series for a plot that stays small however long the run is. No Qt."""

from __future__ import annotations

MOST_POINTS = 1000


class RateSeries:
    """Merges a second against the size of the vocabulary, oldest first. Halves its resolution when it is full."""

    def __init__(self, most_points: int = MOST_POINTS) -> None:
        self._most = most_points
        self._sizes: list[int] = []
        self._rates: list[float] = []
        self._pending: list[tuple[int, float]] = []
        self._stride = 1

    @property
    def sizes(self) -> list[int]:
        """Sizes of the vocabulary, rising."""
        return self._sizes

    @property
    def rates(self) -> list[float]:
        """Merges a second at each of them: the mean of those measured since the point before."""
        return self._rates

    def clear(self) -> None:
        """Another run begins."""
        self._sizes, self._rates, self._pending, self._stride = [], [], [], 1

    def add(self, vocab_size: int, rate: float) -> None:
        """Add a measurement. One at the same size of the vocabulary as the last takes its place."""
        if self._pending and self._pending[-1][0] == vocab_size:
            self._pending.pop()
        elif not self._pending and self._sizes and self._sizes[-1] == vocab_size:
            self._rates[-1] = rate
            return
        self._pending.append((vocab_size, rate))
        if len(self._pending) < self._stride:
            return
        self._sizes.append(vocab_size)
        self._rates.append(sum(rate for _size, rate in self._pending) / len(self._pending))
        self._pending = []
        if len(self._sizes) >= self._most:
            self._sizes = self._sizes[1::2]
            pairs = zip(self._rates[::2], self._rates[1::2], strict=False)
            self._rates = [(first + second) / 2 for first, second in pairs]
            self._stride *= 2
