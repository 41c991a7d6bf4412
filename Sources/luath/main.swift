print("luath")
