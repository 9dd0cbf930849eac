//! Addresses for programs that cannot choose a free port themselves. All of 127.0.0.0/8 is this machine. Each process uses
//! another address there, so that no other process takes a port between its choice and its use.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

use anyhow::{Result, bail};

/// The first port of a process.
const FIRST_PORT: u16 = 20_000;

/// An address of this machine that no other process uses.
pub fn own_address() -> Result<SocketAddr> {
    static NEXT: AtomicU16 = AtomicU16::new(FIRST_PORT);
    let host = host_of(std::process::id());
    loop {
        let port = NEXT.fetch_add(1, Ordering::Relaxed);
        match TcpListener::bind((host, port)) {
            Ok(_) => return Ok(SocketAddr::from((host, port))),
            // Another process listens at this port of all addresses.
            Err(cause) if cause.kind() == std::io::ErrorKind::AddrInUse && port < u16::MAX => {}
            Err(cause) => bail!("cannot listen at {host}: {cause}"),
        }
    }
}

/// Process ids have 22 bits; the address's first of 24 keeps it away from 127.0.0.1.
fn host_of(process: u32) -> Ipv4Addr {
    let [_, high, middle, low] = (process & 0x3f_ffff | 0x80_0000).to_be_bytes();
    Ipv4Addr::new(127, high, middle, low)
}

#[cfg(test)]
mod tests;
