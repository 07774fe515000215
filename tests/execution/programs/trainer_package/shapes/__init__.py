"""Shapes: drawn squares, crosses and stripes, and networks that tell them apart."""
