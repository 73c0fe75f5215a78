"""The measured claims of the README, each one command: `a1kit bench NAME` (installed as `a1kit_bench`)."""
