"""Data that ships with a1kit (installed as `a1kit_data`)."""
