"""From a table and a policy to the best scheme, its release and its manifest."""
