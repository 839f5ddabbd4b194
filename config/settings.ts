/** Every setting of the product, declared once; nothing else reads the environment. */
import path from 'node:path'
import { socketProtocol } from '#config/embedded/address.ts'
import { root } from '#config/root.ts'
import { cloudSettings } from '#config/settings-cloud.ts'
import { quotaSettings } from '#config/settings-quota.ts'
import { sourceSettings } from '#config/settings-source.ts'
import { told } from '#config/settings-told.ts'
import {
  setting,
  text,
  whole,
  word,
  yes,
  address,
  addresses,
  cidrs,
  list,
  contacts,
  longText,
  keys,
  type Setting,
} from '#config/setting.ts'

const none = undefined as string | undefined

export const settings = {
  dataDir: setting(
    'TIDEMARK_DATA_DIR',
    path.join(root, 'data'),
    '',
    'Folder of everything the product keeps on this machine.',
    (v) => path.resolve(v),
  ),
  host: setting('HOST', '127.0.0.1', '', 'Address the edge listens on.', text),
  port: setting('PORT', 8080, 'port', 'Port the edge listens on; 0 takes any free one.', whole(0, 65535)),
  metricsPort: setting(
    'TIDEMARK_METRICS_PORT',
    0,
    'port',
    'Port of /metrics for Prometheus; 0 takes any free one.',
    whole(0, 65535),
  ),
  metricsHost: setting('TIDEMARK_METRICS_HOST', '127.0.0.1', '', 'Address /metrics listens on.', text),
  publicUrl: setting(
    'PUBLIC_URL',
    none,
    '',
    'Where callers reach the edge; the address it listens on unless set.',
    address('http:', 'https:'),
  ),
  token: setting('TIDEMARK_TOKEN', none, '', 'Token that `tidemark mcp` asks with.', text),
  role: setting(
    'TIDEMARK_ROLE',
    'all' as 'all' | 'engine' | 'edge',
    '',
    'What this process does: all, engine (lanes only) or edge (HTTP only).',
    word('all', 'engine', 'edge'),
  ),
  demo: setting(
    'TIDEMARK_DEMO',
    true,
    '',
    'Whether an empty data folder gets a demo organization fed by the simulated cloud.',
    yes,
  ),
  testHooks: setting(
    'TIDEMARK_TEST_HOOKS',
    false,
    '',
    'Whether tests may move the clock and break the simulated cloud from outside.',
    yes,
  ),
  postgresUrl: setting(
    'POSTGRES_URL',
    none,
    '',
    'PostgreSQL to use instead of the embedded one.',
    address('postgres:', 'postgresql:'),
  ),
  natsUrl: setting(
    'NATS_URL',
    none,
    '',
    'NATS servers to use instead of the embedded one, separated by commas; they must map ingest subjects to lanes.',
    addresses('nats:', 'tls:', 'ws:', 'wss:'),
  ),
  clickhouseUrl: setting(
    'CLICKHOUSE_URL',
    none,
    '',
    'ClickHouse to use instead of the embedded one, with user, password and database.',
    address('http:', 'https:', socketProtocol),
  ),
  clickhouseAnalystsUrl: setting(
    'CLICKHOUSE_ANALYSTS_URL',
    none,
    '',
    'That ClickHouse as the user whom `tidemark analyst rights` makes, who asks for analysts; without it they are not served.',
    address('http:', 'https:'),
  ),
  analystsHost: setting('TIDEMARK_ANALYSTS_HOST', '127.0.0.1', '', 'Address where analysts ask ClickHouse.', text),
  analystsPort: setting(
    'TIDEMARK_ANALYSTS_PORT',
    0,
    'port',
    'Port where analysts ask ClickHouse; 0 takes a free one and keeps it.',
    whole(0, 65535),
  ),
  storesWait: setting(
    'TIDEMARK_STORES_WAIT',
    60,
    'seconds',
    'How long a start waits for a store that is away before it gives up.',
    whole(0, 3600),
  ),
  natsServerBin: setting('NATS_SERVER_BIN', none, '', 'The nats-server program to start.', text),
  searchPath: setting('PATH', '', '', 'Folders where nats-server is looked for.', text),
  lanes: setting(
    'TIDEMARK_LANES',
    16,
    'lanes',
    'Lanes of the engine; fixed once a data folder or a set of stores has been used.',
    whole(1, 256),
  ),
  laneProcesses: setting(
    'TIDEMARK_LANE_PROCESSES',
    1,
    'processes',
    'Processes of this machine that run lanes, this one among them; each uses a core, and 33 connections of PostgreSQL at most.',
    whole(1, 32),
  ),
  streamReplicas: setting(
    'TIDEMARK_STREAM_REPLICAS',
    1,
    'servers',
    'Servers of a NATS cluster that hold a copy of each stream this process creates.',
    whole(1, 5),
  ),
  laneBytes: setting(
    'TIDEMARK_LANE_BYTES',
    8 * 1024 ** 3,
    'bytes',
    'What the stream of a lane may hold; a full one refuses publishes.',
    whole(1024 ** 2, 2 ** 50),
  ),
  laneKeep: setting(
    'TIDEMARK_LANE_KEEP',
    1_000_000,
    'messages',
    'Committed messages a lane keeps for a restore, at most what half of TIDEMARK_LANE_BYTES holds.',
    whole(0, 1e12),
  ),
  replacedBillsKeep: setting(
    'TIDEMARK_REPLACED_BILLS_KEEP',
    48,
    'hours',
    'How long the lines of a replaced export of a bill are kept, so that figures of then can be asked for their lines.',
    whole(1, 24 * 35),
  ),
  billUploadBytes: setting(
    'BILL_UPLOAD_BYTES',
    5 * 1024 ** 3,
    'bytes',
    'What one upload of a bill may have, its form included.',
    whole(1024, 2 ** 50),
  ),
  batchMessages: setting(
    'TIDEMARK_BATCH_MESSAGES',
    5000,
    'messages',
    'Messages a lane commits together at most.',
    whole(1, 100_000),
  ),
  activations: setting('TIDEMARK_ACTIVATIONS', 20_000, 'actors', 'Actor rows a lane keeps.', whole(100, 10_000_000)),
  echoes: setting(
    'TIDEMARK_ECHOES',
    100_000,
    'resources',
    'Resources of which a lane remembers how they were found: found the same again, no turn is run. 0 runs all.',
    whole(0, 10_000_000),
  ),
  answerCache: setting(
    'ANSWER_CACHE_MIB',
    32,
    'MiB',
    'Answers of reports that an edge keeps until what they are of changes, by their JSON: memory holds two to three times as much. 0 keeps none.',
    whole(0, 65_536),
  ),
  leaseMs: setting(
    'TIDEMARK_LEASE_MS',
    6000,
    'milliseconds',
    'How long a lane waits for a process that hangs.',
    whole(500, 600_000),
  ),
  ingestMessages: setting(
    'INGEST_MESSAGES_PER_MINUTE',
    1_000_000,
    'messages a minute',
    'What the producers of an organization may send through one lane; more is set aside as quota_exceeded, and 0 is no limit.',
    whole(0, 1e12),
  ),
  ingestBytes: setting(
    'INGEST_BYTES_PER_MINUTE',
    4 * 1024 ** 3,
    'bytes a minute',
    'The same in bytes; 0 is no limit.',
    whole(0, 2 ** 50),
  ),
  deadLettersKeepDays: setting(
    'DEAD_LETTERS_KEEP_DAYS',
    30,
    'days',
    'How long messages that were set aside are kept.',
    whole(1, 3650),
  ),
  deadLettersKeepBytes: setting(
    'DEAD_LETTERS_KEEP_BYTES',
    1024 ** 3,
    'bytes',
    'What an organization may have of messages that were set aside; the oldest go first.',
    whole(1024 ** 2, 2 ** 50),
  ),
  reportCost: setting(
    'REPORT_COST',
    'billed' as 'billed' | 'effective',
    '',
    'Which cost reports show unless asked for another.',
    word('billed', 'effective'),
  ),
  reportSavings: setting(
    'REPORT_SAVINGS',
    'reported' as 'reported' | 'verified',
    '',
    'Which savings reports show unless asked for others: what was seen or estimated, or only what bills prove.',
    word('reported', 'verified'),
  ),
  egressCidrs: setting(
    'EGRESS_CIDRS',
    [] as string[],
    '',
    'Addresses this service calls from, as CIDR blocks, for access checks.',
    cidrs,
  ),
  allowPrivateAddresses: setting(
    'ALLOW_PRIVATE_ADDRESSES',
    false,
    '',
    'Whether addresses that customers give (values to pull, OpenID providers) may be private ones, and http: as well.',
    yes,
  ),
  credentialsKey: setting(
    'CREDENTIALS_KEY',
    none,
    '',
    'Key that seals cloud credentials and other secrets, 32 bytes in base64; several by commas, newest first; made and kept in the data folder unless set.',
    keys,
  ),
  internalTokenSecret: setting(
    'INTERNAL_TOKEN_SECRET',
    none,
    '',
    'What calls of our own services are signed with (HS256), 32 characters at least; follows from CREDENTIALS_KEY unless set.',
    longText(32),
  ),
  securityEventsKeep: setting(
    'SECURITY_EVENTS_KEEP_DAYS',
    730,
    'days',
    'How long security events are kept, in PostgreSQL and in ClickHouse.',
    whole(30, 3650),
  ),
  exportsDir: setting(
    'EXPORTS_DIR',
    none,
    '',
    'Folder of exported files, which edges share; exports in the data folder unless set.',
    (v) => path.resolve(v),
  ),
  appUrl: setting(
    'APP_URL',
    none,
    '',
    'Where people are sent after signing in at a provider of their organization, and by invitations; the console at /console/ unless set.',
    address('http:', 'https:'),
  ),
  securityContacts: setting(
    'SECURITY_CONTACT',
    [] as string[],
    '',
    'Where weaknesses of this installation are reported, in /.well-known/security.txt: mailto:, https: or tel:, several by commas; the policy of the product unless set.',
    contacts,
  ),
  ...told,
  ...sourceSettings,
  googleIssuer: setting(
    'GOOGLE_ISSUER',
    'https://accounts.google.com',
    '',
    'The OpenID provider behind sign-in by Google.',
    address('http:', 'https:'),
  ),
  googleClientIds: setting(
    'GOOGLE_CLIENT_IDS',
    [] as string[],
    '',
    'Client ids whose ID tokens sign in, separated by commas; none switches it off.',
    list,
  ),
  githubUrl: setting(
    'GITHUB_URL',
    'https://github.com',
    '',
    'GitHub, or a GitHub Enterprise.',
    address('http:', 'https:'),
  ),
  githubApiUrl: setting(
    'GITHUB_API_URL',
    'https://api.github.com',
    '',
    'The API of that GitHub.',
    address('http:', 'https:'),
  ),
  githubClientId: setting('GITHUB_CLIENT_ID', none, '', 'The OAuth application behind sign-in by GitHub.', text),
  githubClientSecret: setting('GITHUB_CLIENT_SECRET', none, '', 'Its secret.', text),
  corsOrigins: setting(
    'CORS_ORIGINS',
    [] as string[],
    '',
    'Origins of pages that may call the edge, separated by commas; * is any.',
    list,
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    0,
    'proxies',
    'Proxies in front of the edge, and of the port of analysts, whose X-Forwarded-For is believed.',
    whole(0, 10),
  ),
  ...quotaSettings,
  ...cloudSettings,
  logLevel: setting(
    'LOG_LEVEL',
    'warn' as const,
    '',
    'The least severe log line that is written.',
    word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  crashAt: setting(
    'TIDEMARK_CRASH_AT',
    none,
    '',
    'Test hooks only: `<point>:<n>` ends the process at the n-th pass of a point of the commit, or of `carried-out`, before a POST under an Idempotency-Key is answered.',
    text,
  ),
}

export type Settings = {
  [K in keyof typeof settings]: (typeof settings)[K]['fallback'] extends never[]
    ? string[]
    : Widened<(typeof settings)[K]>
}
type Widened<S> = S extends Setting<infer T> ? T : never

/** @throws Error naming every variable that is wrong, and what it must be */
export function readSettings(environment: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const problems: string[] = []
  const read = Object.entries(settings).map(([field, { name, fallback, read: parse }]) => {
    const value = environment[name]
    if (value === undefined || value === '') return [field, fallback]
    try {
      return [field, parse(value)]
    } catch (error) {
      // Addresses hold passwords, and this goes to the log.
      problems.push(
        `${/_(URL|KEY|SECRET|TOKEN|PREVIOUS)$/.test(name) ? name : `${name}=${value}`} ${(error as Error).message}`,
      )
      return [field, fallback]
    }
  })
  if (problems.length > 0) throw new Error(`Wrong settings:\n  ${problems.join('\n  ')}`)
  return Object.fromEntries(read) as Settings
}
