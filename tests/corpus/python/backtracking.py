"""Search with backtracking: eight queens, a sudoku, subsets with a sum."""


def queens(n, placed=()):
    if len(placed) == n:
        yield placed
        return
    for column in range(n):
        if all(column != c and abs(column - c) != len(placed) - r for r, c in enumerate(placed)):
            yield from queens(n, placed + (column,))


def solve(grid):
    try:
        at = grid.index(0)
    except ValueError:
        return grid
    row, column = divmod(at, 9)
    box = row // 3 * 27 + column // 3 * 3
    around = {grid[box + r * 9 + c] for r in range(3) for c in range(3)}
    used = {*grid[row * 9:row * 9 + 9], *grid[column::9], *around}
    for digit in set(range(1, 10)) - used:
        if found := solve(grid[:at] + [digit] + grid[at + 1:]):
            return found
    return None


def subsets(numbers, target):
    if target == 0:
        yield []
    for i, n in enumerate(numbers):
        if 0 < n <= target:
            for rest in subsets(numbers[i + 1:], target - n):
                yield [n] + rest


print(len(list(queens(6))), next(queens(8)), len(list(queens(7))))
puzzle = "53467891267219534819834256785976142342685379171392485696153728428741963534528617"
grid = [int(c) for c in puzzle + "9"]
for hole in range(0, 81, 2):
    grid[hole] = 0
done = solve(grid)
for row in range(9):
    print("".join(map(str, done[row * 9:row * 9 + 9])))
print(list(subsets([3, 34, 4, 12, 5, 2], 9)))
