"""The Gradio inspector (installed as `a1kit_app`)."""
