// Threads: executors, futures, locks, latches, atomics, concurrent maps, virtual order made real.
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

class Main {
  static int total;

  static synchronized void add(int n) {
    total += n;
  }

  public static void main(String[] args) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(4);
    List<Future<Integer>> squares = new ArrayList<>();
    for (int i = 0; i < 8; ++i) {
      int n = i;
      squares.add(pool.submit(() -> n * n));
    }
    for (var future : squares) System.out.print(future.get() + " ");
    System.out.println();
    var failing = pool.submit(() -> { throw new IllegalArgumentException("inside"); });
    try {
      failing.get();
    } catch (ExecutionException error) {
      System.out.println(error.getCause().getMessage());
    }
    var latch = new CountDownLatch(4);
    var hits = new AtomicLong();
    var map = new ConcurrentHashMap<String, Integer>();
    for (int t = 1; t <= 4; ++t) {
      int step = t;
      pool.execute(() -> {
        for (int i = 0; i < 1000; ++i) {
          add(step);
          hits.incrementAndGet();
          map.merge("key" + i % 3, 1, Integer::sum);
        }
        latch.countDown();
      });
    }
    latch.await();
    System.out.println(total + " " + hits + " " + new TreeMap<>(map));
    var queue = new LinkedBlockingQueue<String>();
    var consumer = new Thread(() -> {
      try {
        for (String word; !(word = queue.take()).equals("stop");) System.out.print(word.toUpperCase() + " ");
      } catch (InterruptedException error) {
        System.out.print("interrupted");
      }
    });
    consumer.start();
    for (String word : "one two three stop".split(" ")) queue.put(word);
    consumer.join();
    System.out.println();
    System.out.println(CompletableFuture.supplyAsync(() -> 20, pool)
            .thenCombine(CompletableFuture.completedFuture(22), Integer::sum)
            .thenApply(n -> "answer " + n)
            .get());
    var sleeper = new Thread(() -> {
      try {
        Thread.sleep(60000);
      } catch (InterruptedException error) {
        System.out.println("woken");
      }
    });
    sleeper.start();
    sleeper.interrupt();
    sleeper.join();
    pool.shutdown();
    System.out.println(pool.awaitTermination(60, TimeUnit.SECONDS));
  }
}
