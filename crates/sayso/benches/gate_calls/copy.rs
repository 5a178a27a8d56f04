//! A copy of bytes between two sockets: what one more hop costs at the least.

use tokio::net::{TcpListener, TcpStream};

use crate::Result;

/// Copies between each connection to a free port, which is printed, and one to port `to`.
pub(crate) async fn serve(to: u16) -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("{}", listener.local_addr()?.port());
    loop {
        let (mut near, _) = listener.accept().await?;
        tokio::spawn(async move {
            let mut far = TcpStream::connect(("127.0.0.1", to)).await?;
            near.set_nodelay(true)?;
            far.set_nodelay(true)?;
            tokio::io::copy_bidirectional(&mut near, &mut far).await
        });
    }
}
