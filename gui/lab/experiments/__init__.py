"""The experiments of the Lab and their runner. No Qt except for translation. They may import `engine` and `pricing`."""
