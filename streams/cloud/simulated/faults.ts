import { t, type Static } from '#engine/schema.ts'
import { buckets, cloudFault, type Bucket } from '#streams/cloud/connector.ts'
import { text } from '#streams/text.ts'
import type { Fault } from '#engine/fault.ts'

export const faultCalls = [
  'verify',
  'discover',
  'measure',
  'bill',
  'start',
  'stop',
  'scale',
  'pause',
  'access',
  '*',
] as const

const known: Readonly<Record<string, Bucket>> = {
  access_denied: 'user_action',
  credentials_expired: 'user_action',
  quota_exceeded: 'user_action',
  resource_not_found: 'user_action',
  throttled: 'transient',
  timeout: 'transient',
  unavailable: 'transient',
  capacity_short: 'transient',
  unsupported_call: 'system',
}

const PlannedFault = t.Object(
  {
    call: t.Enum(faultCalls, { description: 'the call it strikes; * for every one' }),
    error: t.Optional(
      text({
        minLength: 1,
        description:
          `a bucket (${buckets.join(', ')}), a code (${Object.keys(known).join(', ')}), a bucket, a colon and a message, or any ` +
          'other text as the message of a system fault; for verify also a verdict (none, read_only, unknown), which is then ' +
          'answered; left out: the call is only slowed',
      }),
    ),
    times: t.Integer({ minimum: 1, maximum: 1_000_000, description: 'how often it strikes before it is spent' }),
    resourceUid: t.Optional(
      text({ minLength: 1, description: 'only calls about this resource: start, stop, scale, pause, access' }),
    ),
    cloudAccountId: t.Optional(text({ minLength: 1, description: 'only calls of this account' })),
    delaySeconds: t.Optional(
      t.Number({ minimum: 0, maximum: 3600, description: 'what the call takes longer, struck or slowed' }),
    ),
  },
  { additionalProperties: false },
)

/** What goes wrong in the simulated cloud (G-105). A plan replaces the one before it. */
export const FaultPlan = t.Object({ faults: t.Array(PlannedFault, { maxItems: 1000 }) })
export type FaultPlan = Static<typeof FaultPlan>
export type PlannedFault = Static<typeof PlannedFault>

/** One call of the simulated cloud, as a plan may name it. */
export interface Call {
  call: Exclude<(typeof faultCalls)[number], '*'>
  cloudAccountId: string
  resourceUid?: string
}

/** What strikes a call: how long it is held up, and the error that ends it, if any. */
export interface Blow {
  delayMs: number
  error: string | undefined
}

export interface Faults {
  set(plan: FaultPlan): void
  /** What is left of the plan. */
  readonly planned: readonly PlannedFault[]
  /** Takes one time from every fault that only slows the call and from the first that ends it. */
  strike(call: Call): Blow
}

export function faults(): Faults {
  let planned: PlannedFault[] = []
  return {
    set(plan) {
      planned = plan.faults.map((fault) => ({ ...fault }))
    },
    get planned() {
      return planned
    },
    strike(call) {
      const blow: Blow = { delayMs: 0, error: undefined }
      for (const fault of planned.filter((candidate) => meets(candidate, call))) {
        if (blow.error !== undefined && fault.error !== undefined) continue
        fault.times -= 1
        blow.delayMs += (fault.delaySeconds ?? 0) * 1000
        blow.error ??= fault.error
      }
      planned = planned.filter(({ times }) => times > 0)
      return blow
    },
  }
}

const meets = (fault: PlannedFault, call: Call): boolean =>
  (fault.call === '*' || fault.call === call.call) &&
  (fault.cloudAccountId ?? call.cloudAccountId) === call.cloudAccountId &&
  (fault.resourceUid === undefined || fault.resourceUid === call.resourceUid)

const verdicts = ['none', 'read_only', 'unknown'] as const

/** The verdict a plan has a verification answer, rather than an error. */
export const plannedVerdict = (call: Call['call'], error: string | undefined): (typeof verdicts)[number] | undefined =>
  call === 'verify' ? verdicts.find((name) => name === error) : undefined

/** The error a plan names, as a connector throws it. */
export function faultOf(error: string): Fault {
  const [head = '', ...rest] = error.split(':')
  const bucket = buckets.find((name) => name === head)
  if (bucket) return cloudFault(bucket, `simulated_${bucket}`, rest.join(':').trim() || `Simulated fault: ${bucket}.`)
  const coded = Object.hasOwn(known, error) ? known[error] : undefined
  return coded
    ? cloudFault(coded, error, `Simulated fault: ${error}.`)
    : cloudFault('system', 'simulated_system', error)
}
