/** Steps that an executor outside this process makes. */
import { expect } from 'chai'
import { databaseWork } from '#actors/catalog/database/database-call.ts'
import { databaseActor, type DatabaseNeeds } from '#actors/catalog/database/database.ts'
import { provisionWork } from '#actors/catalog/job/provision.ts'
import { freshSteps } from '#actors/catalog/job/step.ts'
import { execResult } from '#streams/action/exec.ts'
import { databaseBegun } from '#streams/catalog.ts'
import { Job, jobId } from '#test/harness/catalog-job.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const input = { cloudAccountId: 'acct-1', jobId, step: 'create', attempt: 1, call: 'create/1/2' }
const suffix = Buffer.from(jobId).toString('base64url')
const intent = (call: string) => `${jobId}/${call}.${suffix}`

async function ordered(isUndo: boolean) {
  const [posted, told]: [any[], any[]] = [[], []]
  const row = {
    kind: 'registry',
    region: 'us-east-1',
    config: { name: 'shop' },
    tags: { team: 'shop' },
    steps: freshSteps('registry').map((step) => (step.name === 'validate' ? { ...step, output: { a: 1 } } : step)),
    secrets: null,
    provider: 'aws',
    clusterUid: null,
    isUndo,
    spaceStatus: 'active',
    name: 'A',
    external_id: '1',
    regions: [],
    credentials: null,
    billing_export: null,
    status: 'connected',
  }
  const tools = {
    reads: { rows: async () => [row] },
    publisher: {
      report: async ({ data }: { data: object }) => void told.push(data),
      post: async (...order: unknown[]) => void posted.push(order.slice(1)),
    },
    now: () => new Date('2026-01-15T10:00:00Z'),
    open: () => null,
    executor: 'stream',
  } as never
  await provisionWork(tools).run(input, { key: 'k', orgId: 'o1', attempt: 1, signal: new AbortController().signal })
  return { posted, told }
}

describe('a step of provisioning with an executor of the stream', () => {
  it('is ordered with all that it needs, under the token that is the same for every try', async () => {
    const order = {
      intentId: intent('create/1/2'),
      kind: 'provision',
      cloudAccountId: 'acct-1',
      resourceUid: jobId,
      params: {
        provision: {
          kind: 'registry',
          step: 'create',
          region: 'us-east-1',
          clusterUid: null,
          config: { name: 'shop' },
          tags: { team: 'shop' },
          outputs: { validate: { a: 1 } },
        },
      },
      source: { type: 'provisioning', id: jobId },
      revision: 1,
      dueAt: '2026-01-15T10:00:00.000Z',
      attempt: 1,
    }
    const { posted, told } = await ordered(false)
    const [[orgId, id, { params, ...rest }]] = posted as [[string, string, any]]
    const { token, ...provision } = params.provision
    expect([orgId, id, { ...rest, params: { provision } }]).to.deep.equal(['o1', order.intentId, order])
    expect(token).to.match(/^[0-9a-f-]{36}$/)
    expect(told).to.deep.equal([])
    const [[, , undo]] = (await ordered(true)).posted as [[string, string, any]]
    expect([undo.kind, undo.params.provision.token]).to.deep.equal(['unprovision', token])
  })

  const begun = (...answers: ('done' | 'lost')[]) => new Job('registry', { answers })
  const hear = (job: Job, call: string, status: 'accepted' | 'succeeded' | 'failed', more: object = {}) =>
    job.take(execResult, { intentId: intent(call), status, occurredAt: '2026-01-15T10:00:00Z', ...more })

  it('ends as the executor reports it, with its output; what it says of other calls changes nothing', () => {
    const job = begun('lost')
    const [call] = job.calls as [string]
    job.answers = ['lost', 'lost']
    hear(job, call, 'accepted')
    for (const other of ['validate/1/99', 'create/1/1']) hear(job, other, 'succeeded')
    expect(job.steps).to.deep.equal(['validate running 1', 'create pending 0', 'verify pending 0'])
    hear(job, call, 'succeeded', { output: { uri: 'images.example' } })
    expect(job.row.steps[0]).to.deep.include({ status: 'succeeded', output: { uri: 'images.example' } })
    expect(job.steps).to.deep.equal(['validate succeeded 1', 'create running 1', 'verify pending 0'])
  })

  it('fails with its reason and what to do; is asked for again where that may help; an output too large to keep is refused', () => {
    const failed = begun('lost')
    hear(failed, failed.calls[0]!, 'failed', { errorMessage: 'no quota' })
    expect(failed.row.error).to.deep.equal({
      bucket: 'user_action',
      message: 'no quota',
      fixHint: 'Fix the problem that the executor reports, then retry the job.',
      retryable: false,
      stepName: 'validate',
    })
    const busy = begun('lost', 'lost')
    hear(busy, busy.calls[0]!, 'failed', { retryable: true })
    expect([busy.row.phase, busy.actor.reminders.has('again')]).to.deep.equal(['validating', true])
    const large = begun('lost')
    hear(large, large.calls[0]!, 'succeeded', { output: { text: 'x'.repeat(16 * 1024) } })
    expect(large.row.error).to.include({ bucket: 'system', message: 'The output of the step is too large to store.' })
  })
})

describe('a database with an executor of the stream', () => {
  const databaseId = '7b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01'
  const of = { cloudAccountId: 'acct-1', jobId, databaseId }
  const output = { host: 'db.example', port: 5432, user: 'admin', secretRef: 'vault/admin' }
  const steps = freshSteps('datastore').map((step) => (step.name === 'secret' ? { ...step, output } : step))
  const started = () => {
    const actor = new MemoryActor(databaseActor, { place: 'acct-1', key: databaseId })
    const server = { id: jobId, kind: 'datastore' as const, phase: 'ready' as const, steps }
    const needs: DatabaseNeeds = {
      jobs: new Map([[databaseId, server]]),
      names: new Map(),
      connections: new Map(),
    }
    actor.take(databaseBegun, { ...of, name: 'shop', owner: 'shop_app', userId: 'u-1' }, { needs })
    return { actor, intentId: `${databaseId}/${actor.state.call}.${Buffer.from(databaseId).toString('base64url')}` }
  }
  type Started = ReturnType<typeof started>
  const hear = ({ actor, intentId }: Started, status: 'accepted' | 'succeeded' | 'failed', more: object = {}) =>
    actor.take(
      execResult,
      { intentId, status, occurredAt: '2026-01-15T10:00:00Z', ...more },
      { needs: { connections: new Map() } },
    )

  it('is ordered with its server and without the password of the administrator', async () => {
    const posted: any[] = []
    const row = {
      name: 'shop',
      owner: 'shop_app',
      status: 'creating',
      region: 'us-east-1',
      provider: 'aws',
      steps,
      engine: 'postgres',
      secrets: 'sealed',
      accountName: 'A',
      accountStatus: 'connected',
      external_id: '1',
      regions: [],
      credentials: null,
      billing_export: null,
    }
    const tools = {
      reads: { rows: async () => [row] },
      publisher: { post: async (...order: unknown[]) => void posted.push(order.slice(1)) },
      now: () => new Date('2026-01-15T10:00:00Z'),
      open: () => expect.fail('the password was read'),
      executor: 'stream',
    } as never
    const call = { key: 'k', orgId: 'o1', attempt: 1, signal: new AbortController().signal }
    await databaseWork(tools).run({ ...of, call: 'creating/x-1' }, call)
    const [[orgId, id, { params, ...rest }]] = posted
    const { token, ...database } = params.database
    const intentId = `${databaseId}/creating/x-1.${Buffer.from(databaseId).toString('base64url')}`
    expect([orgId, id, rest, database]).to.deep.equal([
      'o1',
      intentId,
      {
        intentId,
        kind: 'create_database',
        cloudAccountId: 'acct-1',
        resourceUid: databaseId,
        source: { type: 'provisioning', id: jobId },
        revision: 1,
        dueAt: '2026-01-15T10:00:00.000Z',
        attempt: 1,
      },
      { region: 'us-east-1', name: 'shop', owner: 'shop_app', engine: 'postgres', outputs: { secret: output } },
    ])
    Object.assign(row, { status: 'deleting' })
    await databaseWork(tools).run({ ...of, call: 'deleting/x-2' }, call)
    expect([posted[1][2].kind, posted[1][2].params.database.token]).to.deep.equal(['drop_database', token])
  })

  it('is available once the executor says so, with the name of its secret; other calls change nothing', () => {
    const database = started()
    hear(database, 'accepted')
    hear({ ...database, intentId: database.intentId.replace('creating/', 'creating/0') }, 'succeeded')
    expect(database.actor.state.status).to.equal('creating')
    hear(database, 'succeeded', { output: { secretRef: 'vault/shop_app' } })
    expect(database.actor.state).to.include({ status: 'available', secretRef: 'vault/shop_app', secret: null })
    expect(database.actor.reminders.has('abandoned')).to.equal(false)
  })

  it('fails with the reason of the executor, or after six hours without one', () => {
    const refused = started()
    hear(refused, 'failed', { errorMessage: 'no quota' })
    expect(refused.actor.state.error).to.include({
      bucket: 'user_action',
      code: 'executor_failed',
      message: 'no quota',
    })
    const { actor } = started()
    expect(actor.reminders.get('abandoned')).to.equal(actor.state.createdAt.getTime() + 6 * 3_600_000)
  })
})
