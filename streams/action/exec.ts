/**
 * Calls to clouds that can be made by external executors (decisions G-21 and G-101): intents on their stream, and the
 * results.
 */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { outlet } from '#engine/actor/turn.ts'
import { Fault } from '#engine/value/fault.ts'
import { provisioningKinds } from '#streams/cloud/provision.ts'
import { text } from '#streams/text.ts'

const moment = t.String({ format: 'date-time' })
const count = t.Optional(t.Integer({ minimum: 0 }))

/** The id of one attempt. It contains the call and the resource, so a result does not need to name the resource. */
export const intentIdOf = (callId: string, resourceUid: string): string =>
  `${callId}.${Buffer.from(resourceUid).toString('base64url')}`

/** @throws Fault `invalid` for an id that `intentIdOf` did not make */
function resourceOfIntent(intentId: string): string {
  const uid = Buffer.from(intentId.slice(intentId.indexOf('.') + 1), 'base64url').toString('utf8')
  if (uid !== '' && intentIdOf(intentId.split('.')[0]!, uid) === intentId) return uid
  throw Fault.invalid('intent_invalid', 'There is no intent with this ID.')
}

/** The job that made an intent as `<job>/<call>`, and the call; empty for all others. */
export function jobCallOf(intentId: string): { jobId: string; call: string } {
  const callId = resourceNamed(intentId) === '' ? '' : intentId.slice(0, intentId.indexOf('.'))
  const end = callId.indexOf('/')
  return end === -1 ? { jobId: '', call: '' } : { jobId: callId.slice(0, end), call: callId.slice(end + 1) }
}

/** The resource of an intent; empty for an id that `intentIdOf` did not make. No resource has an empty uid. */
export function resourceNamed(intentId: string): string {
  try {
    return resourceOfIntent(intentId)
  } catch {
    return ''
  }
}

export const intentId = text({ minLength: 1, maxLength: 2048 })

/** Starting and stopping, counts of fleets, operations of workflows, steps of provisioning, databases with owners. */
export const intentKinds = [
  'start',
  'stop',
  'scale',
  'pause',
  'cancel',
  'set',
  'resize',
  'snapshot',
  'delete',
  'provision',
  'unprovision',
  'create_database',
  'drop_database',
] as const

/** One step of a provisioning job. `token` identifies what it creates: the same token is the same object. */
const ProvisionOrder = t.Object({
  kind: t.Enum(provisioningKinds),
  step: text(),
  region: text(),
  clusterUid: t.Union([text(), t.Null()]),
  config: t.Record(t.String(), t.Unknown()),
  /** For a component: the Kubernetes objects to apply, in this order. */
  objects: t.Optional(t.Array(t.Record(t.String(), t.Unknown()))),
  tags: t.Record(t.String(), text()),
  outputs: t.Record(t.String(), t.Record(t.String(), t.Unknown())),
  token: text(),
})

/** A database and a user that owns it, on the server of a job. `token` identifies both, as above. */
const DatabaseOrder = t.Object({
  region: text(),
  name: text(),
  owner: text(),
  engine: text(),
  /** Of the steps of the job: `host`, `port` and `user` tell how to connect to the server. */
  outputs: t.Record(t.String(), t.Record(t.String(), t.Unknown())),
  token: text(),
})

/** A call to make for a resource, or for a provisioning job or database whose id is then the `resourceUid`, on `exec.intent.<org>.<account>`. Two intents with the same id are one call. */
export const execIntent = outlet({
  name: 'exec.intent',
  prefix: 'exec.intent',
  summary: 'An executor should make a call to a cloud.',
  key: (data) => data.cloudAccountId,
  schema: t.Object({
    intentId,
    kind: t.Enum(intentKinds),
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    resourceUid: text({ minLength: 1, maxLength: 1024 }),
    params: t.Object({
      min: count,
      max: count,
      desired: count,
      /** For `resize`: the size to have. For `set`: the attributes to have. */
      size: t.Optional(text()),
      specs: t.Optional(t.Record(t.String(), t.Unknown())),
      /** For `provision` and `unprovision`: what the step needs. */
      provision: t.Optional(ProvisionOrder),
      /** For `create_database` and `drop_database`. */
      database: t.Optional(DatabaseOrder),
    }),
    source: t.Object({ type: text(), id: text() }),
    /** Increases with every attempt of an action. */
    revision: t.Integer({ minimum: 1 }),
    dueAt: moment,
    attempt: t.Integer({ minimum: 1 }),
  }),
  examples: [
    {
      intentId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01.aS0x',
      kind: 'stop',
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      params: {},
      source: { type: 'schedule', id: 's-1' },
      revision: 1,
      dueAt: '2026-01-15T19:00:00.000Z',
      attempt: 1,
    },
  ],
})

/** An executor's result of an intent. Only executors may publish it, on `exec.result.<org>.<account>`. */
export const execResult = subject({
  name: 'exec.result',
  kind: 'exec',
  summary: 'The result of a call to a cloud.',
  schema: t.Object({
    intentId,
    status: t.Enum(['accepted', 'running', 'succeeded', 'failed']),
    retryable: t.Optional(t.Boolean()),
    errorMessage: t.Optional(text()),
    observedState: t.Optional(text()),
    /**
     * For a step of provisioning: names, addresses and identifiers, shown to people. For a database: `secretRef`, the
     * name of the secret with the owner's password. Never a secret.
     */
    output: t.Optional(t.Record(t.String(), t.Unknown())),
    /** For `unprovision`: uids of objects that no longer exist. */
    gone: t.Optional(t.Array(text({ minLength: 1, maxLength: 1024 }), { maxItems: 256 })),
    occurredAt: moment,
  }),
  examples: [
    {
      intentId: '3f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01.aS0x',
      status: 'succeeded',
      observedState: 'stopped',
      occurredAt: '2026-01-15T19:00:01.000Z',
    },
  ],
})
