"""What the pages take from the code, so that it cannot differ from it.

A page says `<!-- generate: NAME -->` where a table goes. `fill` puts it there, when the site is built and
in the tests. What a key means is taken from the docstring beside its declaration, unless
`meanings.toml` says it at more length.
"""

from docs.generate.blocks import BLOCKS, fill

__all__ = ["BLOCKS", "fill"]
