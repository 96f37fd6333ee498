// Errors: Result and ?, own kinds, options, a panic caught, and a status for the system.
use std::fmt;
use std::num::ParseIntError;
use std::process;

#[derive(Debug)]
enum AppError {
    Empty,
    Number(ParseIntError),
    Negative(i64),
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            AppError::Empty => write!(f, "nothing given"),
            AppError::Number(error) => write!(f, "not a number: {}", error),
            AppError::Negative(n) => write!(f, "{} is negative", n),
        }
    }
}

impl std::error::Error for AppError {}

impl From<ParseIntError> for AppError {
    fn from(error: ParseIntError) -> Self {
        AppError::Number(error)
    }
}

fn parse(text: &str) -> Result<i64, AppError> {
    if text.is_empty() {
        return Err(AppError::Empty);
    }
    let n: i64 = text.trim().parse()?;
    if n < 0 {
        Err(AppError::Negative(n))
    } else {
        Ok(n)
    }
}

fn total(texts: &[&str]) -> Result<i64, Box<dyn std::error::Error>> {
    let mut sum = 0;
    for text in texts {
        sum += parse(text)?;
    }
    Ok(sum)
}

fn main() {
    for text in &["42", "", "x7", "-3", " 8 ", "99999999999999999999"] {
        match parse(text) {
            Ok(n) => println!("{:?} is {}", text, n),
            Err(error) => println!("{:?}: {}", text, error),
        }
    }
    println!(
        "{:?} {}",
        total(&["1", "2"]).ok(),
        total(&["1", "-2"]).unwrap_err()
    );
    let list = vec![1, 2, 3];
    println!(
        "{:?} {:?} {}",
        list.get(7),
        list.first().map(|n| n * 10),
        list.get(9).copied().unwrap_or(-1)
    );
    println!(
        "{:?} {:?} {}",
        200u8.checked_add(100),
        200u8.wrapping_add(100),
        200u8.saturating_add(100)
    );
    std::panic::set_hook(Box::new(|_| {}));
    let caught = std::panic::catch_unwind(|| {
        let empty: Vec<i32> = Vec::new();
        empty[std::env::args().count()]
    });
    println!("{}", caught.is_err());
    eprintln!("leaving with 3");
    process::exit(3);
}
