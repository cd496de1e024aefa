"""What words, numbers and names of an answer tell about its agreement with a reference."""
