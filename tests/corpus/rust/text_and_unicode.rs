// Text: chars and bytes, invalid UTF-8, slices, splitting, formatting, case.
use std::io::Write;

fn main() {
    for word in &["naïve", "nai\u{308}ve", "日本語", "🙂", "Straße"] {
        println!(
            "{} {} {} {} {:?}",
            word,
            word.len(),
            word.chars().count(),
            word.to_uppercase(),
            word.char_indices().nth(2)
        );
    }
    println!("{}", "añ𝄞b".chars().rev().collect::<String>());
    let raw = [b'r', b'a', b'w', b' ', 0xff, 0, 0xfe, b'\n'];
    std::io::stdout().write_all(&raw).unwrap();
    println!(
        "{:?} {:?}",
        String::from_utf8_lossy(&raw),
        std::str::from_utf8(&raw).map_err(|e| e.valid_up_to())
    );
    println!("{:?} {:?}", "日本".get(0..3), "日本".get(0..2));
    println!(
        "{:5}|{:<5}|{:^5}|{:>5}|{:*^7}|{:05}|{:+}|{:#x}|{:#b}|{:e}|{:.3}|{:?}",
        42, 42, 42, "r", "c", 42, 42, 255, 5, 12345.678, 3.14159, "q\"t\t"
    );
    println!(
        "{0}-{1}-{0} {name} {width:>1$}",
        "a",
        4,
        name = "named",
        width = 7
    );
    println!(
        "{:?} {:?}",
        "a,b,,c".split(',').collect::<Vec<_>>(),
        " x  y ".split_whitespace().collect::<Vec<_>>()
    );
    println!(
        "{:?} {:?} {}",
        "key=value=more".find('='),
        "key=value".splitn(2, '=').last(),
        "abc".repeat(2)
    );
    println!(
        "{} {} {}",
        "Hello".replace("l", "L"),
        "trim  ".trim_end(),
        "x1y22".chars().filter(char::is_ascii_digit).collect::<String>()
    );
    let mut text = String::from("hello");
    text.push_str(" world");
    text.insert(0, '>');
    let last = text.pop();
    println!("{} {:?} {} {}", text, last, text.starts_with(">h"), "b" > "a");
    println!(
        "{:?}",
        "line one\nline two\r\n".lines().map(str::len).collect::<Vec<_>>()
    );
    let mut letters: Vec<char> = "silent".chars().collect();
    letters.sort_unstable();
    println!(
        "{} {:?}",
        letters.iter().collect::<String>(),
        "ß".chars().flat_map(char::to_uppercase).collect::<String>()
    );
    println!(
        "{:?} {} {}",
        "0.1".parse::<f64>().map(|x| x + 0.2),
        1e21,
        1.0 / 3.0
    );
}
