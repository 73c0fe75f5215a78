"""Training: the step as the method tells it (`step`), the run around it (`run`), and how one is set up (`setup`)."""
