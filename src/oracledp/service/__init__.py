"""The console: officers register data sets and set limits, analysts ask for releases, everybody sees what is left.

It never shows a private row. Every release is one run of the command line in a process of its own, by the one door.
"""
