"""A cellular automaton on an endless board: glider, oscillator, and a Mandelbrot set in text."""
import collections


def step(live):
    around = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
    near = collections.Counter((x + dx, y + dy) for x, y in live for dx, dy in around)
    return {cell for cell, count in near.items() if count == 3 or count == 2 and cell in live}


def show(live, width, height):
    for y in range(height):
        print("".join("█" if (x, y) in live else "·" for x in range(width)))


glider = {(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)}
blinker = {(7, 1), (7, 2), (7, 3)}
board = glider | blinker
for _ in range(2):
    show(board, 10, 5)
    print()
    board = step(board)
later = glider
for _ in range(40):
    later = step(later)
print(later == {(x + 10, y + 10) for x, y in glider})
for y in range(-5, 6):
    row = ""
    for x in range(-20, 10):
        z, c, n = 0j, complex(x / 10, y / 5), 0
        while abs(z) < 2 and n < 20:
            z, n = z * z + c, n + 1
        row += " .:-=+*#%@"[n // 2 if n < 20 else 9]
    print(row)
