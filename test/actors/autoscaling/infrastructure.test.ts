import { expect } from 'chai'
import { infrastructureActor, type InfrastructureNeeds } from '#actors/autoscaling/infrastructure/infrastructure.ts'
import { infrastructureWork, type InfrastructureTools } from '#actors/autoscaling/infrastructure/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { accountPatched, accountRefused, accountRemoved, accountVerified } from '#streams/account/messages.ts'
import { autoscalerDue, infrastructureReported, infrastructureWanted } from '#streams/autoscaling.ts'
import { cloudFault, type Infrastructure } from '#streams/cloud/connector.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const account = { provider: 'aws', status: 'connected', verdict: 'read_write' }
const needs = (more: Partial<typeof account> | null = {}, uids: string[] = []): InfrastructureNeeds => ({
  accounts: new Map(more === null ? [] : [['o1\0acct-1', { ...account, ...more }]]),
  targets: new Map([['o1\0acct-1', uids]]),
})
const fresh = () => new MemoryActor(infrastructureActor, { place: 'acct-1', key: 'acct-1' })
type Actor = ReturnType<typeof fresh>

const want = (actor: Actor, more?: Partial<typeof account> | null) =>
  actor.take(infrastructureWanted, { cloudAccountId: 'acct-1', userId: 'u-1' }, { needs: needs(more) })
const report = (actor: Actor, attempt: number, status: 'ready' | 'failed', uids: string[] = []) => {
  const isReady = status === 'ready'
  const names = { role: isReady ? 'role/t' : null, runtime: isReady ? 'function/t' : null }
  const data = { cloudAccountId: 'acct-1', attempt, status, ...names, ...(!isReady && { message: 'Not allowed.' }) }
  return actor.take(infrastructureReported, data, { needs: needs({}, uids) })
}
const verified = { id: 'acct-1', verdict: 'read_only' as const, missingPermissions: [], message: null }
const due = (targetUid: string, what: string) => ({
  type: autoscalerDue.name,
  data: { cloudAccountId: 'acct-1', targetUid, policyId: '', what },
})
const shown = ({ state: { status, attempt, role, runtime, message } }: Actor) => ({
  status,
  attempt,
  role,
  runtime,
  message,
})

describe('what policies need at their cloud', () => {
  it('is made once: who asks again meanwhile, or when it is there, finds it as it is [ASC-05]', () => {
    const actor = fresh()
    const first = want(actor)
    expect(first.replies).to.deep.equal([{ cloudAccountId: 'acct-1', isBegun: true }])
    expect(first.calls).to.deep.equal([
      {
        name: 'create-infrastructure',
        key: 'infrastructure/o1/acct-1/1',
        input: { cloudAccountId: 'acct-1', provider: 'aws', attempt: 1 },
      },
    ])
    expect(shown(actor)).to.deep.equal({ status: 'creating', attempt: 1, role: null, runtime: null, message: '' })
    const { createdAt } = actor.state
    const second = want(actor)
    expect([second.calls, second.replies]).to.deep.equal([[], [{ cloudAccountId: 'acct-1', isBegun: false }]])
    report(actor, 1, 'ready')
    expect(shown(actor)).to.deep.equal({
      status: 'ready',
      attempt: 1,
      role: 'role/t',
      runtime: 'function/t',
      message: '',
    })
    const third = want(actor)
    expect([third.calls, third.replies]).to.deep.equal([[], [{ cloudAccountId: 'acct-1', isBegun: false }]])
    expect(actor.state.createdAt).to.deep.equal(createdAt)
  })

  it('is tried again when it failed, and an answer to an older try means nothing [ASC-23]', () => {
    const actor = fresh()
    want(actor)
    report(actor, 1, 'failed')
    expect(shown(actor)).to.deep.equal({
      status: 'failed',
      attempt: 1,
      role: null,
      runtime: null,
      message: 'Not allowed.',
    })
    expect(want(actor).calls.map(({ key }) => key)).to.deep.equal(['infrastructure/o1/acct-1/2'])
    expect(report(actor, 1, 'ready', ['asg-1']).emitted).to.deep.equal([])
    expect(shown(actor)).to.deep.equal({ status: 'creating', attempt: 2, role: null, runtime: null, message: '' })
    report(actor, 2, 'ready')
    expect(actor.state.status).to.equal('ready')
    expect(report(actor, 2, 'failed', ['asg-1']).emitted).to.deep.equal([])
    expect(actor.state.status).to.equal('ready')
  })

  it('tells every policy of the account when it is ready, and when it failed [ASC-06]', () => {
    const actor = fresh()
    want(actor)
    const dues = [due('asg-1', 'infrastructure'), due('asg-2', 'infrastructure')]
    expect(report(actor, 1, 'failed', ['asg-1', 'asg-2']).emitted).to.deep.equal(dues)
    want(actor)
    expect(report(actor, 2, 'ready', ['asg-1', 'asg-2']).emitted).to.deep.equal(dues)
  })

  it('is not made in an account that is gone or disabled, nor where the credentials let nothing be made', () => {
    const refused = (more: Partial<typeof account> | null) => {
      const { refused: code, calls } = want(fresh(), more)
      return [code, calls.length]
    }
    expect([
      refused(null),
      refused({ status: 'deleted' }),
      refused({ provider: '' }),
      refused({ status: 'disabled' }),
      refused({ verdict: 'read_only' }),
      refused({ verdict: 'none' }),
      refused({ verdict: 'unknown' }),
    ]).to.deep.equal([
      ['not_found', 0],
      ['not_found', 0],
      ['not_found', 0],
      ['capability_missing', 0],
      ['capability_missing', 0],
      ['capability_missing', 0],
      [undefined, 1],
    ])
  })

  it('tells policies that the account may allow something else, without a row of its own [ASC-26] [ASC-27]', () => {
    const actor = fresh()
    const told = [
      actor.take(accountVerified, verified, { needs: needs({}, ['asg-1', 'asg-2']) }),
      actor.take(accountPatched, { id: 'acct-1', enabled: false }, { needs: needs({}, ['asg-1', 'asg-2']) }),
      actor.take(accountRemoved, { id: 'acct-1' }, { needs: needs({}, ['asg-1', 'asg-2']) }),
      actor.take(accountRefused, { id: 'acct-1', message: '' }, { needs: needs({}, ['asg-1', 'asg-2']) }),
    ]
    for (const { emitted, removed, replies } of told) {
      expect(emitted).to.deep.equal([due('asg-1', 'verdict'), due('asg-2', 'verdict')])
      expect([removed, replies]).to.deep.equal([true, []])
    }
    const again = actor.take(
      accountRefused,
      { id: 'acct-1', message: '' },
      { needs: needs({ verdict: 'none' }, ['asg-1']) },
    )
    expect(again.emitted).to.deep.equal([])
  })

  it('leaves what is made as it is when the account is verified or changed', () => {
    const actor = fresh()
    want(actor)
    report(actor, 1, 'ready')
    const before = [shown(actor), actor.state.createdAt, actor.state.updatedAt]
    const { removed } = actor.take(accountVerified, verified, { needs: needs() })
    actor.take(accountPatched, { id: 'acct-1', name: 'Other' }, { needs: needs() })
    expect(removed).to.equal(false)
    expect([shown(actor), actor.state.createdAt, actor.state.updatedAt]).to.deep.equal(before)
  })

  it('is forgotten with its account; who connects it again and asks gets another try, whatever comes late of the first', () => {
    const actor = fresh()
    want(actor)
    actor.take(accountRemoved, { id: 'acct-1' }, { needs: needs() })
    expect(shown(actor)).to.deep.equal({ status: 'not_created', attempt: 1, role: null, runtime: null, message: '' })
    expect(actor.state.createdAt).to.equal(null)
    report(actor, 1, 'ready')
    expect(actor.state.status).to.equal('not_created')
    expect(want(actor).calls.map(({ key }) => key)).to.deep.equal(['infrastructure/o1/acct-1/2'])
    expect(actor.state.createdAt).to.not.equal(null)
  })

  it('runs behind all that came before it, so that no policy made before goes unheard', () => {
    const alone = [infrastructureWanted, infrastructureReported, accountVerified, accountPatched, accountRemoved]
    expect(alone.map(({ name }) => infrastructureActor.reactions.get(name)?.barrier)).to.deep.equal([
      true,
      true,
      true,
      true,
      true,
    ])
    expect(infrastructureActor.reactions.get(infrastructureReported.name)?.existing).to.equal(true)
  })

  it('reads the account where something is to be made, and at most 500 targets where policies are told', async () => {
    const asked: unknown[][] = []
    const rows = async (sql: string, params: unknown[]) => {
      asked.push([sql.includes('autoscaler_policy') ? 'policies' : 'account', ...params])
      return sql.includes('autoscaler_policy') ? [{ uid: 'asg-1' }] : [account]
    }
    const address = { orgId: 'o1', place: 'acct-1', key: 'acct-1' }
    const read = async (subject: object) =>
      infrastructureActor.needs!([{ subject, address, data: {} } as never], {
        rows,
      } as never) as Promise<InfrastructureNeeds>
    const made = await read(infrastructureWanted)
    const told = await read(accountVerified)
    expect([...made.accounts, ...made.targets]).to.deep.equal([['o1\0acct-1', account]])
    expect([...told.accounts, ...told.targets]).to.deep.equal([['o1\0acct-1', ['asg-1']]])
    expect(asked).to.deep.equal([
      ['account', 'o1', 'acct-1'],
      ['policies', 'o1', 'acct-1', 500],
    ])
  })
})

const input = { cloudAccountId: 'acct-1', provider: 'aws', attempt: 2 }
const call = { key: 'infrastructure/o1/acct-1/2', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
const made: Infrastructure = { role: 'role/t', runtime: 'function/t' }

/** The work over stores that have these rows, and a cloud that answers so. */
function world(answer: () => Promise<Infrastructure>, { isWanted = true, status = 'connected' } = {}) {
  const reported: object[] = []
  const asked: unknown[] = []
  const row = { name: 'A', external_id: '1', regions: [], credentials: null, billing_export: null, status }
  const tools = {
    reads: {
      rows: async (sql: string) => (sql.includes('scaling_infrastructure') ? (isWanted ? [{}] : []) : [row]),
    },
    publisher: {
      report: async ({ id, data }: { id: string; data: object }) => void reported.push({ id, ...data }),
      publish: async () => {},
    },
    cloudOf: () => ({
      createInfrastructure: (of: { id: string }, { id }: { id: string }) => {
        asked.push([of.id, id])
        return answer()
      },
    }),
    open: () => '',
    clock: {
      now: () => 0,
      sleep: (_: number, signal: AbortSignal) => new Promise((done) => signal.addEventListener('abort', done)),
    },
    now: () => new Date(0),
  } as unknown as InfrastructureTools
  return { work: infrastructureWork(tools), reported, asked }
}

const faultOf = async (work: Promise<void>): Promise<Fault> =>
  work.then(
    () => expect.fail('it should have thrown'),
    (error: unknown) => Fault.from(error),
  )

describe('the call that makes it', () => {
  const ended = { id: `${call.key}/ended`, cloudAccountId: 'acct-1', attempt: 2 }

  it('asks the cloud under one id an account, and tells what it is called there', async () => {
    const { work, reported, asked } = world(async () => made)
    await work.run(input, call)
    expect(asked).to.deep.equal([['acct-1', uuidOf('scaling-infrastructure', 'o1', 'acct-1')]])
    expect(reported).to.deep.equal([{ ...ended, status: 'ready', ...made }])
  })

  it('is made again for what passes, and ends with what people can do for the rest', async () => {
    const denied = cloudFault('user_action', 'access_denied', 'Not allowed.', {
      fixHint: 'Give the role the permission.',
    })
    const busy = world(async () => Promise.reject(cloudFault('transient', 'throttled', 'Slow down.')))
    const refused = world(async () => Promise.reject(denied))
    expect((await faultOf(busy.work.run(input, call))).retryable).to.equal(true)
    const fault = await faultOf(refused.work.run(input, call))
    expect(fault.retryable).to.equal(false)
    await refused.work.failed(input, call, fault)
    const message = 'Not allowed. Give the role the permission.'
    expect(refused.reported).to.deep.equal([{ ...ended, status: 'failed', role: null, runtime: null, message }])
  })

  it('asks nothing where nobody waits for it any more, nor of an account that is disabled', async () => {
    const stale = world(async () => made, { isWanted: false })
    await stale.work.run(input, call)
    const disabled = world(async () => made, { status: 'disabled' })
    const { code } = await faultOf(disabled.work.run(input, call))
    expect([stale.asked, stale.reported, disabled.asked, code]).to.deep.equal([[], [], [], 'capability_missing'])
  })
})
