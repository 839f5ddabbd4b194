/** Settings of what callers, people and organizations may take at most. */
import { signUps, type SignUp } from '#http/identity/sign-up.ts'
import { setting, whole, word } from '#config/setting.ts'

/** A limit that 0 switches off. */
const limit = whole(0, 1_000_000)

export const quotaSettings = {
  signUp: setting(
    'SIGN_UP',
    undefined as SignUp | undefined,
    '',
    'Who may make an account: anyone (open), people whom an organization invited or whose identity provider vouches for them (invited), nobody (closed); unless set, open where HOST and PUBLIC_URL are of this machine alone, else invited.',
    word(...signUps),
  ),
  organizationsOwned: setting(
    'ORGANIZATIONS_PER_PERSON',
    3,
    'organizations',
    'What a person may own when they make another organization; 0 is no limit.',
    limit,
  ),
  organizationsPerDay: setting(
    'ORGANIZATIONS_PER_DAY',
    10,
    'organizations a day',
    'What a person, and an address or a network of IPv6, may make; 0 is no limit.',
    limit,
  ),
  rateLimit: setting(
    'RATE_LIMIT',
    600,
    'requests a minute',
    'What an organization may ask, of all edges together; 0 is no limit.',
    limit,
  ),
  rateLimitBurst: setting(
    'RATE_LIMIT_BURST',
    120,
    'requests',
    'What an organization may ask at once, and a person.',
    whole(1, 1_000_000),
  ),
  personRateLimit: setting(
    'PERSON_RATE_LIMIT',
    undefined as number | undefined,
    '',
    'Requests a minute that a person, or a token of a machine, may make in all organizations together; as RATE_LIMIT unless set, and 0 is no limit.',
    limit,
  ),
  authRateLimit: setting(
    'AUTH_RATE_LIMIT',
    20,
    'requests a minute',
    'What an address, or a network of IPv6, may ask of /auth; 0 is no limit.',
    limit,
  ),
  inboundRateLimit: setting(
    'INBOUND_RATE_LIMIT',
    600,
    'requests a minute',
    'What an address, or a network of IPv6, may fetch of exported files by their links, and send of webhooks and reports of builders; 0 is no limit.',
    limit,
  ),
  reportsAtOnce: setting(
    'REPORTS_AT_ONCE',
    10,
    'questions',
    'Questions of reports that an edge asks ClickHouse at once, and half as many whose answers are read row by row; a person or an organization may have seven tenths of them.',
    whole(2, 1000),
  ),
  exportsAtOnce: setting(
    'EXPORTS_AT_ONCE',
    3,
    'exports',
    'Files that are written at once for a person, and for an organization; 0 is no limit.',
    limit,
  ),
  exportsPerHour: setting(
    'EXPORTS_PER_HOUR',
    20,
    'exports an hour',
    'Files that a person, and an organization, may ask for; 0 is no limit.',
    limit,
  ),
  exportBytes: setting(
    'EXPORT_BYTES_KEPT',
    5 * 1024 ** 3,
    'bytes',
    'What the exported files of a person, and of an organization, may take together.',
    whole(1024 ** 2, 2 ** 50),
  ),
  exportDisk: setting(
    'EXPORT_DISK_PERCENT',
    20,
    '% of the disk',
    'What all exported files may take of the disk that EXPORTS_DIR is on; beyond it the oldest files go first, of the organization that keeps the most.',
    whole(1, 100),
  ),
  idempotentAnswers: setting(
    'IDEMPOTENT_ANSWERS_KEPT',
    200_000,
    'answers',
    'Requests under an Idempotency-Key that are remembered for an organization, each for a day; 0 is no limit.',
    whole(0, 100_000_000),
  ),
  idempotentBytes: setting(
    'IDEMPOTENT_BYTES_KEPT',
    256 * 1024 ** 2,
    'bytes',
    'What their answers may take together; of the oldest is then remembered only that they were given.',
    whole(1024 ** 2, 2 ** 50),
  ),
}

/** Who may make an account: without a word of the operator anyone on this machine, and elsewhere those who are invited. */
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
