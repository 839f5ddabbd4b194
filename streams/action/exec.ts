/**
 * Calls to clouds that can be made by external executors (decisions G-21 and G-101): intents on their stream, and the
 * results.
 */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { outlet } from '#engine/actor/turn.ts'
import { Fault } from '#engine/value/fault.ts'
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

/** The resource of an intent; empty for an id that `intentIdOf` did not make. No resource has an empty uid. */
export function resourceNamed(intentId: string): string {
  try {
    return resourceOfIntent(intentId)
  } catch {
    return ''
  }
}

export const intentId = text({ minLength: 1, maxLength: 2048 })

/** A call to make for a resource, on `exec.intent.<org>.<account>`. Two intents with the same id are one call. */
export const execIntent = outlet({
  name: 'exec.intent',
  prefix: 'exec.intent',
  summary: 'An executor should make a call to a cloud.',
  key: (data) => data.cloudAccountId,
  schema: t.Object({
    intentId,
    kind: t.Enum(['start', 'stop', 'scale', 'pause', 'cancel']),
    cloudAccountId: text({ minLength: 1, maxLength: 1024 }),
    resourceUid: text({ minLength: 1, maxLength: 1024 }),
    params: t.Object({ min: count, max: count, desired: count }),
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
