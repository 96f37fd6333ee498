// A server and clients on the loopback device, then four megabytes on stdout.
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;

fn main() -> io::Result<()> {
    let server = TcpListener::bind("127.0.0.1:0")?;
    let address = server.local_addr()?;
    let serving = thread::spawn(move || -> io::Result<()> {
        for _ in 0..2 {
            let (mut link, _) = server.accept()?;
            let mut data = String::new();
            link.read_to_string(&mut data)?;
            write!(link, "{}:{}", data.len(), &data[data.len() - 5..])?;
        }
        Ok(())
    });
    for text in &["hello".to_string(), "x".repeat(300_000) + "after"] {
        let mut link = TcpStream::connect(address)?;
        link.write_all(text.as_bytes())?;
        link.shutdown(Shutdown::Write)?;
        let mut answer = String::new();
        link.read_to_string(&mut answer)?;
        println!("{}", answer);
    }
    serving.join().unwrap()?;
    println!(
        "{:?}",
        TcpStream::connect(address).map(|_| ()).map_err(|e| e.kind())
    );
    let out = io::stdout();
    let mut out = io::BufWriter::new(out.lock());
    for i in 0..40_000usize {
        let letter = (b'a' + (i % 26) as u8) as char;
        writeln!(out, "{} {}", i, letter.to_string().repeat(i * 7919 % 200))?;
    }
    out.flush()
}
