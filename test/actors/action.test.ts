import { expect } from 'chai'
import type { Action } from '#actors/action/entity.ts'
import { actionActor } from '#actors/action/record.ts'
import { dropActions } from '#actors/action/retention.ts'
import { executeWork } from '#actors/action/call/execute.ts'
import { lookWork } from '#actors/action/call/look.ts'
import type { CallTools } from '#actors/action/call/call.ts'
import type { Event } from '#engine/run/publisher.ts'
import { actionExpired, actionTold, type ActionRecord } from '#streams/action/messages.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const told: ActionRecord = {
  actionId: 'a-1',
  cloudAccountId: 'acct-1',
  resourceUid: 'i-1',
  provider: 'aws',
  resourceType: 'aws-ec2',
  region: 'us-east-1',
  action: 'stop',
  reason: 'schedule Night',
  status: 'running',
  errorMessage: null,
  source: { type: 'manual', id: 'u-1' },
  attempt: 1,
  nextAttemptAt: null,
  createdAt: '2026-01-15T10:00:00.000Z',
  startedAt: '2026-01-15T10:00:01.000Z',
  endedAt: null,
  revision: 2,
}

describe('actor action', () => {
  it('keeps the newest of what is told, in whatever order that comes [ACT-07]', () => {
    const actor = new MemoryActor<Action>(actionActor as never, { key: 'a-1' })
    actor.take(actionTold, told)
    actor.take(actionTold, { ...told, status: 'pending', startedAt: null, revision: 1 })
    const { actionId: _, ...kept } = told
    expect(actor.state).to.deep.equal({
      ...kept,
      id: 'a-1',
      orgId: 'o1',
      createdAt: new Date(told.createdAt),
      startedAt: new Date(told.startedAt!),
    })
    actor.take(actionTold, { ...told, status: 'succeeded', endedAt: '2026-01-15T10:00:02.000Z', revision: 3 })
    expect([actor.state.status, actor.state.endedAt]).to.deep.equal(['succeeded', new Date('2026-01-15T10:00:02.000Z')])
    expect(actor.take(actionExpired, { cloudAccountId: 'acct-1', actionId: 'a-1' }).removed).to.equal(true)
  })
})

const input = {
  intentId: 'n-1',
  cloudAccountId: 'acct-1',
  provider: 'aws',
  resourceUid: 'i-1',
  type: 'aws-ec2',
  region: 'us-east-1',
  action: 'stop',
  before: null,
}
const call = { key: 'exec/o1/n-1', orgId: 'o1', attempt: 1, signal: new AbortController().signal }

interface Cloud {
  act?: () => Promise<object>
  look?: () => Promise<object>
}

/** The calls made of a cloud, and what was published, in their order. */
function world(cloud: Cloud = {}, rows: { called?: object[]; account?: object[]; executor?: 'stream' } = {}) {
  const done: unknown[] = []
  const note =
    (name: string, answer: () => Promise<object>) =>
    (_: unknown, asked: object): Promise<object> => {
      done.push([name, asked])
      return answer()
    }
  const account = { name: 'Production', external_id: '1', regions: [], credentials: null, billing_export: null }
  const tools: CallTools = {
    reads: {
      rows: async () =>
        (rows.called ?? [{ intent: 'n-1', specs: { a: 1 }, present: true }]).map((one) => ({
          ...one,
          ...(rows.account ?? [{ ...account, status: 'connected' }])[0],
        })),
    },
    publisher: {
      publish: (event: Event) => tools.publisher.report(event),
      report: async ({ subject, id, data }: Event) => {
        const { intentId: _, cloudAccountId: __, resourceUid: ___, ...said } = data as Record<string, unknown>
        done.push([subject.name, id!.replace(call.key, ''), said])
      },
    },
    cloudOf: () => ({
      act: note('act', cloud.act ?? (async () => ({ status: 'succeeded', observedState: 'stopped' }))),
      look: note('look', cloud.look ?? (async () => ({ exists: true, status: 'running' }))),
    }),
    open: () => null,
    clock: { now: () => 0, sleep: async () => {} },
    now: () => new Date(0),
    executor: rows.executor ?? 'embedded',
  } as unknown as CallTools
  return { tools, done }
}

const ref = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1', specs: { a: 1 } }
const accepted = ['action.reported', '/accepted', { status: 'accepted' }]
const ended = (said: object) => ['action.reported', '/ended', said]
/** A call that takes longer than anybody waits. */
const never = (): Promise<object> => new Promise(() => {})
/** Long enough for the answers of a cloud in memory. */
const patient = (tools: CallTools): CallTools => ({ ...tools, clock: { ...tools.clock, sleep: never as never } })

describe('the call that starts or stops a resource', () => {
  const execute = async (cloud?: Cloud, rows?: Parameters<typeof world>[1], fields: object = {}) => {
    const { tools, done } = world(cloud, rows)
    await executeWork(cloud?.act === never ? tools : patient(tools)).run({ ...input, ...fields }, call)
    return done
  }

  it('is told of before it is made and when it has ended, under ids of its own [ACT-13]', async () => {
    expect(await execute()).to.deep.equal([
      accepted,
      ['act', { id: 'n-1', kind: 'stop', resource: ref }],
      ended({ status: 'succeeded', observedState: 'stopped' }),
    ])
    const start = await execute(
      { act: async () => ({ status: 'running', observedState: 'starting' }) },
      {},
      {
        action: 'start',
        before: { min: 1, max: 3, desired: 2 },
      },
    )
    expect(start).to.deep.equal([
      accepted,
      ['act', { id: 'n-1', kind: 'start', resource: ref, params: { min: 1, max: 3, desired: 2 } }],
      ended({ status: 'running' }),
    ])
  })

  it('looks first what a stop of counted units takes away, and says it before the call', async () => {
    const capacity = { min: 1, max: 4, desired: 2 }
    const asg = { type: 'aws-asg' }
    const done = await execute({ look: async () => ({ exists: true, capacity }) }, {}, asg)
    expect(done).to.deep.equal([
      ['look', { ...ref, ...asg }],
      ['action.reported', '/accepted', { status: 'accepted', before: capacity }],
      ['act', { id: 'n-1', kind: 'stop', resource: { ...ref, ...asg } }],
      ended({ status: 'succeeded', observedState: 'stopped' }),
    ])
    const busy = async () => Promise.reject(cloudFault('transient', 'throttled', 'slow down'))
    expect((await execute({ look: busy }, {}, asg)).slice(1)).to.deep.equal([
      ended({ status: 'failed', retryable: true, errorMessage: 'slow down' }),
    ])
  })

  it('says whether another try may help', async () => {
    const failing = async (error: Error) => (await execute({ act: () => Promise.reject(error) })).at(-1)
    expect(await failing(cloudFault('transient', 'throttled', 'slow down'))).to.deep.equal(
      ended({ status: 'failed', retryable: true, errorMessage: 'slow down' }),
    )
    expect(await failing(cloudFault('user_action', 'quota_exceeded', 'no more\0vCPUs'))).to.deep.equal(
      ended({ status: 'failed', retryable: false, errorMessage: 'no more vCPUs' }),
    )
    expect(await failing(new TypeError('a bug'))).to.deep.equal(
      ended({ status: 'failed', retryable: false, errorMessage: 'An internal error occurred.' }),
    )
    expect((await execute({ act: never })).at(-1)).to.deep.equal(
      ended({ status: 'failed', retryable: true, errorMessage: 'The cloud did not answer within 60 seconds.' }),
    )
  })

  it('tells the account when the cloud refuses its credentials', async () => {
    const expired = cloudFault('user_action', 'credentials_expired', 'expired')
    const done = await execute({ act: () => Promise.reject(expired) })
    expect(done.slice(2)).to.deep.equal([
      ['account.refused', '/refused', { id: 'acct-1', message: 'expired' }],
      ended({ status: 'failed', retryable: false, errorMessage: 'expired' }),
    ])
  })

  it('is not made of what is gone, nor when the action waits for another try or for somebody else', async () => {
    const unmade = (errorMessage: string) => [
      ended({ status: 'failed', retryable: false, errorMessage, isUnmade: true }),
    ]
    for (const present of [false, null])
      expect(await execute({}, { called: [{ intent: 'n-1', specs: null, present }] })).to.deep.equal(
        unmade('the resource no longer exists'),
      )
    for (const account of [[], [{ status: 'disabled' }], [{ status: 'deleted' }]])
      expect(await execute({}, { account })).to.deep.equal(unmade('the account is disabled'))
    for (const called of [[], [{ intent: null, present: true }], [{ intent: 'n-2', present: true }]])
      expect(await execute({}, { called })).to.deep.equal([])
    expect(await execute({}, { executor: 'stream' })).to.deep.equal([])
  })

  it('whose end could not be told is a failure that another try may mend, but goes on elsewhere when the process ends', async () => {
    const { tools, done } = world()
    await executeWork(tools).failed(input, call, cloudFault('transient', 'x', 'the stream is away'))
    expect(done).to.deep.equal([ended({ status: 'failed', retryable: true, errorMessage: 'the stream is away' })])
    const stop = new AbortController()
    const other = world({ act: () => (stop.abort(), Promise.reject(new Error('cut off'))) })
    const made = executeWork(patient(other.tools)).run(input, { ...call, signal: stop.signal })
    expect(await made.catch((error: Error) => error.name)).to.equal('AbortError')
    expect(other.done).to.have.length(2)
  })
})

describe('the look whether a cloud is done', () => {
  const look = async (answer: () => Promise<object>, rows?: Parameters<typeof world>[1]) => {
    const { tools, done } = world({ look: answer }, rows)
    await lookWork(answer === never ? tools : patient(tools)).run(input, { ...call, key: `${call.key}/look/1` })
    return done.filter((one) => (one as string[])[0] !== 'look')
  }
  const said = (report: object) => [['action.reported', '/look/1/ended', report]]

  it('says that it is done when the state is the one that was wanted, else that it goes on', async () => {
    expect(await look(async () => ({ exists: true, status: 'stopped' }))).to.deep.equal(
      said({ status: 'succeeded', observedState: 'stopped' }),
    )
    const goesOn = said({ status: 'running' })
    expect(await look(async () => ({ exists: true, status: 'stopping' }))).to.deep.equal(goesOn)
    expect(await look(async () => ({ exists: true }))).to.deep.equal(goesOn)
    expect(await look(never)).to.deep.equal(goesOn)
    expect(await look(() => Promise.reject(new Error('x')))).to.deep.equal(goesOn)
    const failure = { status: 'failed', retryable: false, errorMessage: 'the resource no longer exists' }
    expect(await look(async () => ({ exists: false }))).to.deep.equal(said(failure))
    expect(await look(never, { called: [{ intent: 'n-1', present: false }] })).to.deep.equal(said(failure))
    expect(await look(never, { called: [] })).to.deep.equal([])
    expect(await look(never, { executor: 'stream' })).to.deep.equal([])
  })
})

describe('records of actions that ended long ago', () => {
  it('are let go, a thousand at a time, those of an account together', async () => {
    const ids = Array.from({ length: 1001 }, (_, i) => ({ id: `a-${1000 + i}`, account: i < 300 ? 'x' : 'y' }))
    const asked: unknown[][] = []
    const sent: [string, string, number][] = []
    const work = dropActions({
      reads: {
        rows: async (sql: string, params: unknown[]) => {
          if (sql.includes('bulk_action')) return []
          asked.push(params)
          const from = ids.findIndex(({ id, account }) => account === params[2] && id === params[3])
          return ids.slice(from + 1, from + 1001)
        },
      },
      publisher: {
        publishTogether: async (_id: string, events: Event[]) => {
          const { actionId, cloudAccountId } = events[0]!.data as Record<string, string>
          sent.push([cloudAccountId!, actionId!, events.length])
        },
      },
      now: () => new Date('2026-06-01T00:00:00Z'),
    } as never)
    await work({ job: 'retention', runId: 'r-1', at: '', isDue: true, through: '' }, call)
    expect(asked).to.deep.equal([
      ['o1', new Date('2026-03-03T00:00:00Z'), '', ''],
      ['o1', new Date('2026-03-03T00:00:00Z'), 'y', 'a-1999'],
    ])
    expect(sent).to.deep.equal([
      ['x', 'a-1000', 200],
      ['x', 'a-1200', 100],
      ['y', 'a-1300', 200],
      ['y', 'a-1500', 200],
      ['y', 'a-1700', 200],
      ['y', 'a-1900', 100],
      ['y', 'a-2000', 1],
    ])
  })
})
