"""Runs the program: python -m luath test."""
import os
import sys

from luath._program import program

if __name__ == "__main__":
    path = program()
    os.execv(path, [path, *sys.argv[1:]])
