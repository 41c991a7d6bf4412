"""luath from Python: where the program is, and an emulator of Firebase Auth for the time of a `with` block."""
from luath._emulator import Emulator, LuathError, User
from luath._program import program

__all__ = ["Emulator", "LuathError", "User", "program"]
