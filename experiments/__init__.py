"""What the paper claims and what the barrier says, as experiments: the library does not depend on them."""
