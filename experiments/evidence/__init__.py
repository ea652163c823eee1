"""What releases are worth: regressions and predictions before and after."""
