"""A pool of processes: results in order, an error from a child raised in the parent."""
import multiprocessing
import os


def square_sum(limit):
    return sum(i * i for i in range(limit))


def fail(text):
    raise KeyError(text)


def is_child(parent):
    return os.getpid() != parent and os.getppid() == parent


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(3) as pool:
        print(pool.map(square_sum, [10, 100, 1000, 10000]))
        print(pool.starmap(pow, [(2, 10), (3, 5), (7, 3, 5)]))
        print(all(pool.map(is_child, [os.getpid()] * 6)))
        try:
            pool.apply(fail, ("from a child",))
        except KeyError as error:
            print("raised again:", error)
        print(sorted(pool.imap_unordered(len, ["a", "bbb", "cc"])))
