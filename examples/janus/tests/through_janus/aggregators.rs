//! Stand-ins for two aggregators on this machine, behind one address: they take reports over HTTP,
//! open both halves, verify and add them up with Prio3, and answer the collector. In earnest no
//! process holds both keys; nothing else here is make-believe.

use std::sync::{Arc, Mutex};

use janus_core::hpke::{self, HpkeApplicationInfo, HpkeKeypair, Label};
use janus_messages::query_type::TimeInterval;
use janus_messages::{
    AggregateShareAad, BatchSelector, Collection, CollectionReq, HpkeAeadId, HpkeKdfId, HpkeKemId,
    InputShareAad, Interval, PartialBatchSelector, PlaintextInputShare, Report, Role, TaskId,
};
use prio_of_janus::codec::{Decode, Encode, ParameterizedDecode};
use prio_of_janus::vdaf::{Aggregator, PrepareTransition};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

const VERIFY_KEY: [u8; 16] = [9; 16];
const ROLES: [Role; 2] = [Role::Leader, Role::Helper];

/// An encoded aggregate share on its way to the collector.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) bytes: Vec<u8>,
    /// The number of reports in it.
    pub(crate) reports: usize,
}

/// Changes an aggregator's share before it is sent, as by adding noise.
pub(crate) type Noise = fn(Share) -> Vec<u8>;

/// Both aggregators.
#[derive(Debug)]
pub(crate) struct Aggregators<V> {
    pub(crate) task: TaskId,
    pub(crate) url: Url,
    /// Keys of the leader, of the helper, and of the collector, whose public half alone is used.
    pub(crate) keys: [HpkeKeypair; 3],
    vdaf: V,
    noise: Noise,
    reports: Mutex<Vec<Report>>,
    /// The interval of time of the last request to collect.
    interval: Mutex<Option<Interval>>,
}

/// A fresh pair of keys.
fn key_pair(id: u8) -> HpkeKeypair {
    HpkeKeypair::generate(
        id.into(),
        HpkeKemId::X25519HkdfSha256,
        HpkeKdfId::HkdfSha256,
        HpkeAeadId::Aes128Gcm,
    )
    .expect("a supported suite")
}

impl<V> Aggregators<V>
where
    V: Aggregator<16, 16, AggregationParam = ()> + Send + Sync + 'static,
{
    /// Listens on a free port.
    pub(crate) async fn start(vdaf: V, noise: Noise) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let aggregators = Arc::new(Self {
            task: rand::random(),
            url: format!("http://{address}/").parse().expect("an address"),
            keys: [key_pair(1), key_pair(2), key_pair(3)],
            vdaf,
            noise,
            reports: Mutex::default(),
            interval: Mutex::default(),
        });
        let served = aggregators.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                served.serve(stream).await.expect("a request over the loopback");
            }
        });
        aggregators
    }

    /// The number of reports so far.
    pub(crate) fn uploaded(&self) -> usize {
        self.reports.lock().expect("not poisoned").len()
    }

    /// Answers one request and closes the connection.
    async fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut request = Vec::new();
        let (head, length) = loop {
            let mut part = [0; 4096];
            let read = stream.read(&mut part).await?;
            request.extend_from_slice(&part[..read]);
            if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&request[..end]).into_owned();
                let length = head.lines().filter_map(|line| line.split_once(": "));
                let length = length
                    .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                    .find_map(|(_, value)| value.parse().ok());
                request.drain(..end + 4);
                break (head, length.unwrap_or(0));
            }
            assert!(read > 0, "a whole request");
        };
        let missing = length - request.len();
        let mut rest = vec![0; missing];
        stream.read_exact(&mut rest).await?;
        request.extend(rest);

        let (status, body) = self.respond(&head, &request);
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\nContent-Type: {}\r\nConnection: close\r\n\r\n",
            body.len(),
            Collection::<TimeInterval>::MEDIA_TYPE,
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(&body).await?;
        stream.shutdown().await
    }

    /// Status and body for an upload, the start of a collection, or a question for its result.
    fn respond(&self, head: &str, body: &[u8]) -> (&'static str, Vec<u8>) {
        let mut words = head.split(' ');
        let (method, path) = (words.next(), words.next().unwrap_or_default());
        let task = format!("/tasks/{}/", self.task);
        match (method, path.strip_prefix(&task)) {
            (Some("PUT"), Some("reports")) => {
                let report = Report::get_decoded(body).expect("a report");
                self.reports.lock().expect("not poisoned").push(report);
                ("201 Created", Vec::new())
            }
            (Some("PUT"), Some(path)) if path.starts_with("collection_jobs/") => {
                let request = CollectionReq::<TimeInterval>::get_decoded(body).expect("a request");
                let interval = *request.query().batch_interval();
                *self.interval.lock().expect("not poisoned") = Some(interval);
                ("201 Created", Vec::new())
            }
            (Some("POST"), Some(path)) if path.starts_with("collection_jobs/") => {
                ("200 OK", self.collect())
            }
            _ => ("404 Not Found", Vec::new()),
        }
    }

    /// The encoded collection of all reports, encrypted to the collector.
    fn collect(&self) -> Vec<u8> {
        let interval = self.interval.lock().expect("not poisoned");
        let interval = interval.expect("asked for");
        let associated = AggregateShareAad::new(
            self.task,
            Vec::new(),
            BatchSelector::new_time_interval(interval),
        );
        let associated = associated.get_encoded().expect("bytes");
        let mut sealed = ROLES.iter().zip(self.shares()).map(|(role, share)| {
            hpke::seal(
                self.keys[2].config(),
                &HpkeApplicationInfo::new(&Label::AggregateShare, role, &Role::Collector),
                &share,
                &associated,
            )
            .expect("sealed")
        });
        Collection::new(
            PartialBatchSelector::new_time_interval(),
            u64::try_from(self.uploaded()).expect("few"),
            interval,
            sealed.next().expect("the leader's"),
            sealed.next().expect("the helper's"),
        )
        .get_encoded()
        .expect("bytes")
    }

    /// The encoded shares of both aggregators, with noise, leader first.
    fn shares(&self) -> [Vec<u8>; 2] {
        let reports = self.reports.lock().expect("not poisoned");
        let mut totals = ROLES.map(|_| self.vdaf.aggregate(&(), []).expect("an empty share"));
        for report in reports.iter() {
            self.add(report, &mut totals);
        }
        totals.map(|total| {
            let bytes = total.get_encoded().expect("bytes");
            (self.noise)(Share { bytes, reports: reports.len() })
        })
    }

    /// Opens both halves of a report, verifies them together, and adds them to the totals.
    fn add(&self, report: &Report, totals: &mut [V::AggregateShare; 2]) {
        use prio_of_janus::vdaf::Aggregatable;

        let public = V::PublicShare::get_decoded_with_param(&self.vdaf, report.public_share());
        let public = public.expect("a public share");
        let associated = InputShareAad::new(
            self.task,
            report.metadata().clone(),
            report.public_share().to_vec(),
        );
        let associated = associated.get_encoded().expect("bytes");
        let halves = [report.leader_encrypted_input_share(), report.helper_encrypted_input_share()];
        let (states, shares): (Vec<_>, Vec<_>) = (0..2)
            .map(|id| {
                let info = HpkeApplicationInfo::new(&Label::InputShare, &Role::Client, &ROLES[id]);
                let opened = hpke::open(&self.keys[id], &info, halves[id], &associated);
                let plain = PlaintextInputShare::get_decoded(&opened.expect("for this aggregator"));
                let plain = plain.expect("an input share");
                let input =
                    V::InputShare::get_decoded_with_param(&(&self.vdaf, id), plain.payload());
                let nonce = report.metadata().id().as_ref();
                let input = input.expect("an input share");
                self.vdaf
                    .prepare_init(&VERIFY_KEY, id, &(), nonce, &public, &input)
                    .expect("an honest report")
            })
            .unzip();
        let message = self
            .vdaf
            .prepare_shares_to_prepare_message(&(), shares)
            .expect("an honest proof")
            .get_encoded()
            .expect("bytes");
        for (state, total) in states.into_iter().zip(totals) {
            let message = V::PrepareMessage::get_decoded_with_param(&state, &message);
            let message = message.expect("as it was encoded");
            match self.vdaf.prepare_next(state, message) {
                Ok(PrepareTransition::Finish(output)) => {
                    total.accumulate(&output).expect("shares of one length");
                }
                _ => panic!("Prio3 has one round"),
            }
        }
    }
}
