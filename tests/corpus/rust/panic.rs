// A panic that nobody catches: destructors run, the message is on stderr, status 101.
struct Guard(&'static str);

impl Drop for Guard {
    fn drop(&mut self) {
        println!("dropped {}", self.0);
    }
}

fn main() {
    let _first = Guard("first");
    let _second = Guard("second");
    let none: Option<u32> = None;
    println!("before");
    none.expect("nobody catches this");
}
