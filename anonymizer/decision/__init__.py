"""Decision: all that whoever answers for a release has to know before it goes out, on one page."""
