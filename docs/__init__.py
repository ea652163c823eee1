"""The documentation: pages, and what is generated from the code for them."""
