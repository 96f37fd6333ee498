"""An exit or an error in a thread ends only the thread, and does not change the status."""
import sys
import threading

threading.excepthook = lambda args: print("thread failed:", args.exc_type.__name__, args.exc_value)
quiet = threading.Thread(target=sys.exit, args=(9,))
loud = threading.Thread(target=lambda: [][1])
for thread in (quiet, loud):
    thread.start()
    thread.join()
print("main goes on")
