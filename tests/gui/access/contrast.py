"""The contrast of colours as WCAG 2 measures it."""

from __future__ import annotations


def channel(value: int) -> float:
    """One of the three parts of a colour, 0 to 255, in linear light."""
    share = value / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def parts(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """How bright a colour is, 0 to 1."""
    red, green, blue = map(channel, parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def over(top: str, ground: str, alpha: int) -> str:
    """What is seen where a colour is painted over another with so much of its own, 0 to 255."""
    mixed = (round((a * alpha + b * (255 - alpha)) / 255) for a, b in zip(parts(top), parts(ground), strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
