"""Table models over arrays and rows, without business state."""
