"""How long a test waits for what must come before it gives up.

Long enough for the slowest machine, and for kernels that compile for the first time: a limit only ends what would
hang. No test takes longer because of it, and none sets a limit of its own.
"""

PATIENCE_SECONDS = 120
PATIENCE_MS = 1000 * PATIENCE_SECONDS
