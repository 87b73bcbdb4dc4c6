"""All ids of a vocabulary as arrays that can be searched, sorted, diagnosed and compared."""
