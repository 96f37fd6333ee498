// Ownership: moves, borrows, drops in order, shared and weak owners, cells, lifetimes, copies on write.
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

struct Noisy(&'static str);
impl Drop for Noisy {
    fn drop(&mut self) {
        print!("-{} ", self.0);
    }
}

struct Node {
    name: String,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
}

fn node(name: &str) -> Rc<Node> {
    Rc::new(Node {
        name: name.to_string(),
        parent: RefCell::new(Weak::new()),
        children: RefCell::new(Vec::new()),
    })
}

fn longest<'a>(a: &'a str, b: &'a str) -> &'a str {
    if a.len() >= b.len() {
        a
    } else {
        b
    }
}

fn tidy(text: &str) -> Cow<'_, str> {
    if text.contains(' ') {
        Cow::Owned(text.replace(' ', "_"))
    } else {
        Cow::Borrowed(text)
    }
}

fn main() {
    {
        let _a = Noisy("a");
        let b = Noisy("b");
        let moved = b;
        {
            let _inner = Noisy("inner");
        }
        drop(moved);
        let _ = Noisy("at once");
        let _kept = Noisy("kept");
        print!("| ");
    }
    println!();
    let root = node("root");
    let leaf = node("leaf");
    *leaf.parent.borrow_mut() = Rc::downgrade(&root);
    root.children.borrow_mut().push(Rc::clone(&leaf));
    println!(
        "{} {} {}",
        Rc::strong_count(&leaf),
        Rc::weak_count(&root),
        leaf.parent
            .borrow()
            .upgrade()
            .map_or("none".to_string(), |p| p.name.clone())
    );
    drop(root);
    println!(
        "{} {}",
        Rc::strong_count(&leaf),
        leaf.parent.borrow().upgrade().is_none()
    );
    let cell = Cell::new(5);
    cell.set(cell.get() + 1);
    let shared = RefCell::new(vec![1]);
    let second = shared.try_borrow_mut().map(|mut v| {
        v.push(2);
        shared.try_borrow().is_err()
    });
    println!("{} {:?} {:?}", cell.get(), second, shared.borrow());
    println!(
        "{} {} {}",
        longest("tide", "island"),
        tidy("plain"),
        tidy("two words")
    );
    let mut numbers = vec![1, 2, 3];
    if let Some(last) = numbers.last_mut() {
        *last *= 10;
    }
    let taken = std::mem::take(&mut numbers);
    println!(
        "{:?} {:?} {}",
        taken,
        numbers,
        std::mem::size_of::<Option<Box<i32>>>() == std::mem::size_of::<usize>()
    );
    let (left, right) = {
        let mut list = [1, 2, 3, 4];
        {
            let (l, r) = list.split_at_mut(2);
            std::mem::swap(&mut l[0], &mut r[0]);
        }
        (list[0], list[2])
    };
    println!("{} {}", left, right);
}
