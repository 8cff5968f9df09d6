"""The words of the microworld: data only, one file a part of the vocabulary."""
