"""oracledp: oracle-efficient differential privacy."""
