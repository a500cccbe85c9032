//! What people call the options and commands.

/// What people call an option, and what it may be here: the first one that the command has, with an
/// example of its value where that is not plain.
pub(super) const OPTIONS: &str = "\
n num users user people persons participants respondents population num-clients n-clients nclients \
client-count number-of-clients num-users n-users user-count sample sample-size reports batch-size rows customers = clients, samples
e eps epsilons privacy privacy-loss privacy-budget budget promise target-epsilon max-epsilon = epsilon
eps0 e0 epsilon-0 = epsilon0, local-epsilon, epsilon
local-eps local client-epsilon epsilon-local = local-epsilon, epsilon0, epsilon
local-epsilon = epsilon, epsilon0
epsilon0 = epsilon
d deltas slack failure-probability = delta
zcdp concentrated r = rho
k buckets bucket num-buckets num-bins bin categories classes size len dim dimension dimensions \
entries length answers bits domain histogram levels = length, bins LOW..HIGH/WIDTH, answers, type histogram:LENGTH, \
query histogram:LENGTH, mechanism k-ary:ANSWERS, coordinates
bins = length, answers, type histogram:LENGTH, query histogram:LENGTH
mechanism noise algorithm method distribution dist law kind name randomizer dp = policy histogram-laplace, \
mechanism, type histogram:LENGTH
policy = mechanism
margin-of-error moe ci confidence half-width = margin, std
sigma std stddev std-dev standard-deviation sd var variance noise-variance error rmse mse standard-error accuracy precision = std, \
variance, accuracy, bound, mechanism gaussian:VARIANCE, epsilon
scale b lambda noise-scale = mechanism laplace:SCALE, epsilon
sensitivity sens l1 l2 l1-sensitivity l2-sensitivity linf-sensitivity query queries task-type vdaf data-type question = type histogram:LENGTH, \
query histogram:LENGTH, policy histogram-laplace
type kind = query histogram:LENGTH, policy histogram-laplace, type histogram:LENGTH
clip clipping clamp cap winsorize = clamp
max maximum upper upper-bound bound limit high cap max-value clip clamp clipping = max-measurement, \
type sum:MAX, query sum:MAX
min minimum lower low range bin-width bucket-width step resolution = bins LOW..HIGH/WIDTH, grid LOW..HIGH/STEP
limit total total-budget = epsilon
interval = grid LOW..HIGH/STEP, bins LOW..HIGH/WIDTH
weight w max-ones ones hamming-weight max-hits = max-weight, input-weight, type multihot:LENGTH:WEIGHT
servers helpers num-aggregators parties shares num-servers s a = aggregators, honest-aggregators
trust trust-model against adversary attacker threat model = against, trust-model, honest-aggregators
honest honest-servers threshold = honest-aggregators, trust-model
honest-clients honest-share = honest-clients, honest-fraction
malicious corrupt corrupted attackers colluding = against, assumed-malicious-clients
honest-clients-wanted wanted target-clients = wanted-honest-clients
repeat repeats runs iterations reps repetitions rounds t times releases days weeks months = trials, times, releases, \
release TIMESxQUERY
count number = times
line lines daily weekly monthly schedule = release TIMESxQUERY
split allocation fractions proportions = shares
composition theorem accounting filter = rule
release query type = release TIMESxQUERY, mechanism gaussian:VARIANCE:QUERY
total-epsilon epsilon-total overall per-release = total, epsilon
max-contributions max-partitions-contributed max-partitions max-contributions-per-partition contributions = \
reports-per-client, times
fpr false-positives drop-rate false-drop-rate = false-positive-rate
save-task write-task task-file toml = task
save-strategy write-strategy dp-strategy = strategy
label entry title id = name
input file csv dataset path f i = data, task
field fields variable var col attribute key cols = column, columns
output out o save json-file write format = json
report html-file page web-page website pdf print = html
md wiki = markdown
random-seed rng-seed prng-seed random-state = seed
jobs j cores parallel cpus workers = threads
config configuration spec document = task
neighbors neighbours neighbouring neighboring relation = adjacency
positive true-value true = yes
negative false = no
separator sep delim = delimiter
na nan null nulls missing-values na-values empty = missing, missing-value
postprocess post-processing nonnegative sum-to-one projection = consistent
overwrite replace yes-overwrite y = force
laplace discrete-laplace = policy histogram-laplace, mechanism laplace:SCALE
gaussian discrete-gaussian = policy histogram-gaussian, mechanism gaussian:VARIANCE
verbose v quiet q debug progress no-progress = help";

/// What people call a command, and what it is here.
pub(super) const COMMANDS: &str = "\
run sim simulation demo try measure experiment estimate aggregate collect start = simulate
grid scan matrix experiments combinations sweeps = sweep
list ls show mechanisms policy catalogue catalog guarantees = policies
noise sigma variance epsilon delta sensitivity privacy = calibrate gaussian, calibrate laplace
normal gauss discrete-gaussian = calibrate gaussian
discrete-laplace geometric = calibrate laplace
randomized-response k-ary kary krr grr rr response = calibrate response
randomizer local-dp ldp = calibrate local
optimize optimise optimum optimal recommend recommendation best choose choice which suggest advise \
design budget-for how-much = plan
report publish transparency notice explain registry declaration disclose disclosure = statement
shuffle shuffler amplify amplification crowd = calibrate rappor
composition composed account accountant accounting total = calibrate compose
conversion zcdp rho rdp renyi = calibrate convert
accuracy error errors std margin = calibrate utility
budget budgets spent record create filter odometer = calibrate ledger
new init initialize begin start open create = calibrate ledger create
add spend charge debit log enter append write = calibrate ledger record
remaining remainder balance rest available more = calibrate ledger left
status list ls print read history spent cat check verify info = calibrate ledger show
migrate convert = calibrate ledger upgrade
draft table = tables
attack verify-epsilon lower-bound conformance conform dpaudit = audit
inverse allocate allocation split releases = calibrate schedule
completion complete autocomplete shell bash zsh fish = completions
manual manpage man-page docs = man
benchmark bench perf = speed
version = --version";

/// What people call the parts of a policy's name.
pub(super) const PARTS: &str = "\
geometric laplacian = laplace
normal gauss = gaussian
rr warner flip = response
krr grr = histogram-response
oue sue unary = basic-rappor
vector = sumvec
mean = average";
