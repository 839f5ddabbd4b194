/** Settings that limit callers, people and organizations. */
import { signUps, type SignUp } from '#http/identity/session/sign-up.ts'
import { setting, wholeNumber, word } from './setting.ts'

/** A limit that 0 turns off. */
const limit = wholeNumber(0, 1_000_000)

export const quotaSettings = {
  signUp: setting(
    'SIGN_UP',
    undefined as SignUp | undefined,
    '',
    'Who can sign up: anyone (open), people with an invitation or an identity provider (invited), or no one (closed); default: open if HOST and PUBLIC_URL are local to this machine, otherwise invited.',
    word(...signUps),
  ),
  organizationsOwned: setting(
    'ORGANIZATIONS_PER_PERSON',
    3,
    'organizations',
    'Maximum organizations that one person can own; 0 means no limit.',
    limit,
  ),
  organizationsPerDay: setting(
    'ORGANIZATIONS_PER_DAY',
    10,
    'organizations per day',
    'New organizations per person, and per IPv4 address or IPv6 network; 0 means no limit.',
    limit,
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    600,
    'requests per minute',
    'Requests per organization, across all edges; 0 means no limit.',
    limit,
  ),
  rateLimitBurst: setting(
    'RATE_LIMIT_BURST',
    120,
    'requests',
    'Burst size per organization, and per person.',
    wholeNumber(1, 1_000_000),
  ),
  personRateLimit: setting(
    'PERSON_RATE_LIMIT',
    undefined as number | undefined,
    '',
    'Requests per minute per person or machine token, across all organizations; default: RATE_LIMIT; 0 means no limit.',
    limit,
  ),
  authRateLimit: setting(
    'AUTH_RATE_LIMIT',
    20,
    'requests per minute',
    'Requests to /auth per IPv4 address or IPv6 network; 0 means no limit.',
    limit,
  ),
  inboundRateLimit: setting(
    'INBOUND_RATE_LIMIT',
    600,
    'requests per minute',
    'Downloads of exported files by link, webhooks and builder callbacks per IPv4 address or IPv6 network; 0 means no limit.',
    limit,
  ),
  reportsAtOnce: setting(
    'REPORTS_AT_ONCE',
    10,
    'questions',
    'Concurrent ClickHouse report queries per edge, plus half as many queries whose results are streamed row by row; one person or organization can use up to 70% of them.',
    wholeNumber(2, 1000),
  ),
  exportsAtOnce: setting(
    'EXPORTS_AT_ONCE',
    3,
    'exports',
    'Concurrent exports per person, and per organization; 0 means no limit.',
    limit,
  ),
  exportsPerHour: setting(
    'EXPORTS_PER_HOUR',
    20,
    'exports per hour',
    'Exports per person, and per organization; 0 means no limit.',
    limit,
  ),
  exportBytes: setting(
    'EXPORT_BYTES_KEPT',
    5 * 1024 ** 3,
    'bytes',
    'Total size of exported files per person, and per organization.',
    wholeNumber(1024 ** 2, 2 ** 50),
  ),
  exportDisk: setting(
    'EXPORT_DISK_PERCENT',
    20,
    '% of the disk',
    'Disk share of all exported files, on the disk of EXPORTS_DIR; above it, the oldest files of the organization with the most data are deleted first.',
    wholeNumber(1, 100),
  ),
  idempotentAnswers: setting(
    'IDEMPOTENT_ANSWERS_KEPT',
    200_000,
    'answers',
    'Requests with an Idempotency-Key remembered per organization, each for one day; 0 means no limit.',
    wholeNumber(0, 100_000_000),
  ),
  idempotentBytes: setting(
    'IDEMPOTENT_BYTES_KEPT',
    256 * 1024 ** 2,
    'bytes',
    'Total size of their stored responses; above it, the oldest responses are dropped and only the keys are kept.',
    wholeNumber(1024 ** 2, 2 ** 50),
  ),
}

/** Who may create an account: by default anyone on a local installation, otherwise people with an invitation. */
export const signUpBy = ({
  signUp,
  host,
  publicUrl,
}: {
  signUp: SignUp | undefined
  host: string
  publicUrl: string | undefined
}): SignUp => signUp ?? ([host, publicUrl && new URL(publicUrl).hostname].every(isOfThisMachine) ? 'open' : 'invited')

const isOfThisMachine = (host: string | undefined): boolean =>
  host === undefined || /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
