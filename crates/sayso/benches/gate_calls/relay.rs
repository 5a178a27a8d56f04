//! The floor: bytes are copied from one connection to another.

use std::io::Write as _;

use tokio::net::{TcpListener, TcpStream};

/// Relays to a port of this machine, on a port of its own, which it prints.
pub(crate) fn serve(to: u16) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async move {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap().port());
        std::io::stdout().flush().unwrap();
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                // Either end may leave.
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
}
