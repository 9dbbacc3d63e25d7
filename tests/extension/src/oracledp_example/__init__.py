"""An example of a package that extends oracledp: everything it brings works by its name alone."""
