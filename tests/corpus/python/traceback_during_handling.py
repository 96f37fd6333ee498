"""An error inside an except block, with notes, and a finally that still runs."""


def divide(a, b):
    try:
        return a / b
    except ZeroDivisionError as error:
        error.add_note(f"while dividing {a}")
        return [a][b + 1]
    finally:
        print("finally", a, b)


print(divide(8, 2))
print(divide(1, 0))
