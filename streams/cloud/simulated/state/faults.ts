import { t, type Static } from '#engine/value/schema.ts'
import { actionKinds, buckets, changingCalls, cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { text } from '#streams/text.ts'
import type { Detail, Fault } from '#engine/value/fault.ts'

/** All calls, and those for parts that connectors return one after another. */
const calls = [
  'verify',
  'discover',
  'measure',
  'usage',
  'bill',
  ...actionKinds,
  'access',
  'look',
  'state',
  'capacity',
  'describe',
  'policies',
  'quotas',
  ...changingCalls,
  'createUser',
  'revokeUser',
  'putObject',
  'listObjects',
  'deleteObject',
] as const

const ofResources = [...actionKinds, 'access', 'look', 'policies', 'quotas', 'replacePolicies']

export type CallName = (typeof calls)[number] | `provision.${string}` | `unprovision.${string}`

interface KnownFault {
  bucket: Bucket
  /** What people can do about it. Below: page of the console. */
  fixHint?: string
  page?: string
}

const toMend = (fixHint: string, page: string): KnownFault => ({ bucket: 'user_action', fixHint, page })

const knownFaults: Readonly<Record<string, KnownFault>> = {
  access_denied: toMend('Grant the role of this account the permission required by the call, then retry.', 'iam'),
  credentials_expired: toMend('Renew the credentials in the cloud and save them for this account.', 'credentials'),
  credentials_refused: toMend('Save credentials that the cloud accepts for this account.', 'credentials'),
  quota_exceeded: toMend('Request a higher quota from the cloud, or delete resources you do not need.', 'quotas'),
  resource_not_found: toMend('Refresh the inventory: this resource no longer exists in the cloud.', 'inventory'),
  throttled: { bucket: 'transient' },
  timeout: { bucket: 'transient' },
  unavailable: { bucket: 'transient' },
  capacity_short: { bucket: 'transient' },
  unsupported_call: { bucket: 'system' },
}

/** Address of the console that the simulated cloud would have. */
const consoleAt = 'https://console.example.com/'

const PlannedFault = t.Object(
  {
    call: t.Union([t.Enum([...calls, '*'] as const), t.String({ pattern: '^(un)?provision\\.[a-z0-9][a-z0-9_-]*$' })], {
      description:
        'the call that fails; * for all calls; state means look; provision means every provisioning step, provision.<step> one step; ' +
        'unprovision works the same for steps that are undone',
    }),
    error: t.Optional(
      text({
        minLength: 1,
        description:
          `a bucket (${buckets.join(', ')}), a code (${Object.keys(knownFaults).join(', ')}), a bucket, a colon and a message, or any ` +
          'other text as the message of a system fault; for verify also a verdict (none, read_only, unknown) ' +
          'to return; default: the call is only slowed down',
      }),
    ),
    times: t.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'how many calls fail before the fault is removed',
    }),
    resourceUid: t.Optional(
      text({ minLength: 1, description: `only calls for this resource: ${ofResources.join(', ')}` }),
    ),
    cloudAccountId: t.Optional(text({ minLength: 1, description: 'only calls for this account' })),
    delaySeconds: t.Optional(t.Number({ minimum: 0, maximum: 3600, description: 'extra duration of the call' })),
    settleSeconds: t.Optional(
      t.Number({
        minimum: 0,
        maximum: 86_400,
        description: `how long the operation continues after the call: ${actionKinds.join(', ')}; only without an error`,
      }),
    ),
  },
  { additionalProperties: false },
)

/** Planned faults of the simulated cloud (G-105). A plan replaces the previous one. */
export const FaultPlan = t.Object({ faults: t.Array(PlannedFault, { maxItems: 1000 }) })
export type FaultPlan = Static<typeof FaultPlan>
export type PlannedFault = Static<typeof PlannedFault>

/** A call of the simulated cloud, as a plan may select it. */
export interface Call {
  call: CallName
  cloudAccountId: string
  resourceUid?: string
}

/** Effects of the plan on a call: delay of the call, duration of its effect, and the error that ends it, if any. */
export interface Blow {
  delayMs: number
  settleMs: number
  error: string | undefined
}

export interface Faults {
  set(plan: FaultPlan): void
  /** The remaining faults of the plan. */
  readonly planned: readonly PlannedFault[]
}

/** All faults that only delay the call, and the first that ends it, with their positions in the plan. */
export function aim(planned: readonly PlannedFault[], call: Call): Blow & { hits: number[] } {
  const blow = { delayMs: 0, settleMs: 0, error: undefined as string | undefined, hits: [] as number[] }
  for (const [index, fault] of planned.entries()) {
    if (fault.times === 0 || !meets(fault, call) || (blow.error !== undefined && fault.error !== undefined)) continue
    blow.hits.push(index)
    blow.delayMs += (fault.delaySeconds ?? 0) * 1000
    blow.settleMs += (fault.settleSeconds ?? 0) * 1000
    blow.error ??= fault.error
  }
  return blow
}

const meets = (fault: PlannedFault, { call, cloudAccountId, resourceUid }: Call): boolean =>
  names(fault.call, call) &&
  (fault.cloudAccountId ?? cloudAccountId) === cloudAccountId &&
  (fault.resourceUid === undefined || fault.resourceUid === resourceUid)

const names = (planned: string, call: CallName): boolean =>
  planned === '*' ||
  planned === call ||
  (planned === 'state' && call === 'look') ||
  (planned === 'provision' && call.startsWith('provision.')) ||
  (planned === 'unprovision' && call.startsWith('unprovision.'))

const verdicts = ['none', 'read_only', 'unknown'] as const

/** A planned verdict of a verification, which is not an error. */
export const plannedVerdict = (call: Call['call'], error: string | undefined): (typeof verdicts)[number] | undefined =>
  call === 'verify' ? verdicts.find((name) => name === error) : undefined

/** Converts a planned error to the fault that a connector throws. */
export function plannedFault(error: string): Fault {
  const [head = '', ...rest] = error.split(':')
  const bucket = buckets.find((name) => name === head)
  const message = rest.join(':').trim()
  if (bucket) {
    return cloudFault(bucket, `simulated_${bucket}`, message || `Simulated fault: ${bucket}.`, mendable(bucket))
  }
  const coded = Object.hasOwn(knownFaults, error) ? knownFaults[error] : undefined
  return coded
    ? cloudFault(coded.bucket, error, `Simulated fault: ${error}.`, mendable(coded.bucket, coded))
    : cloudFault('system', 'simulated_system', error)
}

/** A fault of the list that the simulated cloud throws by itself, with a hint for people. */
export const refusal = (code: keyof typeof knownFaults, message: string): Fault =>
  cloudFault(knownFaults[code]!.bucket, code, message, mendable(knownFaults[code]!.bucket, knownFaults[code]))

/** Hints for faults that only people can fix. */
const mendable = (bucket: Bucket, { fixHint, page }: Partial<KnownFault> = {}): Detail =>
  bucket === 'user_action'
    ? {
        fixHint: fixHint ?? 'Fix the problem in the cloud as the message says, then retry.',
        consoleUrl: consoleAt + (page ?? ''),
      }
    : {}
