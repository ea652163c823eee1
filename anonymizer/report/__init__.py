"""Reports: what people read and look at."""
