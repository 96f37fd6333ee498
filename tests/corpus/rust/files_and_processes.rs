// Files, folders, child processes with pipes, statuses, arguments, environment, stdin.
use std::env;
use std::fs;
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

fn main() -> io::Result<()> {
    println!(
        "{:?} {:?} {:?}",
        env::args().skip(1).collect::<Vec<_>>(),
        env::var("LANG"),
        env::var("MISSING").is_err()
    );
    fs::create_dir_all("tree/a")?;
    fs::write("tree/one.txt", "first\nsecond\n")?;
    fs::write("tree/a/größe", [1, 2, 255])?;
    std::os::unix::fs::symlink("one.txt", "tree/link")?;
    let mut names: Vec<_> = fs::read_dir("tree")?
        .map(|e| e.map(|e| e.file_name().into_string().unwrap()))
        .collect::<Result<_, _>>()?;
    names.sort();
    println!(
        "{:?} {} {}",
        names,
        fs::metadata("tree/a/größe")?.len(),
        fs::symlink_metadata("tree/link")?.file_type().is_symlink()
    );
    let mut file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("tree/one.txt")?;
    file.seek(SeekFrom::End(-7))?;
    let mut tail = String::new();
    file.read_to_string(&mut tail)?;
    file.set_len(5)?;
    println!("{:?} {:?}", tail, fs::read_to_string("tree/link")?);
    println!(
        "{:?} {:?}",
        fs::read("missing").map_err(|e| e.kind()),
        fs::remove_dir("tree").map_err(|e| e.raw_os_error())
    );
    fs::remove_dir_all("tree")?;
    let mut child = Command::new("tr")
        .args(&["a-z", "A-Z"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child.stdin.take().unwrap().write_all(b"through a pipe")?;
    let output = child.wait_with_output()?;
    println!(
        "{} {:?}",
        String::from_utf8_lossy(&output.stdout),
        output.status.code()
    );
    println!(
        "{:?}",
        Command::new("sh").args(&["-c", "exit 9"]).status()?.code()
    );
    println!(
        "{:?}",
        Command::new("sh")
            .args(&["-c", "kill -KILL $$"])
            .status()?
            .signal()
    );
    println!(
        "{:?}",
        Command::new("no-such-program-anywhere")
            .spawn()
            .map(|_| ())
            .map_err(|e| e.kind())
    );
    let stdin = io::stdin();
    for (number, line) in stdin.lock().lines().enumerate() {
        println!("{}: {:?}", number, line?);
    }
    std::process::exit(12)
}
