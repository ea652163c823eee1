"""Studies: linked tables about whole people, beside the reference, and how large they may be."""
