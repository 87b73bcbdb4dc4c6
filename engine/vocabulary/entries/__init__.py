"""Every id of a vocabulary at once: as arrays that can be searched, sorted, diagnosed and compared."""
