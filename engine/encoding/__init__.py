"""Text to token ids and back: by kernels, tiktoken or another library."""
