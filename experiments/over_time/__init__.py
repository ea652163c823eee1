"""over_time: four quarterly releases, alone and beside one another."""
