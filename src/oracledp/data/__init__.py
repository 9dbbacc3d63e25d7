"""From files, frames and databases to tables of unique encoded records, and from codes back to values."""
