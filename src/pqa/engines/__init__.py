"""How jobs get carried out side by side."""
