"""Tests of `ragaliq.build.translation`."""
