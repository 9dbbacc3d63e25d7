"""The query-release game: a data player who never sees the data, and a private query player."""
