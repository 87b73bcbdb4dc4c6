"""Encodings: text to token ids and back, by kernels, by tiktoken or by another library."""
