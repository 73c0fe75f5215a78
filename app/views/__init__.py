"""One view a module, each with one `build`."""
