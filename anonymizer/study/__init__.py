"""Studies: linked tables about whole people, anonymized together."""
