//! Messages over TCP: a request and its answer in JSON, on a connection of their own.

use std::io::{BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Outcome;

/// The longest message, in bytes.
const LONGEST: u64 = 1 << 20;
/// The longest wait for the next bytes of a request.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest wait for an answer: the leader verifies a whole batch before it answers.
const PATIENCE_FOR_ANSWER: Duration = Duration::from_secs(3600);

/// What one party asks of another.
#[derive(Serialize, Deserialize)]
pub(crate) enum Request {
    /// A client: the shares of its report, sealed for the leader and for the helper.
    Upload([Vec<u8>; 2]),
    /// The collector: both aggregate shares of a day's batch, sealed.
    Collect(u64),
    /// The leader: the helper's aggregate share of a day's batch, sealed, if it is released; no
    /// part otherwise. The helper begins the batch anew.
    Begin(u64),
    /// The leader: the verifier message for a report, which the helper adds to the day's batch; no
    /// part if the helper rejects the report.
    Verify { day: u64, sealed: Vec<u8>, leader_share: Vec<u8> },
    /// The leader: the helper's aggregate share of the day's batch, sealed, which it releases.
    Release(u64),
}

/// The parts of an answer, or the reason of a refusal.
type Answer = Result<Vec<Vec<u8>>, String>;

/// The answer to a request; `Err` also if the server refuses it.
pub(crate) fn ask(address: &str, request: &Request) -> Outcome<Vec<Vec<u8>>> {
    let stream = TcpStream::connect(address)?;
    (&stream).write_all(&serde_json::to_vec(request)?)?;
    stream.shutdown(Shutdown::Write)?;
    Ok(receive::<Answer>(&stream, PATIENCE_FOR_ANSWER)??)
}

/// Answers requests, one after the other, until the process ends. `Err` if nothing can listen at
/// `address`.
pub(crate) fn serve(
    address: &str,
    mut answer: impl FnMut(Request) -> Outcome<Vec<Vec<u8>>>,
) -> Outcome<()> {
    let listener = TcpListener::bind(address)?;
    println!("listening on {}", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut respond = |mut stream: &TcpStream| -> Outcome<()> {
            let request = receive(stream, PATIENCE)?;
            let answer: Answer = answer(request).map_err(|error| error.to_string());
            Ok(stream.write_all(&serde_json::to_vec(&answer)?)?)
        };
        // Whoever breaks off loses the answer; the server goes on.
        if let Err(error) = respond(&stream?) {
            eprintln!("{error}");
        }
    }
    Ok(())
}

/// The message that the other end sends before it closes its direction. `Err` also after
/// `patience` without a byte of it.
fn receive<T: DeserializeOwned>(stream: &TcpStream, patience: Duration) -> Outcome<T> {
    stream.set_read_timeout(Some(patience))?;
    Ok(serde_json::from_reader(BufReader::new(stream.take(LONGEST)))?)
}
