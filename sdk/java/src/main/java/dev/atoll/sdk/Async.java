package dev.atoll.sdk;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Futures and publishers over calls that block. */
final class Async {
  static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
    Thread thread = new Thread(task, "atoll");
    thread.setDaemon(true);
    return thread;
  });

  private Async() {}

  /** A future whose cancel interrupts the work. */
  static <T> CompletableFuture<T> future(Supplier<T> work) {
    var running = new AtomicReference<Future<?>>();
    var future = new CompletableFuture<T>() {
      @Override
      public boolean cancel(boolean mayInterrupt) {
        boolean done = super.cancel(mayInterrupt);
        Future<?> task = running.get();
        if (task != null) {
          task.cancel(true);
        }
        return done;
      }
    };
    running.set(THREADS.submit(() -> {
      try {
        future.complete(work.get());
      } catch (Throwable error) {
        future.completeExceptionally(error);
      }
    }));
    return future;
  }

  /** What a supplier gives until it gives null, no faster than the one subscriber asks. */
  static <T> Flow.Publisher<T> publisher(Supplier<T> next, AutoCloseable source) {
    var taken = new AtomicBoolean();
    return subscriber -> {
      if (!taken.compareAndSet(false, true)) {
        subscriber.onSubscribe(new Subscription(new Semaphore(0), source));
        subscriber.onError(new IllegalStateException("the stream has a subscriber already"));
        return;
      }
      var wanted = new Semaphore(0);
      var subscription = new Subscription(wanted, source);
      subscriber.onSubscribe(subscription);
      THREADS.submit(() -> deliver(next, subscriber, wanted, subscription));
    };
  }

  private static <T> void deliver(Supplier<T> next, Flow.Subscriber<? super T> subscriber, Semaphore wanted, Subscription subscription) {
    try {
      for (T one = next.get(); one != null; one = next.get()) {
        wanted.acquire();
        if (subscription.cancelled) {
          return;
        }
        subscriber.onNext(one);
      }
      if (!subscription.cancelled) {
        subscriber.onComplete();
      }
    } catch (InterruptedException | RuntimeException error) {
      if (!subscription.cancelled) {
        subscriber.onError(error);
      }
    }
  }

  private static final class Subscription implements Flow.Subscription {
    private final Semaphore wanted;
    private final AutoCloseable source;
    private volatile boolean cancelled;

    Subscription(Semaphore wanted, AutoCloseable source) {
      this.wanted = wanted;
      this.source = source;
    }

    @Override
    public void request(long count) {
      if (count <= 0) {
        cancel();
        return;
      }
      wanted.release((int) Math.min(count, Integer.MAX_VALUE / 2 - wanted.availablePermits()));
    }

    @Override
    public void cancel() {
      cancelled = true;
      wanted.release();
      try {
        source.close();
      } catch (Exception error) {
        // It is gone already.
      }
    }
  }
}
