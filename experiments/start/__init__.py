"""What `init` proposes for tables that nobody has described: does it run, and is it what it says?"""
