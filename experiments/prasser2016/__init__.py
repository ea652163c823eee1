"""The experiments of Prasser et al. 2016: what risk models buy in quality."""
