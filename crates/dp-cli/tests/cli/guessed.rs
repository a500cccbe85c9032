//! Command lines of a person who guesses names: each is answered, or corrected in one line that names
//! what was meant.

use crate::support::xtask;

/// What is typed, and what is said; nothing if it is answered.
const LINES: &str = "\
sim => did you mean simulate?
simulation --clients 100 => did you mean simulate?
run => did you mean simulate?
simulate --eps 1 => did you mean --epsilon?
simulate --users 1000 => did you mean --clients?
simulate --n 1000 --epsilon 1 => did you mean --clients?
simulate -n 1000 => did you mean --clients?
simulate --num-clients 1e3 => did you mean --clients?
simulate --k 12 => did you mean --bins LOW..HIGH/WIDTH?
simulate --buckets=12 => did you mean --bins LOW..HIGH/WIDTH?
simulate --length 40 => did you mean --bins LOW..HIGH/WIDTH?
simulate --mechanism gaussian => did you mean --policy histogram-gaussian?
simulate --noise laplacian => did you mean --policy histogram-laplace?
simulate --policy laplace => expected histogram-laplace, count-laplace,
simulate --policy rappor => expected multihot-rappor,
simulate --policy histogram => histogram-laplace,
simulate --policy Histogram_Laplace => expected histogram-laplace, or
simulate --policy histogam-laplace => expected histogram-laplace, or
simulate --policy prio3sum => expected sum-laplace, sum-gaussian
simulate --policy xyzzy => expected a name that `policies` lists
simulate histogram => did you mean --policy histogram-
simulate people.csv => did you mean --data people.csv?
simulate --input people.csv --field age => did you mean --data?
simulate --field age => did you mean --column?
simulate --sigma 10 => did you mean --epsilon?
simulate --scale 2 => did you mean --epsilon?
simulate --servers 3 => did you mean --aggregators?
simulate --rounds 5 => did you mean --trials?
simulate --output out.json => did you mean --json?
simulate --random-seed 1 => did you mean --seed?
simulate --local_epsilon 1 => did you mean --local-epsilon?
simulate --policy count-response --epsilon0 1 => take --epsilon, what the answer of one client promises
simulate --policy multihot-rappor --epsilon 1 => take --epsilon0, RAPPOR's parameter
simulate --policy histogram-laplace --delta 1e-9 --epsilon0 1 => epsilon0 1 has no meaning
simulate --clients 2e2 --seed 1 =>
simulate --clients 40 --honest-clients-wanted 10 --policy compensated-rappor =>
simulate --clients 250k => clients is 250k: expected an integer from 1
simulate --epsilon one => epsilon is one: expected a number such as
simulate --bins 12 => bins is 12: expected LOW..HIGH/WIDTH
simulate --task => a value is required for '--task <FILE>'
simulate --dance => `simulate --help` lists its options
policies --eps 1 => did you mean --epsilon?
policies --type histogram --length 40 => type is histogram: expected count, sum:MAX,
policies --query count =>
policies --type count --clients 1e6 --epsilon 1/2 --json =>
policies --buckets 40 => did you mean --length?
policies count => did you mean --type count?
policies histogram:40 => did you mean --type histogram:40?
policies --policy histogram-laplace => it is an option of simulate
list => did you mean policies?
calibrate => expected gaussian, laplace,
calibrate histogram --epsilon 1 => calibrate laplace --query histogram:LENGTH
calibrate sum --epsilon 1 => calibrate laplace --query sum:MAX
calibrate normal --epsilon 1 => did you mean calibrate gaussian?
calibrate gauss --epsilon 1 --delta 1e-9 => did you mean calibrate gaussian?
calibrate gaussian --eps 1 --delta 1e-9 => did you mean --epsilon?
calibrate gaussian --epsilon 1 --delta 1e-9 --sigma 8 => did you mean --variance?
calibrate gaussian --epsilon 1 => delta is missing: expected
calibrate laplace --epsilon 1 --sensitivity 2 => did you mean --query histogram:LENGTH?
calibrate laplace --epsilon 1 --json --delta 0 =>
calibrate --json laplace --epsilon 1 =>
calibrate rappor --target-epsilon 0.5 --epsilon0 4 --delta 1e-6 =>
calibrate rappor --epsilon 0.5 --n 1e5 --delta 1e-9 => did you mean --clients?
calibrate response --epsilon0 2 --answers 2 --clients 5e2 --delta 1e-6 =>
calibrate response --epsilon 2 --k 2 --clients 500 --delta 1e-6 => did you mean --answers?
calibrate local --mechanism rappor --epsilon 1 => expected symmetric-rappor:LENGTH,
calibrate compose --mechanism gaussian:900:pair --releases 100 --delta 1e-6 => did you mean --times?
calibrate compose gaussian:900:pair => did you mean --mechanism gaussian:900:pair?
calibrate ledger open budget.ledger => did you mean calibrate ledger create?
calibrate ledger dance budget.ledger => expected create, record, show, left or upgrade
calibrate ledger spend my.ledger --name x --epsilon 1 => did you mean calibrate ledger record?
calibrate ledger remaining my.ledger => did you mean calibrate ledger left?
calibrate ledger status my.ledger => did you mean calibrate ledger show?
calibrate ledger migrate a b => did you mean calibrate ledger upgrade?
calibrate ledger create --file my.ledger --epsilon 1 => it goes without a name: calibrate ledger create my.ledger
calibrate ledger create my.ledger --budget 1 --delta 1e-6 => did you mean --epsilon?
calibrate ledger record my.ledger --label monday --epsilon 0.1 => did you mean --name?
calibrate ledger record my.ledger --release gaussian:900:pair => did you mean --mechanism gaussian:VARIANCE:QUERY?
calibrate ledger left my.ledger --query histogram:12 => did you mean --mechanism gaussian:VARIANCE:QUERY?
calibrate ledger left my.ledger gaussian:9000:histogram:12 => did you mean --mechanism gaussian:9000:histogram:12?
ledger left my.ledger => did you mean calibrate ledger?
calibrate schedules --release 365xhistogram:24 => did you mean calibrate schedule?
calibrate schedule 365xhistogram:24 12xsum:80 --epsilon 2 => did you mean --release 365xhistogram:24?
calibrate schedule --release histogram:24x365 --epsilon 2 => release is histogram:24x365: expected TIMESxQUERY
calibrate schedule --query histogram:24 --epsilon 2 => did you mean --release TIMESxQUERY?
calibrate schedule --release 2xpair --times 365 --epsilon 2 => did you mean --release TIMESxQUERY?
calibrate schedule --release 2xpair --budget 2 --delta 1e-8 => did you mean --epsilon?
calibrate schedule --release 2xpair --epsilon 2 --noise laplace => did you mean --mechanism?
calibrate schedule --release 2xpair --epsilon 2 --share 1 => did you mean --shares?
schedule --release 3xpair --epsilon 1 => did you mean calibrate schedule?
planner --type count => did you mean plan?
recommend --type count => did you mean plan?
optimize => did you mean plan?
plan histogram:40 => did you mean --type histogram:40?
plan count 1000 => did you mean --type count?
plan --buckets 40 --clients 1e4 --epsilon 1 => did you mean --type histogram:LENGTH?
plan --type histogram:40 --users 250000 --eps 1 => did you mean --clients?
plan --type count --clients 1e4 --epsilon 1 --days 30 => did you mean --releases?
plan --type count --clients 1e4 --epsilon 1 --trust OC => did you mean --against?
plan --type count --clients 1e4 --epsilon 1 --trust-model OAOC => did you mean --against?
plan --type count --clients 1e4 --epsilon 1 --malicious both => did you mean --against?
plan --type count --clients 1e4 --epsilon 1 --against both => expected collector (OAMC:
plan --type count --clients 1e4 --epsilon 1 --honest-clients 9e3 => did you mean --honest-fraction?
plan --type count --clients 1e4 --moe 1% => did you mean --margin?
plan --type count --clients 1e4 --error 1% => did you mean --std?
plan --type count --clients 1e4 --epsilon-total 1 => did you mean --total?
plan --type count --clients 1e4 --zcdp 1/2 => did you mean --rho?
plan --type count --clients 1e4 --epsilon 1 --save-task t.toml => did you mean --task?
plan --type count --clients 1e4 --epsilon 1 --policy laplace => expected one of count-laplace
plan --type average --range 40..140 --clients 1e4 => did you mean --grid LOW..HIGH/STEP?
plan --type mean:80 --clients 1e4 --epsilon 1 => expected count, sum:MAX, average:MAX
plan --query count --clients 1e4 --epsilon 1 --against oc =>
simulate --separator semicolon => did you mean --delimiter?
simulate --sep tab => did you mean --delimiter?
simulate --na skip => did you mean --missing?
simulate --missing drop => expected skip, zero or refuse
simulate --range 0..100 => did you mean --bins LOW..HIGH/WIDTH?
simulate --bin-width 10 => did you mean --bins LOW..HIGH/WIDTH?
simulate --clip => did you mean --clamp?
simulate --nonnegative => did you mean --consistent?
simulate --sum-to-one => did you mean --consistent?
simulate --true yes => did you mean --yes?
simulate --laplace => did you mean --policy histogram-laplace?
simulate --plot => `simulate --help` lists its options
policies --against OC => it is an option of plan
calibrate utility --laplace 2 => did you mean --mechanism laplace:SCALE?
calibrate gaussian --histogram 40 => did you mean --query histogram:LENGTH?
completions --shell bash => it goes without a name: completions bash
completions => is missing: expected a value
autocomplete bash => did you mean completions?
man ledger => command is ledger: expected calibrate ledger
man calibrate-ledger-left =>
man dp-cli-plan =>
calibrate ledger show --json budget.ledger => since --json took budget.ledger: write --json last
gaussian --epsilon 1 --delta 1e-9 => did you mean calibrate gaussian?
budget => did you mean calibrate ledger?
noise --epsilon 1 => did you mean calibrate gaussian or calibrate laplace?
help sim => did you mean simulate?
completion bash => did you mean completions?
completions tcsh => expected bash, elvish, fish, powershell or zsh
man simulat => command is simulat: expected simulate,
--epsilon 1 => expected a command before it
simulate --bucket-width 5 => did you mean --bins LOW..HIGH/WIDTH?
simulate --sample 500 => did you mean --clients?
simulate --n-users 500 => did you mean --clients?
simulate --prng-seed 3 => did you mean --seed?
simulate --eps0 1 => did you mean --epsilon0?
simulate --dist laplace => did you mean --policy histogram-laplace?
simulate --bound 80 => did you mean --max-measurement?
simulate --header => `simulate --help` lists its options
simulate --respondents 500 => did you mean --clients?
simulate --helpers 3 => did you mean --aggregators?
simulate --csv people.csv => did you mean --data?
simulate --variable age => did you mean --column?
simulate --repetitions 5 => did you mean --trials?
simulate --workers 3 => did you mean --threads?
simulate --format json => did you mean --json?
simulate --upper 80 => did you mean --max-measurement?
simulate --policy geometric => histogram-laplace
simulate --policy krr => histogram-response
simulate --policy oue => multihot-basic-rappor
simulate --policy gaussian-histogram => histogram-gaussian
simulate --clients 5e9 => clients is 5e9: expected an integer from 1 to 4294967295
policies --list => `policies --help` lists its options
policies --zcdp 1 => did you mean --rho?
policies --type hist:40 => expected count, sum:MAX
policies --type count --rho 1/8 --clients 1 =>
policies --type histogram:4 --false-positive-rate 0.01 =>
policies --false-positive-rate 2 => expected a number above 0 and below 1
plan --type histogram:40 --clients 1e5 --epsilon 1 --weeks 52 => did you mean --releases?
plan --type histogram:40 --clients 1e5 --epsilon 1 --times 30 => did you mean --releases?
plan --type histogram:40 --clients 1e5 --rmse 3 => did you mean --std?
plan --type histogram:40 --clients 1e5 --ci 1% => did you mean --margin?
plan --type histogram:40 --clients 1e5 --epsilon 1 --adversary collector => did you mean --against?
plan --type histogram:40 --clients 1e5 --epsilon 1 --adjacency add-remove => expected replacement or deletion
plan --type histogram:40 --clients 1e5 => what is wanted is missing
plan --type histogram40 --clients 100 --epsilon 1 => type is histogram40
calibrate krr --epsilon 1 --answers 4 => did you mean calibrate response?
calibrate rr --epsilon 1 => did you mean calibrate response?
calibrate geometric --epsilon 1 => did you mean calibrate laplace?
calibrate laplace --epsilon 1 --sens 2 => did you mean --query histogram:LENGTH?
calibrate compose --mechanism gaussian:900 --delta 1e-6 => expected gaussian:VARIANCE:QUERY
calibrate compose --mechanism hedged:5:gaussian:547 --delta 1e-6 => hedged:EPSILON0:LAW:PARAMETER:CLIENTS
calibrate compose --mechanism hedged:5:gaussian:547:1000 --delta 1e-6 =>
calibrate compose --mechanism laplace:20:pair --count 3 --delta 1e-6 => did you mean --times?
calibrate compose --query histogram:24 --sigma 30 --delta 1e-6 => did you mean --mechanism gaussian:VARIANCE:QUERY?
calibrate composition --mechanism gaussian:900:pair --delta 1e-6 => did you mean calibrate compose?
calibrate total --mechanism gaussian:900:pair --delta 1e-6 => did you mean calibrate compose?
calibrate ledger init x --epsilon 1 => did you mean calibrate ledger create?
calibrate ledger add x --name a --epsilon 0.1 => did you mean calibrate ledger record?
calibrate ledger check x => did you mean calibrate ledger show?
calibrate ledger list x => did you mean calibrate ledger show?
calibrate ledger create x --limit 1 => did you mean --epsilon?
calibrate ledger create x --epsilon 1 --composition zcdp => did you mean --rule?
calibrate ledger create x --epsilon 1 --rule rdp => expected basic, zcdp or declared
calibrate ledger create x --epsilon 1 --against collector => did you mean --trust-model?
calibrate ledger create x --epsilon 1 --trust-model nobody => expected all-aggregators (OC
calibrate ledger record x --name a --epsilon 0.1 --count 30 => did you mean --times?
calibrate ledger record x --id a --epsilon 0.1 => did you mean --name?
calibrate ledger record x --name a --sigma 30 => did you mean --mechanism gaussian:VARIANCE?
calibrate schedule --line 365xhistogram:24 --epsilon 2 => did you mean --release TIMESxQUERY?
calibrate schedule --daily histogram:24 --epsilon 2 => did you mean --release TIMESxQUERY?
calibrate schedule --release 365*histogram:24 --epsilon 2 => expected TIMESxQUERY
calibrate schedule --release 2xpair --epsilon 2 --delta 1e-8 --policy gaussian => did you mean --mechanism?
calibrate schedule --release 2xpair --epsilon 2 --delta 1e-8 --split 1 => did you mean --shares?
calibrate schedule --release 2xpair --epsilon 2 => delta is missing
--version =>
version => did you mean --version?";

#[test]
fn a_guessed_name_is_answered_or_corrected_in_one_line() {
    let lines = LINES.lines().map(|line| line.split_once(" =>"));
    let lines: Vec<(&str, &str)> = lines.map(|line| line.expect("an arrow")).collect();
    assert!(lines.len() >= 60, "{}", lines.len());
    for (typed, said) in lines {
        let output = xtask(&typed.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        if said.is_empty() {
            assert_eq!(output.status.code(), Some(0), "{typed}: {error}");
            assert!(error.is_empty() && !output.stdout.is_empty(), "{typed}");
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{typed}: {error}");
        assert!(output.stdout.is_empty(), "{typed}");
        assert_eq!(error.lines().count(), 1, "{typed}: {error}");
        assert!(error.chars().count() <= 300, "{typed}: {error}");
        assert!(error.contains(said), "{typed}: {error}");
    }
}
