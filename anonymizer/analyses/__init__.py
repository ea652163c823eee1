"""What a release is worth: stated analyses on the original and on the release, side by side."""
