"""What is promised, what it costs, and the one door between private data and a release."""
