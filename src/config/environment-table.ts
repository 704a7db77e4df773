/** What the variables of the environment mean, and who reads them. Their form is in environment-variables.ts, and so are defaults. */

/** Who reads a variable. */
export type Reader = 'server' | 'command line' | 'both' | 'run';

export interface Variable {
  readonly name: string;
  /** The variable that names a file with the value instead. */
  readonly file?: string;
  readonly meaning: string;
  /** What holds where it is absent, if the code says that in another way than by a default. */
  readonly absent?: string;
}

export interface Topic {
  readonly title: string;
  readonly text?: string;
  readonly readBy: Reader;
  readonly variables: readonly Variable[];
}

/** All that are read, by what they are about, in the order of the page. */
export const VARIABLES: readonly Topic[] = [
  {
    title: 'The App',
    readBy: 'server',
    variables: [
      { name: 'APP_ID', meaning: 'the id of the App' },
      {
        name: 'PRIVATE_KEY',
        file: 'PRIVATE_KEY_PATH',
        absent: 'required',
        meaning: 'its private key: PEM, PEM on one line with `\\n`, or base64 of PEM',
      },
      {
        name: 'PRIVATE_KEY_PREVIOUS',
        file: 'PRIVATE_KEY_PREVIOUS_PATH',
        meaning:
          'former private keys of the App, in the same forms, one after the other: records that they sealed still count',
      },
      {
        name: 'SEAL_KEYS',
        file: 'SEAL_KEYS_PATH',
        absent: 'the private key seals',
        meaning:
          'keys that seal records on the forge, newest first, one per line or separated by commas; see [replacing keys](installing.md#replacing-keys)',
      },
      { name: 'WEBHOOK_SECRET', meaning: "the webhook's secret" },
      { name: 'WEBHOOK_SECRET_PREVIOUS', meaning: 'the previous secret, while you change it' },
      {
        name: 'WEBHOOK_PROXY_URL',
        meaning:
          'the channel of a relay (`https://smee.io/…`), for a machine that the forge cannot reach; see [webhooks on a laptop](installing.md#webhooks-on-a-laptop)',
      },
      {
        name: 'COMMITTER',
        absent: "the account of the App's bot, so that GitHub links them to it",
        meaning: '`Name <address>` of commits and tags',
      },
      {
        name: 'SIGNING_KEY',
        file: 'SIGNING_KEY_PATH',
        meaning:
          'an unencrypted Ed25519 SSH key that signs every commit and tag; needs `COMMITTER`; see [signatures](installing.md#signatures)',
      },
    ],
  },
  {
    title: 'The forge',
    readBy: 'server',
    variables: [
      {
        name: 'GHE_HOST',
        absent: 'github.com',
        meaning:
          'the host of a GitHub Enterprise Server, or of a tenant with data residency (`SUBDOMAIN.ghe.com`, whose API is at `api.SUBDOMAIN.ghe.com`)',
      },
      { name: 'GHE_PROTOCOL', meaning: '`https`, or `http` for a host without TLS' },
      {
        name: 'CONTENT_PER_MINUTE',
        meaning:
          "how much content Portico may create in a minute, per installation; GitHub's documented limit",
      },
      { name: 'CONTENT_PER_HOUR', meaning: 'the same in an hour' },
      {
        name: 'POINTS_PER_MINUTE',
        meaning:
          "API points per installation and minute, where a read is one point and a write five; GitHub's documented limit. Divide it by the number of processes. For a GitHub Enterprise Server, these three have no limit by default: set them if its administrators set one",
      },
      {
        name: 'FORGE_RETRY_MS',
        meaning:
          'first pause in milliseconds before a GitHub call is retried; a refused new token, and a temporarily refused merge, wait multiples of it',
      },
    ],
  },
  {
    title: 'The server and its storage',
    readBy: 'server',
    variables: [
      { name: 'HOST', meaning: 'address to listen on' },
      { name: 'PORT', meaning: 'port to listen on' },
      {
        name: 'TRUSTED_PROXIES',
        meaning:
          'addresses or networks (`10.0.0.0/8`) of proxies in front of the server, separated by commas: their `X-Forwarded-For` is trusted for [limits per sender](installing.md#the-door)',
      },
      { name: 'PORTICO_DATA', meaning: 'directory of the git mirrors and of the embedded database' },
      {
        name: 'DATABASE_URL',
        absent: 'an embedded database in `PORTICO_DATA`, for a single process',
        meaning: 'PostgreSQL: `postgres://…`',
      },
      { name: 'API', meaning: '`on` or `off`: whether [the API](api.md) answers below `/api/v1/`' },
    ],
  },
  {
    title: 'Logs, metrics and traces',
    readBy: 'server',
    variables: [
      { name: 'LOG_LEVEL', meaning: '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`' },
      { name: 'LOG_FORMAT', meaning: '`json`, `text`, or `auto`: text on a terminal, JSON elsewhere' },
      { name: 'METRICS', meaning: '`on` or `off`: whether [`/metrics`](metrics.md) answers' },
      {
        name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
        absent: 'no traces',
        meaning: 'address of an OpenTelemetry collector; each delivery is then one trace',
      },
      {
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        meaning:
          'headers for the collector, such as a key; a standard OpenTelemetry variable, like the others with this prefix',
      },
    ],
  },
  {
    title: 'Timing',
    readBy: 'server',
    variables: [
      {
        name: 'SWEEP_MINUTES',
        meaning:
          "how often everything is looked at for lost webhooks. Large installations are gone through more slowly: no faster than half of GitHub's hourly limit allows (1,000 repositories in 116 minutes)",
      },
      {
        name: 'SOURCE_MINUTES',
        absent: '15, or a little less than a sweep',
        meaning:
          'how long the answer is used to where a [source](sources.md#updates) leads, before it is asked for again',
      },
      {
        name: 'DASHBOARD_SECONDS',
        absent: '30; 3 for a new dashboard, 45 for publications',
        meaning:
          'how long a dashboard, and the downstream progress of a publication, collect changes before they are written',
      },
      {
        name: 'AUTOMERGE_SETTLE_SECONDS',
        meaning: 'how long an update waits for CI to start before it [merges automatically](lifecycle.md)',
      },
    ],
  },
  {
    title: 'Rollouts',
    readBy: 'server',
    variables: [
      {
        name: 'GATE_HOSTS',
        meaning:
          'hosts (`prometheus.example.com`, with a port if need be) that gates of rollouts may ask, separated by commas: of all accounts, or of one (`acme/prometheus.example.com`). If the App has several installations, name the account, because anyone who writes a rollout can have the server ask; hosts in your own network must be in `INSIDE_HOSTS` as well',
      },
      {
        name: 'NOTIFY_URL',
        meaning:
          'where to report rollouts that stop, are rolled back, wait too long or need an approval (`type`: `rollout.stopped`, `rollout.rolled-back`, `rollout.waiting`, `rollout.approval-needed`): a POST of JSON, repeated for about 40 minutes until it is answered with 2xx. An address in your own network must be listed in `INSIDE_HOSTS`',
      },
      {
        name: 'NOTIFY_SECRET',
        meaning:
          'signs the body: `X-Portico-Signature-256: sha256=…` (HMAC), as GitHub signs webhooks. `X-Portico-Delivery` stays the same when a report is repeated',
      },
      {
        name: 'NOTIFY_FORMAT',
        meaning:
          '`json`, or `slack` for `{"text": …}`, as incoming webhooks of Slack, Mattermost and others expect it',
      },
    ],
  },
  {
    title: 'Sources and registries',
    readBy: 'both',
    variables: [
      {
        name: 'INSIDE_HOSTS',
        absent: 'none',
        meaning:
          'hosts of your own network that [registries](oci.md) and other user-supplied addresses may use, separated by commas: `registry.corp.example:5000`, or `http://registry.corp.example` without TLS',
      },
      {
        name: 'PORTICO_CREDENTIALS',
        meaning:
          'file of credentials for [sources](sources.md#credentials-and-addresses), [private upstreams](drafts.md#private-upstreams) and [registries](oci.md#published-by-the-app), which packages and repositories refer to by name',
      },
      {
        name: 'OUTSIDE_MAX_MB',
        meaning:
          'maximum size of a repository outside the installations that packages are cloned from; a larger one is refused. Read by the server alone',
      },
      {
        name: 'PORTICO_HELM',
        absent: 'on `PATH`',
        meaning:
          'the file of Helm, if it is not on `PATH` or there are several: see [processors](processors.md)',
      },
      { name: 'PORTICO_KUSTOMIZE', absent: 'on `PATH`', meaning: 'the file of kustomize' },
    ],
  },
  {
    title: 'Functions',
    text: 'See [functions that are not built in](functions.md#functions-that-are-not-built-in) and [on Kubernetes](functions.md#on-kubernetes).',
    readBy: 'both',
    variables: [
      {
        name: 'PORTICO_CONTAINERS',
        absent: '`off`',
        meaning:
          '`podman`, `docker`, `nerdctl`, or `auto` for the first of them that is installed, runs functions that a repository allows as containers, `kubernetes` as Jobs',
      },
      { name: 'PORTICO_CONTAINER_FLAGS', meaning: 'options of `run` that this machine needs' },
      {
        name: 'PORTICO_FUNCTIONS_NAMESPACE',
        absent: '`portico-functions`',
        meaning: 'on Kubernetes: the namespace of functions',
      },
      {
        name: 'PORTICO_FUNCTIONS_PULL_SECRETS',
        meaning:
          'on Kubernetes: names of Secrets in that namespace, separated by commas, with which images are pulled from private registries',
      },
      {
        name: 'PORTICO_KUBERNETES_URL',
        absent: 'the cluster of the pod',
        meaning: "outside of a pod: the API server's address",
      },
      {
        name: 'PORTICO_KUBERNETES_TOKEN_FILE',
        absent: "that of the pod's service account",
        meaning: 'outside of a pod: the file of a bearer token',
      },
      {
        name: 'PORTICO_KUBERNETES_CA_FILE',
        absent: "that of the pod's service account",
        meaning: "outside of a pod: the certificates of the API server's authority",
      },
      {
        name: 'PORTICO_WASM_SANDBOX',
        absent: 'refused without bubblewrap',
        meaning:
          '`optional` runs WebAssembly functions even if bubblewrap is missing. Read by the server alone',
      },
      {
        name: 'PORTICO_EXEC_SANDBOX',
        absent: 'on, where bubblewrap works',
        meaning:
          '`off` runs programs as functions with all your rights. Read by the command line alone, as the next two',
      },
      {
        name: 'PORTICO_EXEC_READ',
        meaning: 'files and directories that programs as functions may read, separated by `:`',
      },
      { name: 'PORTICO_EXEC_ENV', meaning: 'variables that such programs get, separated by commas' },
      {
        name: 'KPT_IMAGE_PREFIX',
        absent: "kpt's catalog",
        meaning: 'registry of function images that name none, unless `--image-prefix` is given',
      },
      {
        name: 'XDG_STATE_HOME',
        absent: '`~/.local/state`',
        meaning: 'where `portico update` keeps open conflicts and replaced files of packages outside of git',
      },
    ],
  },
  {
    title: 'Networks',
    text: 'These are variables of Node, git and TLS libraries, passed on.',
    readBy: 'both',
    variables: [
      {
        name: 'HTTPS_PROXY',
        meaning:
          'proxy for https, in upper or lower case; git always uses it, API calls only if `NODE_USE_ENV_PROXY` is also set. The names of upstreams outside must be resolved on this machine all the same, or stand in `INSIDE_HOSTS`',
      },
      { name: 'HTTP_PROXY', meaning: 'the same for http' },
      { name: 'ALL_PROXY', meaning: 'the same for both' },
      { name: 'NO_PROXY', meaning: 'hosts that are reached without a proxy' },
      { name: 'NODE_USE_ENV_PROXY', meaning: '`1` lets Node use the proxies' },
      { name: 'NODE_EXTRA_CA_CERTS', meaning: 'certificates of your own authorities, for API calls' },
      { name: 'SSL_CERT_FILE', meaning: 'the same for git' },
      { name: 'SSL_CERT_DIR', meaning: 'the same for git, as a directory' },
      { name: 'GIT_SSL_CAINFO', meaning: 'the same for git alone' },
    ],
  },
  {
    title: 'At a terminal',
    readBy: 'command line',
    variables: [
      {
        name: 'FORGE_TOKEN',
        meaning: 'the token with which [`portico migrate --push`](migration.md) opens pull requests',
      },
      {
        name: 'PORTICO_URL',
        absent: '`http://localhost:3000`',
        meaning: 'address of the server that `portico why` asks',
      },
      { name: 'GH_TOKEN', meaning: 'what `portico why` may read, where `GITHUB_TOKEN` is not set' },
      {
        name: 'REGISTRY_AUTH_FILE',
        meaning: 'where skopeo keeps registry credentials, as in that program',
      },
      { name: 'DOCKER_CONFIG', absent: '`~/.docker`', meaning: "Docker's directory, for the same" },
      { name: 'XDG_RUNTIME_DIR', meaning: 'where podman keeps them, as in that program' },
      {
        name: 'XDG_CACHE_HOME',
        absent: '`~/.cache`',
        meaning:
          'holds the directory `portico`, with compiled code: it makes a start faster, and may be deleted; absolute, and writable by no one else',
      },
      { name: 'NO_COLOR', meaning: 'text without colours' },
      { name: 'FORCE_COLOR', meaning: 'colours where the output is no terminal, too' },
      { name: 'TERM', meaning: '`dumb` means: no colours, and no line that shows what is being done' },
      { name: 'PORTICO_DEBUG', meaning: 'shows where a bug in Portico happened' },
    ],
  },
  {
    title: 'Without a server',
    text: 'With `APP_ID` the App acts, else the token of the workflow: see [one-shot runs](one-shot.md).',
    readBy: 'run',
    variables: [
      { name: 'GITHUB_TOKEN', meaning: 'the token of the workflow; it needs `SEAL_KEYS`, too' },
      { name: 'GITHUB_REPOSITORY', meaning: '`owner/name` of the repository that the token is for' },
      { name: 'GITHUB_API_URL', absent: 'github.com', meaning: "address of the forge's API" },
      { name: 'GITHUB_SERVER_URL', absent: 'github.com', meaning: 'address of its repositories and pages' },
    ],
  },
];
