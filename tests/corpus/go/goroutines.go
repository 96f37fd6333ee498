// Goroutines: channels, select, wait groups, mutexes, a pipeline, cancelling by closing.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func generate(limit int, stop <-chan struct{}) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for n := 2; n < limit; n++ {
			select {
			case out <- n:
			case <-stop:
				return
			}
		}
	}()
	return out
}

func filter(in <-chan int, prime int) <-chan int {
	out := make(chan int)
	go func() {
		defer close(out)
		for n := range in {
			if n%prime != 0 {
				out <- n
			}
		}
	}()
	return out
}

func main() {
	stop := make(chan struct{})
	numbers := generate(80, stop)
	for {
		prime, ok := <-numbers
		if !ok {
			break
		}
		fmt.Print(prime, " ")
		numbers = filter(numbers, prime)
	}
	fmt.Println()
	var group sync.WaitGroup
	var lock sync.Mutex
	var hits atomic.Int64
	total := 0
	for worker := 1; worker <= 8; worker++ {
		group.Add(1)
		go func(step int) {
			defer group.Done()
			for i := 0; i < 1000; i++ {
				hits.Add(1)
				lock.Lock()
				total += step
				lock.Unlock()
			}
		}(worker)
	}
	group.Wait()
	fmt.Println(total, hits.Load())
	results := make([]int, 10)
	jobs := make(chan int, 3)
	for worker := 0; worker < 3; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for n := range jobs {
				results[n] = n * n
			}
		}()
	}
	for n := range results {
		jobs <- n
	}
	close(jobs)
	group.Wait()
	fmt.Println(results, cap(jobs))
	ping, pong := make(chan string), make(chan string)
	go func() {
		for word := range ping {
			pong <- word + " pong"
		}
		close(pong)
	}()
	ping <- "ping"
	fmt.Println(<-pong)
	close(ping)
	_, open := <-pong
	select {
	case word, ok := <-pong:
		fmt.Printf("%q %v %v\n", word, ok, open)
	default:
		fmt.Println("nothing")
	}
	var once sync.Once
	for i := 0; i < 3; i++ {
		once.Do(func() { fmt.Println("once") })
	}
}
