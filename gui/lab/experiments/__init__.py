"""The experiments of the Lab and what runs them. No Qt but for translation. They may call `engine` and `pricing`."""
