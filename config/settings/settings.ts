/** Every setting of the product, declared once; nothing else reads the environment. */
import path from 'node:path'
import { root } from '#config/process/root.ts'
import { backupSettings } from './settings-backup.ts'
import { commandSettings } from './settings-command.ts'
import { cloudSettings } from './settings-cloud.ts'
import { quotaSettings } from './settings-quota.ts'
import { retentionSettings } from './settings-retention.ts'
import { sourceSettings } from './settings-source.ts'
import { storeSettings } from './settings-store.ts'
import { notificationSettings } from './settings-notification.ts'
import {
  setting,
  text,
  wholeNumber,
  word,
  yes,
  address,
  cidrs,
  list,
  contacts,
  longText,
  keys,
  type Setting,
} from './setting.ts'

const none = undefined as string | undefined

export const settings = {
  dataDir: setting(
    'TIDEMARK_DATA_DIR',
    path.join(root, 'data'),
    '',
    'Data folder: everything Tidemark stores on this machine.',
    (v) => path.resolve(v),
  ),
  host: setting('HOST', '127.0.0.1', '', 'Address the edge listens on.', text),
  port: setting('PORT', 8080, 'port', 'Port the edge listens on; 0 means any free port.', wholeNumber(0, 65535)),
  metricsPort: setting(
    'TIDEMARK_METRICS_PORT',
    0,
    'port',
    'Port of /metrics for Prometheus; 0 means any free port.',
    wholeNumber(0, 65535),
  ),
  metricsHost: setting('TIDEMARK_METRICS_HOST', '127.0.0.1', '', 'Address /metrics listens on.', text),
  publicUrl: setting(
    'PUBLIC_URL',
    none,
    '',
    'Public URL of the edge; default: the address it listens on.',
    address('http:', 'https:'),
  ),
  ...commandSettings,
  role: setting(
    'TIDEMARK_ROLE',
    'all' as 'all' | 'engine' | 'edge',
    '',
    'Role of this process: all, engine (lanes only) or edge (HTTP only).',
    word('all', 'engine', 'edge'),
  ),
  demo: setting(
    'TIDEMARK_DEMO',
    true,
    '',
    'Whether an empty data folder gets a demo organization with data from the simulated cloud.',
    yes,
  ),
  testHooks: setting(
    'TIDEMARK_TEST_HOOKS',
    false,
    '',
    'Test hooks: whether tests can change the clock and inject faults into the simulated cloud.',
    yes,
  ),
  ...storeSettings,
  analystsHost: setting(
    'TIDEMARK_ANALYSTS_HOST',
    '127.0.0.1',
    '',
    'Address of the ClickHouse endpoint for analysts.',
    text,
  ),
  analystsPort: setting(
    'TIDEMARK_ANALYSTS_PORT',
    0,
    'port',
    'Port of the ClickHouse endpoint for analysts; 0 picks a free port and keeps it.',
    wholeNumber(0, 65535),
  ),
  lanes: setting(
    'TIDEMARK_LANES',
    16,
    'lanes',
    'Number of lanes of the engine; cannot be changed after the first start.',
    wholeNumber(1, 256),
  ),
  laneProcesses: setting(
    'TIDEMARK_LANE_PROCESSES',
    1,
    'processes',
    'Processes on this machine that run lanes, including this one; each uses one core and up to 33 PostgreSQL connections.',
    wholeNumber(1, 32),
  ),
  laneBytes: setting(
    'TIDEMARK_LANE_BYTES',
    8 * 1024 ** 3,
    'bytes',
    'Maximum size of the stream of each lane; a full stream rejects new messages.',
    wholeNumber(1024 ** 2, 2 ** 50),
  ),
  laneKeep: setting(
    'TIDEMARK_LANE_KEEP',
    1_000_000,
    'messages',
    'Committed messages that each lane keeps for a restore, up to half of TIDEMARK_LANE_BYTES.',
    wholeNumber(0, 1e12),
  ),
  replacedBillsKeep: setting(
    'TIDEMARK_REPLACED_BILLS_KEEP',
    48,
    'hours',
    'How long the lines of replaced bill exports are kept, so that past figures can still be traced to their lines.',
    wholeNumber(1, 24 * 35),
  ),
  billUploadBytes: setting(
    'BILL_UPLOAD_BYTES',
    5 * 1024 ** 3,
    'bytes',
    'Maximum size of one bill upload, including the form.',
    wholeNumber(1024, 2 ** 50),
  ),
  batchMessages: setting(
    'TIDEMARK_BATCH_MESSAGES',
    5000,
    'messages',
    'Maximum messages per commit of a lane.',
    wholeNumber(1, 100_000),
  ),
  activations: setting(
    'TIDEMARK_ACTIVATIONS',
    20_000,
    'actors',
    'Actors that each lane keeps in memory.',
    wholeNumber(100, 10_000_000),
  ),
  echoes: setting(
    'TIDEMARK_ECHOES',
    100_000,
    'resources',
    'Resources per lane whose last discovery is remembered, to skip unchanged resources; 0 disables skipping.',
    wholeNumber(0, 10_000_000),
  ),
  answerCache: setting(
    'ANSWER_CACHE_MIB',
    32,
    'MiB',
    'Report cache of an edge, by JSON size; memory use is two to three times as much; entries are kept until their data changes; 0 disables the cache.',
    wholeNumber(0, 65_536),
  ),
  leaseMs: setting(
    'TIDEMARK_LEASE_MS',
    6000,
    'milliseconds',
    'Lease of a lane: how long a process can hang before another one takes over.',
    wholeNumber(500, 600_000),
  ),
  ingestMessages: setting(
    'INGEST_MESSAGES_PER_MINUTE',
    1_000_000,
    'messages per minute',
    'Messages per organization and lane from producers; above it, messages become dead letters (quota_exceeded); 0 means no limit.',
    wholeNumber(0, 1e12),
  ),
  ingestBytes: setting(
    'INGEST_BYTES_PER_MINUTE',
    4 * 1024 ** 3,
    'bytes per minute',
    'The same limit in bytes; 0 means no limit.',
    wholeNumber(0, 2 ** 50),
  ),
  deadLettersKeepDays: setting(
    'DEAD_LETTERS_KEEP_DAYS',
    30,
    'days',
    'How long dead letters are kept.',
    wholeNumber(1, 3650),
  ),
  deadLettersKeepBytes: setting(
    'DEAD_LETTERS_KEEP_BYTES',
    1024 ** 3,
    'bytes',
    'Maximum size of dead letters per organization; the oldest are deleted first.',
    wholeNumber(1024 ** 2, 2 ** 50),
  ),
  reportCost: setting(
    'REPORT_COST',
    'billed' as 'billed' | 'effective',
    '',
    'Default cost metric of reports.',
    word('billed', 'effective'),
  ),
  reportSavings: setting(
    'REPORT_SAVINGS',
    'reported' as 'reported' | 'verified',
    '',
    'Default savings basis of reports: observed or estimated savings, or only savings verified by bills.',
    word('reported', 'verified'),
  ),
  egressCidrs: setting(
    'EGRESS_CIDRS',
    [] as string[],
    '',
    'Outbound addresses of this service, as CIDR blocks, for access checks.',
    cidrs,
  ),
  allowPrivateAddresses: setting(
    'ALLOW_PRIVATE_ADDRESSES',
    false,
    '',
    'Whether URLs from customers (metric sources, OpenID providers) can use private addresses and http:.',
    yes,
  ),
  credentialsKey: setting(
    'CREDENTIALS_KEY',
    none,
    '',
    'Encryption key for cloud credentials and other secrets: 32 bytes in base64; several keys separated by commas, newest first; default: generated and stored in the data folder.',
    keys,
  ),
  internalTokenSecret: setting(
    'INTERNAL_TOKEN_SECRET',
    none,
    '',
    'Secret for signing internal service calls (HS256), at least 32 characters; default: derived from CREDENTIALS_KEY.',
    longText(32),
  ),
  securityEventsKeep: setting(
    'SECURITY_EVENTS_KEEP_DAYS',
    730,
    'days',
    'Retention of security events, in PostgreSQL and ClickHouse.',
    wholeNumber(30, 3650),
  ),
  exportsDir: setting(
    'EXPORTS_DIR',
    none,
    '',
    'Folder for exported files, shared by all edges; default: exports in the data folder.',
    (v) => path.resolve(v),
  ),
  appUrl: setting(
    'APP_URL',
    none,
    '',
    'Where users land after signing in with the identity provider of their organization, and from invitations; default: the console at /console/.',
    address('http:', 'https:'),
  ),
  securityContacts: setting(
    'SECURITY_CONTACT',
    [] as string[],
    '',
    'Contact for vulnerability reports in /.well-known/security.txt: mailto:, https: or tel: URLs, separated by commas; default: the security policy of the product.',
    contacts,
  ),
  ...notificationSettings,
  ...sourceSettings,
  googleIssuer: setting(
    'GOOGLE_ISSUER',
    'https://accounts.google.com',
    '',
    'OpenID provider for Google sign-in.',
    address('http:', 'https:'),
  ),
  googleClientIds: setting(
    'GOOGLE_CLIENT_IDS',
    [] as string[],
    '',
    'Client IDs accepted for Google sign-in, separated by commas; empty disables it.',
    list,
  ),
  githubUrl: setting(
    'GITHUB_URL',
    'https://github.com',
    '',
    'URL of GitHub or GitHub Enterprise.',
    address('http:', 'https:'),
  ),
  githubApiUrl: setting(
    'GITHUB_API_URL',
    'https://api.github.com',
    '',
    'API URL of GitHub or GitHub Enterprise.',
    address('http:', 'https:'),
  ),
  githubClientId: setting('GITHUB_CLIENT_ID', none, '', 'Client ID of the OAuth application for GitHub sign-in.', text),
  githubClientSecret: setting('GITHUB_CLIENT_SECRET', none, '', 'Client secret of that application.', text),
  corsOrigins: setting(
    'CORS_ORIGINS',
    [] as string[],
    '',
    'Allowed CORS origins, separated by commas; * allows any.',
    list,
  ),
  trustedProxies: setting(
    'TRUSTED_PROXIES',
    0,
    'proxies',
    'Number of proxies in front of the edge and the analyst endpoint whose X-Forwarded-For is trusted.',
    wholeNumber(0, 10),
  ),
  ...quotaSettings,
  ...retentionSettings,
  ...backupSettings,
  ...cloudSettings,
  logLevel: setting(
    'LOG_LEVEL',
    'warn' as const,
    '',
    'Minimum log level.',
    word('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  ),
  crashAt: setting(
    'TIDEMARK_CRASH_AT',
    none,
    '',
    'Test hooks only: `<point>:<n>` ends the process at the n-th pass of a commit point, or at `carried-out`, before a POST with an Idempotency-Key is answered.',
    text,
  ),
}

export type Settings = {
  [K in keyof typeof settings]: (typeof settings)[K]['fallback'] extends never[]
    ? string[]
    : SettingValue<(typeof settings)[K]>
}
type SettingValue<S> = S extends Setting<infer T> ? T : never

/** @throws Error naming every invalid variable and what it must be */
export function readSettings(environment: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const problems: string[] = []
  const read = Object.entries(settings).map(([field, { name, fallback, read: parse }]) => {
    const value = environment[name]
    if (value === undefined || value === '') return [field, fallback]
    try {
      return [field, parse(value)]
    } catch (error) {
      // Addresses contain passwords, and this is written to the log.
      problems.push(
        `${/_(URL|KEY|SECRET|SHARDS|TOKEN|PREVIOUS)$/.test(name) ? name : `${name}=${value}`} ${(error as Error).message}`,
      )
      return [field, fallback]
    }
  })
  if (problems.length > 0) throw new Error(`Invalid settings:\n  ${problems.join('\n  ')}`)
  return Object.fromEntries(read) as Settings
}
