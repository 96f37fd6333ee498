"""Code that cannot be compiled: nothing runs, the place is shown."""
print("never printed")
value = [1, 2
print(value)
