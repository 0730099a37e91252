print("any")
