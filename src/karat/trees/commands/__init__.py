"""What can be done with files of trees besides scoring."""
