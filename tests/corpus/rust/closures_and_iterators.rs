// Closures, iterators, recursion with a cache, folding, zipping, boxed functions.
use std::collections::HashMap;

fn counter(start: i32, step: i32) -> impl FnMut() -> i32 {
    let mut value = start;
    move || {
        value += step;
        value
    }
}

fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |x| g(f(x))
}

fn fib(n: u64, memo: &mut HashMap<u64, u64>) -> u64 {
    if n < 2 {
        return n;
    }
    if let Some(&known) = memo.get(&n) {
        return known;
    }
    let value = fib(n - 1, memo) + fib(n - 2, memo);
    memo.insert(n, value);
    value
}

struct Countdown(u32);
impl Iterator for Countdown {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        self.0 = self.0.checked_sub(1)?;
        Some(self.0 + 1)
    }
}

fn main() {
    let (mut a, mut b) = (counter(0, 1), counter(100, -10));
    println!("{} {} {} {}", a(), a(), b(), a());
    let shout = compose(|x: i32| x * 2, |x: i32| format!("{}!", x));
    println!("{}", shout(21));
    let mut memo = HashMap::new();
    println!("{} {}", fib(80, &mut memo), memo.len());
    let squares: Vec<i32> = (1..10).filter(|n| n % 3 != 0).map(|n| n * n).collect();
    println!(
        "{:?} {} {:?}",
        squares,
        squares.iter().sum::<i32>(),
        squares.iter().max()
    );
    println!("{:?}", Countdown(5).zip("abc".chars()).collect::<Vec<_>>());
    let (even, odd): (Vec<i32>, Vec<i32>) = (1..8).partition(|n| n % 2 == 0);
    println!(
        "{:?} {:?} {:?}",
        even,
        odd,
        odd.iter().rev().skip(1).step_by(2).collect::<Vec<_>>()
    );
    println!(
        "{}",
        ["a", "b", "c"]
            .iter()
            .enumerate()
            .fold(String::new(), |s, (i, c)| s + &c.repeat(i + 1))
    );
    let table: Vec<(char, Box<dyn Fn(f64, f64) -> f64>)> =
        vec![('+', Box::new(|x, y| x + y)), ('/', Box::new(|x, y| x / y))];
    for (sign, apply) in &table {
        print!("7{}2={} ", sign, apply(7.0, 2.0));
    }
    println!("{:?}", (1..).take_while(|n| n * n < 50).last());
    println!(
        "{:?}",
        [3, 1, 2].windows(2).map(|w| w[0] - w[1]).collect::<Vec<i32>>()
    );
}
