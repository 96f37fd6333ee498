// Types: enums with data, matching, traits with defaults, generics, operators, trait objects, conversions.
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashSet, VecDeque};
use std::fmt;
use std::ops::{Add, Index, Mul};

#[derive(Debug, Clone, PartialEq)]
enum Expression {
    Num(f64),
    Op {
        sign: char,
        left: Box<Expression>,
        right: Box<Expression>,
    },
}
use Expression::{Num, Op};

fn evaluate(e: &Expression) -> Result<f64, String> {
    Ok(match e {
        Num(n) => *n,
        Op {
            sign: '+',
            left,
            right,
        } => evaluate(left)? + evaluate(right)?,
        Op { sign: '*', left, .. } if **left == Num(0.0) => 0.0,
        Op {
            sign: '*',
            left,
            right,
        } => evaluate(left)? * evaluate(right)?,
        Op { sign, .. } => return Err(format!("no operator {}", sign)),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
struct Point {
    x: f64,
    y: f64,
}
impl Add for Point {
    type Output = Point;
    fn add(self, o: Point) -> Point {
        Point {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}
impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, by: f64) -> Point {
        Point {
            x: self.x * by,
            y: self.y * by,
        }
    }
}
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "({:.1}, {:.1})", self.x, self.y)
    }
}

trait Shape {
    fn area(&self) -> f64;
    fn describe(&self) -> String {
        format!("area {}", self.area())
    }
}
struct Square(f64);
struct Circle;
impl Shape for Square {
    fn area(&self) -> f64 {
        self.0 * self.0
    }
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        3.0
    }
    fn describe(&self) -> String {
        "round".into()
    }
}

struct Grid<T> {
    width: usize,
    cells: Vec<T>,
}
impl<T> Index<(usize, usize)> for Grid<T> {
    type Output = T;
    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.cells[row * self.width + column]
    }
}

fn largest<T: PartialOrd + Copy>(items: &[T]) -> Option<T> {
    let mut best = *items.first()?;
    for &item in items {
        if item > best {
            best = item;
        }
    }
    Some(best)
}

fn main() {
    let op = |sign, left, right| Op {
        sign,
        left: Box::new(left),
        right: Box::new(right),
    };
    println!("{:?}", evaluate(&op('+', Num(2.0), op('*', Num(3.0), Num(4.0)))));
    println!(
        "{:?} {:?}",
        evaluate(&op('*', Num(0.0), op('?', Num(1.0), Num(1.0)))),
        evaluate(&op('-', Num(1.0), Num(2.0)))
    );
    println!(
        "{} {:?} {}",
        Point { x: 1.0, y: 2.0 } + Point::default() * 3.0,
        Point::default(),
        Point { x: 1.0, y: 5.0 } < Point { x: 2.0, y: 0.0 }
    );
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(3.0)), Box::new(Circle)];
    println!(
        "{}",
        shapes.iter().map(|s| s.describe()).collect::<Vec<_>>().join(", ")
    );
    let grid = Grid {
        width: 2,
        cells: vec!['a', 'b', 'c', 'd'],
    };
    println!(
        "{} {:?} {:?} {:?}",
        grid[(1, 0)],
        largest(&[3, 9, 4]),
        largest(&[1.5, -2.0]),
        largest::<u8>(&[])
    );
    let mut counts = BTreeMap::new();
    for c in "mississippi".chars() {
        *counts.entry(c).or_insert(0) += 1;
    }
    println!("{:?} {:?}", counts, counts.range('n'..).next());
    let mut heap: BinaryHeap<i32> = vec![5, 1, 4].into_iter().collect();
    let mut deque: VecDeque<i32> = (1..4).collect();
    deque.rotate_left(1);
    println!("{:?} {:?} {:?}", heap.pop(), heap.peek(), deque);
    let a: BTreeSet<i32> = (1..4).collect();
    let b: BTreeSet<i32> = (3..6).collect();
    println!(
        "{:?} {:?} {}",
        a.intersection(&b).collect::<Vec<_>>(),
        &a - &b,
        (1..4).collect::<HashSet<_>>().len()
    );
    println!(
        "{} {} {} {}",
        -1i32 as u32,
        300i32 as u8,
        3.99f64 as i32,
        'a' as u32 + 1
    );
    let n = 7;
    println!(
        "{}",
        match n {
            0 => "zero",
            x if x < 0 => "negative",
            1..=9 => "digit",
            _ => "large",
        }
    );
    println!("{:#?}", Some(Point { x: 0.5, y: -1.0 }));
}
