// Numbers: big integers by hand, primes, powers under a modulus, edit distance, sorting, bits, 128 bits.
fn multiply(digits: &mut Vec<u32>, by: u32) {
    let mut carry = 0u64;
    for digit in digits.iter_mut() {
        carry += *digit as u64 * by as u64;
        *digit = (carry % 1_000_000_000) as u32;
        carry /= 1_000_000_000;
    }
    if carry > 0 {
        digits.push(carry as u32);
    }
}

fn show(digits: &[u32]) -> String {
    let mut text = digits[digits.len() - 1].to_string();
    for digit in digits.iter().rev().skip(1) {
        text += &format!("{:09}", digit);
    }
    text
}

fn power(mut base: u128, mut exponent: u128, modulus: u128) -> u128 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    result
}

fn edit(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for j in 1..row.len() {
            let best = (before + (x != b[j - 1]) as usize)
                .min(row[j] + 1)
                .min(row[j - 1] + 1);
            before = std::mem::replace(&mut row[j], best);
        }
    }
    row[b.len()]
}

fn quick<T: PartialOrd>(list: &mut [T]) {
    if list.len() < 2 {
        return;
    }
    let last = list.len() - 1;
    let mut at = 0;
    for i in 0..last {
        if list[i] < list[last] {
            list.swap(i, at);
            at += 1;
        }
    }
    list.swap(at, last);
    let (low, high) = list.split_at_mut(at);
    quick(low);
    quick(&mut high[1..]);
}

fn main() {
    let mut n = vec![1];
    for i in 2..61 {
        multiply(&mut n, i);
    }
    println!("{}", show(&n));
    println!(
        "{} {} {}",
        power(7, 1_000_000_000, 13),
        power(2, 1000, 1_000_000_007),
        u128::MAX
    );
    let mut composite = vec![false; 100_001];
    let mut primes = Vec::new();
    for p in 2..composite.len() {
        if !composite[p] {
            primes.push(p);
            let mut m = p * p;
            while m < composite.len() {
                composite[m] = true;
                m += p;
            }
        }
    }
    println!(
        "{} {:?} {}",
        primes.len(),
        primes.last(),
        primes.iter().sum::<usize>()
    );
    println!(
        "{} {} {}",
        edit("kitten", "sitting"),
        edit("grün", "grau"),
        edit("", "abc")
    );
    let mut list: Vec<u32> = (0..40).map(|i| i * 7919 % 101).collect();
    quick(&mut list);
    println!(
        "{:?} {:?} {:?}",
        &list[..6],
        list.binary_search(&50),
        list.windows(2).all(|w| w[0] <= w[1])
    );
    println!(
        "{} {} {} {} {}",
        -7 / 2,
        -7 % 3,
        (-7i32).rem_euclid(3),
        255u8.count_ones(),
        1u32.rotate_right(1)
    );
    println!(
        "{} {} {} {}",
        i64::MAX,
        i32::MIN.wrapping_abs(),
        u64::from_str_radix("zz", 36).unwrap(),
        10u64.pow(18)
    );
    println!(
        "{} {} {} {:?} {}",
        0.1 + 0.2,
        f64::NAN.max(1.0),
        1.0 / 0.0,
        (2.5f64).round(),
        (2f64).sqrt()
    );
}
