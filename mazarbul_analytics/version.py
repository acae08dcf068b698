"""The version of the package, for whoever writes it down."""

__all__ = ["__version__"]

__version__ = "0.1.0"
