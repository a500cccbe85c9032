//! Writes the first inputs of the fuzz targets: `seeds/TARGET/NUMBER`.

use std::error::Error;
use std::fs;
use std::path::Path;

use dp_fuzz::STATES;
use dp_task::dp_prio3::prio::codec::Encode as _;
use dp_task::{DpExtension, Task};

const RATIONALS: &str = "0 -1 +7 0.317 1e-9 1/3 -22/7 1e2500 1.5E+3 99999999999999999999/3 \
    0.000000000000000000000000000000000000000001 \
    1/1606938044258990275541962092341162602522202993782792835301376";

const NAMES: &str = "3:0123456789abcdef0123456789abcdef \
    18446744073709551615:ffffffffffffffffffffffffffffffff \
    e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 \
    OC OAOC OAMC 2AOC 254AMC 2026-07-01/visits \u{e9}\u{202e}";

const GUARANTEES: &[&str] = &[
    r#"{"pure":{"epsilon":"1/3"}}"#,
    r#"{"approximate":{"epsilon":"0.906","delta":"1e-9"}}"#,
    r#"{"zero_concentrated":{"rho":"1/8"}}"#,
    r#"{"renyi":{"alpha":"8","tau":"1/2"}}"#,
    r#"{"discrete_laplace":{"scale":"20/3"}}"#,
    r#"{"discrete_gaussian":{"variance":"547.1"}}"#,
    r#""replacement""#,
    r#""2AMC""#,
    r#"{"aggregators":{"discrete_laplace":{"scale":"4.5","difference":{"coordinates":2,"step":"1"}}}}"#,
    r#"{"clients":{"symmetric_rappor":{"epsilon0":"3","length":40,"input_weight":2,"is_one_hot":false,"sent_weight":17}}}"#,
    r#"{"both":{"clients":{"coin_flip":{}},"aggregators":{"discrete_gaussian":{"variance":"9","difference":{"coordinates":3,"step":"7"}}}}}"#,
    r#"{"budget":{"pure":{"epsilon":"0.1"}},"adjacency":"deletion","trust_model":"OAOC","mechanism":{"other":"words"},"minimum_batch":1}"#,
];

const STRATEGIES: &[&str] = &[
    r#"{"version":1,"law":"discrete_laplace","budget":{"pure":{"epsilon":"1/3"}}}"#,
    r#"{"version":1,"law":"discrete_gaussian","budget":{"approximate":{"epsilon":"0.906","delta":"1e-9"}}}"#,
    r#"{"version":1,"law":"discrete_gaussian","budget":{"zero_concentrated":{"rho":"1/8"}}}"#,
    r#"{"version":1,"law":"discrete_laplace","matrix":"ranges","budget":{"pure":{"epsilon":"1"}}}"#,
];

const TABLES: &[&str] = &[
    "x,y\n0,1\n1,0\n",
    "\"x\",\"a \"\"b\"\"\"\r\n\"1/2\",\"3\"\r\n",
    "x\n1e9\n\n-3\n",
    "x,x\n1,2\n",
    "x\n\"1\n",
    "x,y\n1\n",
    "\u{feff}x\n1\n",
    "x\n140\n150.5\n199\n",
    "x;y\nNA;1,5\n;2\n9.5;\n",
    "x\ty|z\nios\tb\nandroid\tc\n",
    "x|\"y|,\"\n-1|unknown\n1|yes\n",
    "\u{ff}\u{fe}x\n",
];

const CERTIFICATES: &[&str] = &[
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"1","delta":"1e-6","adjacency":"replacement","trust_model":"OAOC","releases":[{"mechanism":"gaussian","query":"count","variance":"25"}]}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"1","delta":"0","adjacency":"deletion","trust_model":"OAOC","releases":[{"mechanism":"laplace","query":"sum:3","scale":"3"}]},"steering":{}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"2","delta":"1e-4","adjacency":"replacement","trust_model":"OAOC","releases":[{"mechanism":"gaussian","query":"histogram","variance":"4","aggregators":2}]},"steering":{"aggregations":[{"step":"1/50","nodes":150,"block_ends":[0]}]}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"1","delta":"1e-3","adjacency":"replacement","trust_model":"OAMC","releases":[{"mechanism":"rappor","query":"histogram:9","epsilon0":"1","clients":6,"added_zeros":2,"noise":{"mechanism":"laplace","scale":"2"}}]},"steering":{"aggregations":[{"step":"1/50","nodes":60,"block_ends":[0,1,2,3,4,5,6,7]}]}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"3","delta":"1e-5","adjacency":"replacement","trust_model":"OC","releases":[{"mechanism":"private","epsilon":"0.1","delta":"1e-8","times":20},{"mechanism":"private","epsilon":"1/3","delta":"0"}]},"steering":{"grid":"0.001"}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"3","delta":"1e-5","adjacency":"replacement","trust_model":"OC","releases":[{"mechanism":"concentrated","rho":"0.1"},{"mechanism":"renyi","alpha":"9","tau":"0.2"}]},"steering":{"order":"9"}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"mechanism":"laplace","scale":"2","aggregators":2,"numbers":100,"bound":40,"probability":"1e-3"}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"mechanism":"rappor","epsilon0":"2","length":12,"weight":2,"bound":9,"probability":"0.01"}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"mechanism":"laplace","scale":"1","signed":true,"undecided":"0.5","passes":[{"bits":8,"cells":[[0,118],[1,86]]},{"bits":4,"cells":[[2,1]]}]}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"2","delta":"1e-3","adjacency":"replacement","trust_model":"OAOC","releases":[{"mechanism":"gaussian","query":"count","variance":"5"}],"every_larger_variance":true},"steering":{"cuts":["6","9"],"order":"9"}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"1","delta":"1e-8","adjacency":"replacement","trust_model":"OAOC","releases":[{"mechanism":"gaussian","query":"percentiles:4","variance":"230000000000","column":[65536,32768,24576,20480]}]}}"#,
    r#"{"format":"dp-check certificate","version":1,"claim":{"epsilon":"1","delta":"0","adjacency":"replacement","trust_model":"OAOC","releases":[{"mechanism":"laplace","query":"ranges:12","scale":"8","block":3}]}}"#,
];

const BINS: &[&str] = &[
    "140..200/5",
    "0,1,2",
    "distinct",
    "-1..1/1/2",
    "0..1e6/1",
    "1/3, 2/3 , 1",
    "ios, \"a, b\",NA",
];

fn main() -> Result<(), Box<dyn Error>> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    for (target, texts) in [
        ("rational", &RATIONALS.split(' ').collect::<Vec<_>>()[..]),
        ("names", &NAMES.split(' ').collect::<Vec<_>>()[..]),
        ("guarantees", GUARANTEES),
        ("strategy", STRATEGIES),
        ("table", TABLES),
        ("bins", BINS),
        ("certificate", CERTIFICATES),
    ] {
        write(&seeds.join(target), texts.iter().map(|text| text.as_bytes().to_vec()))?;
    }
    // Each ledger without entries and with all of them.
    let ends = || STATES.iter().enumerate().filter(|(number, _)| matches!(number % 4, 0 | 3));
    write(&seeds.join("ledger"), ends().map(|(_, (bytes, _))| bytes.clone()))?;
    write(&seeds.join("ledger_entries"), ends().map(|(_, (bytes, _))| unsealed(bytes)))?;
    write(&seeds.join("messages"), scripts())?;
    tasks(&seeds)
}

/// Inputs of `messages`: each type and kind of message, at two aggregators, with one of four edits.
fn scripts() -> impl Iterator<Item = Vec<u8>> {
    const EDITS: [&[u8]; 4] =
        [&[], &[0, 0, 40, 1], &[1, 1, 0, 0, 2, 0, 9, 7], &[4, 0, 60, 0, 1, 2, 3]];
    let messages = (0..7).flat_map(|kind| (0..6).flat_map(move |m| [[kind, m], [kind, m + 0x12]]));
    let messages = messages.enumerate();
    messages.map(|(number, message)| [&message, EDITS[(number + number / 12) % 4]].concat())
}

/// Writes the contents to files 0, 1 and so on of a folder, which is emptied first.
fn write(folder: &Path, contents: impl Iterator<Item = Vec<u8>>) -> Result<(), Box<dyn Error>> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    for (number, content) in contents.enumerate() {
        fs::write(folder.join(number.to_string()), content)?;
    }
    Ok(())
}

/// The JSON of a ledger's first line and of its entries, without checksums and slots.
fn unsealed(bytes: &[u8]) -> Vec<u8> {
    let lines: Vec<&[u8]> =
        bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let lines = lines.iter().enumerate().filter(|(number, _)| !matches!(number, 1 | 2));
    let json: Vec<&[u8]> = lines.map(|(_, line)| &line[..line.len() - 33]).collect();
    json.join(&b'\n')
}

/// Seeds from the tasks, the deployment and the sweeps of the examples. Tasks whose calibration
/// takes long get a wrong field, so that they are refused before it begins.
fn tasks(seeds: &Path) -> Result<(), Box<dyn Error>> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut paths: Vec<_> = fs::read_dir(examples.join("tasks"))?
        .map(|file| file.map(|file| file.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let (mut toml, mut json, mut extensions) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let task = Task::from_toml(fs::read(&path)?)?;
        let slow = ["hedged", "compensated", "multihot"];
        let is_slow = slow.iter().any(|name| path.ends_with(format!("{name}.toml")));
        let name = if is_slow { "aggregator" } else { "aggregators" };
        extensions.push(DpExtension::of(&task).get_encoded()?);
        toml.push(task.to_toml()?.replace("aggregators", name).into_bytes());
        json.push(task.to_json()?.replace("aggregators", name).into_bytes());
    }
    write(&seeds.join("task_toml"), toml.into_iter())?;
    write(&seeds.join("task_json"), json.into_iter())?;
    write(&seeds.join("extension"), extensions.into_iter())?;
    let without_comments = |file: &str| -> Result<String, std::io::Error> {
        let whole = fs::read_to_string(examples.join(file))?;
        let lines = whole.lines().filter(|line| !line.starts_with('#'));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    };
    let whole = without_comments("deployments/heights.toml")?;
    let deployments = [whole.clone(), whole.replace("version = 1", "")].map(String::into_bytes);
    write(&seeds.join("deployment"), deployments.into_iter())?;
    let sweeps = [without_comments("sweeps/noise.toml")?, without_comments("sweeps/heights.toml")?];
    write(&seeds.join("sweep"), sweeps.map(String::into_bytes).into_iter())
}
