// tier: deep
/** A product that leaves its calls to an executor of somebody else's: one that knows the stream alone, by a user of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { randomUUID } from 'node:crypto'
import { jetstream, type Consumer } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { expect } from 'chai'
import { natsServers } from '#config/state/connect.ts'
import { root } from '#config/process/root.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { answerOf, until } from '#test/harness/product.ts'
import { inherited, testFolder } from '#test/harness/stores.ts'

interface StreamUserMade {
  url: string
  consumer?: { stream: string; name: string; domain: string }
}

describe('an executor of the stream', () => {
  let folder: string
  let running: ChildProcess
  let url: string
  let org: string
  let token: string
  let account: string
  let producer: NatsConnection
  let executor: NatsConnection
  let intents: Consumer
  let events: Consumer
  const opened: NatsConnection[] = []

  const env = () => ({
    ...inherited,
    TIDEMARK_DATA_DIR: folder,
    TIDEMARK_DEMO: '0',
    TIDEMARK_LANES: '2',
    TIDEMARK_TEST_HOOKS: '1',
    EXECUTOR: 'stream',
    PORT: '0',
  })
  const launch = (...args: string[]) =>
    spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path.join(root, 'config/main.ts'), ...args], {
      cwd: folder,
      env: env(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const said = async (...args: string[]) => {
    const answer = JSON.parse((await inProcess(env(), ...args, '--json')).stdout)
    expect(answer, args.join(' ')).not.to.have.property('error')
    return answer
  }
  const signedIn = async (made: StreamUserMade): Promise<NatsConnection> => {
    const { url: at } = made
    expect(at, JSON.stringify(made)).to.be.a('string')
    const { servers, user, pass } = natsServers(at)
    const connection = await connect({ servers, user: user!, pass: pass!, reconnect: false })
    opened.push(connection)
    return connection
  }
  const own = (connection: NatsConnection, { consumer }: StreamUserMade): Promise<Consumer> =>
    jetstream(connection, { domain: consumer!.domain }).consumers.get(consumer!.stream, consumer!.name)

  before(async function () {
    this.timeout(180_000)
    folder = testFolder()
    running = launch('start', '--json')
    const [line] = (await once(createInterface(running.stdout!), 'line')) as [string]
    url = (JSON.parse(line) as { url: string }).url
    org = (await said('org', 'create', 'Shop')).id
    const [pat, produces, executes, consumes] = await Promise.all([
      said('pat', 'create', '--org', org, '--role', 'owner'),
      said('producer', 'create', '--org', org),
      said('executor', 'create'),
      said('consumer', 'create', '--org', org),
    ])
    token = pat.token
    producer = await signedIn(produces)
    executor = await signedIn(executes)
    intents = await own(executor, executes)
    events = await own(await signedIn(consumes), consumes)
    const connecting = { name: 'Production', provider: 'aws', externalID: 'shop' }
    const connected = await ask('POST', '/cloud-accounts', connecting)
    expect(connected.status, JSON.stringify(connected.body)).to.equal(201)
    account = connected.body.data.id
  })
  after(async () => {
    for (const connection of opened) await connection.close()
    if (!running || running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })

  async function ask(method: string, to: string, body?: unknown) {
    return answerOf<any>(
      await fetch(url + to, {
        method,
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  }
  const now = async () => (await ask('POST', '/internal/clock', { advanceSeconds: 0.001 })).body.now as string
  const envelope = async (type: string, data: object) =>
    JSON.stringify({ id: randomUUID(), type, schemaVersion: 1, orgId: org, time: await now(), data })
  const discovered = async (resourceUid: string, status: string, fields: object = {}) => {
    const data = {
      resourceUid,
      name: resourceUid,
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: account,
      region: 'eu',
      ...fields,
    }
    const message = await envelope('resource.discovered', { ...data, status })
    await jetstream(producer).publish(`ingest.resource.${org}.${account}`, message)
    await until(
      'it is known',
      async () => (await ask('GET', `/resources/by-uids?uids=${resourceUid}`)).body.data.length > 0,
    )
  }
  const submit = async (resourceUID: string, type: string) => {
    const body = { type, resourceUID, provider: 'aws', resourceType: 'aws-ec2', cloudAccountID: account, region: 'eu' }
    const answer = await ask('POST', '/actions', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(202)
    return answer.body.data.actionID as string
  }
  /** The next intent, taken as an executor takes it. */
  const taken = async () => {
    const message = await intents.next({ expires: 10_000 })
    await message!.ackAck()
    return { subject: message!.subject, ...message!.json<any>() }
  }
  const report = async (intentId: string, status: string, fields: object = {}, at = account) => {
    const message = await envelope('exec.result', { intentId, status, occurredAt: await now(), ...fields })
    await jetstream(executor).publish(`exec.result.${org}.${at}`, message)
  }
  const shown = async (actionId: string) => (await ask('GET', `/actions/${actionId}`)).body.data
  const becomes = (actionId: string, status: string) =>
    until(`${actionId} is ${status}`, async () => (await shown(actionId)).status === status)
  const statusOf = async (uid: string) => (await ask('GET', `/resources/by-uids?uids=${uid}`)).body.data[0].status
  const historyOf = async (uid: string) => (await ask('GET', `/state-history?resource_uid=${uid}`)).body.data.items
  const toldOf = async (count: number) => {
    const found: string[] = []
    for (let n = 0; n < count; n++) {
      const message = await events.next({ expires: 10_000 })
      await message!.ackAck()
      const { type, data } = message!.json<any>()
      found.push(`${type} ${data.scope.id}`)
    }
    return found.toSorted()
  }

  it('gets an intent, and what it says of it is what becomes of the action [G-21] [G-101] [ACT-13] [RES-39]', async () => {
    await discovered('i-1', 'running')
    const actionId = await submit('i-1', 'stop')
    const { subject, data } = await taken()
    expect(subject).to.equal(`exec.intent.${org}.${account}`)
    const { intentId, dueAt, source, ...rest } = data
    expect(rest).to.deep.equal({
      kind: 'stop',
      cloudAccountId: account,
      resourceUid: 'i-1',
      params: {},
      revision: 1,
      attempt: 1,
    })
    expect([source.type, dueAt]).to.deep.equal(['manual', (await shown(actionId)).createdAt])
    expect([(await shown(actionId)).status, await statusOf('i-1')]).to.deep.equal(['pending', 'running'])
    await report(intentId, 'accepted')
    await becomes(actionId, 'running')
    await until('it shows', async () => (await statusOf('i-1')) === 'stopping')
    await report(intentId, 'running')
    await report(intentId, 'succeeded', { observedState: 'stopped' })
    await becomes(actionId, 'succeeded')
    await until('it shows', async () => (await statusOf('i-1')) === 'stopped')
    // Said again, and otherwise: it is over.
    await report(intentId, 'succeeded', { observedState: 'running' })
    await report(intentId, 'failed', { retryable: true, errorMessage: 'no' })
    expect(await toldOf(1)).to.deep.equal(['resource.stopped i-1'])
    const next = await submit('i-1', 'start')
    const { data: second } = await taken()
    expect([second.kind, second.intentId === intentId]).to.deep.equal(['start', false])
    await report(second.intentId, 'succeeded', { observedState: 'running' })
    await becomes(next, 'succeeded')
    expect(await toldOf(1)).to.deep.equal(['resource.started i-1'])
    expect((await historyOf('i-1')).map(({ id, state }: any) => [id, state])).to.deep.equal([
      [next, 'running'],
      [actionId, 'stopped'],
    ])
    await until('it shows', async () => (await statusOf('i-1')) === 'running')
  })

  it('gets another intent for each of three tries, and a word of an older one is not heard [G-60]', async () => {
    await discovered('i-2', 'running')
    const actionId = await submit('i-2', 'stop')
    const ids: string[] = []
    for (const attempt of [1, 2, 3]) {
      const { data } = await taken()
      expect([data.attempt, data.revision]).to.deep.equal([attempt, attempt])
      for (const older of ids) await report(older, 'succeeded', { observedState: 'stopped' })
      ids.push(data.intentId)
      await report(data.intentId, 'accepted')
      await becomes(actionId, 'running')
      await report(data.intentId, 'failed', { retryable: true, errorMessage: `no ${attempt}` })
      await becomes(actionId, attempt < 3 ? 'pending' : 'failed')
      if (attempt < 3) await ask('POST', '/internal/clock', { advanceSeconds: attempt === 1 ? 31 : 121 })
    }
    expect(new Set(ids).size).to.equal(3)
    expect((await shown(actionId)).errorMessage).to.equal('no 3')
    expect(await toldOf(2)).to.deep.equal(['resource.failed i-2', 'resource.retry_exhausted i-2'])
    expect((await historyOf('i-2')).map(({ state }: any) => state)).to.deep.equal(['failed'])
  })

  it('is asked by schedules too, in the name of the schedule; a word under another account, or of nothing, does nothing [G-21]', async () => {
    await discovered('i-3', 'running')
    const from = new Date(await now())
    const minute = new Date(Math.ceil(from.getTime() / 60_000) * 60_000 + 60_000)
    const made = await ask('POST', '/schedules', {
      name: 'Night',
      timezone: 'UTC',
      rules: [{ action: 'stop', cron: `${minute.getUTCMinutes()} ${minute.getUTCHours()} * * *` }],
      resourceUIDs: ['i-3'],
    })
    await ask('POST', '/internal/clock', { now: minute.toISOString() })
    const { data } = await taken()
    expect([data.source, data.resourceUid]).to.deep.equal([{ type: 'schedule', id: made.body.data.id }, 'i-3'])
    await report(data.intentId, 'succeeded', { observedState: 'stopped' }, 'elsewhere')
    await report(`${randomUUID()}.aS0z`, 'succeeded', { observedState: 'stopped' })
    await report('no intent at all', 'succeeded', { observedState: 'stopped' })
    const statusOfEvent = async () => (await ask('GET', '/events')).body.data[0]?.status
    // Behind those, on the same way.
    await report(data.intentId, 'accepted')
    await until('it is under way', async () => (await statusOf('i-3')) === 'stopping')
    expect([await statusOfEvent(), await historyOf('i-3')]).to.deep.equal(['triggered', []])
    await report(data.intentId, 'succeeded', { observedState: 'stopped' })
    await until('the end', async () => (await statusOfEvent()) === 'completed')
    expect(await toldOf(1)).to.deep.equal(['resource.stopped i-3'])
    expect((await ask('GET', '/dead-letters')).body.data.items).to.deep.equal([])
    expect((await historyOf('i-3')).map(({ changedBy }: any) => changedBy)).to.deep.equal([
      `schedule:Night:${made.body.data.id}`,
    ])
  })

  it('is not stood in for by a producer, whatever it publishes wherever it may, while an action is under way', async () => {
    await discovered('i-4', 'running')
    const actionId = await submit('i-4', 'stop')
    const { data } = await taken()
    const { intentId } = data
    await report(intentId, 'accepted')
    await until('it is under way', async () => (await statusOf('i-4')) === 'stopping')
    const of = { cloudAccountId: account, resourceUid: 'i-4' }
    const at = new Date(Date.parse(await now()) + 1000).toISOString()
    const forged: Record<string, object> = {
      'action.reported': { ...of, intentId, status: 'succeeded', observedState: 'stopped' },
      'power.told': { ...of, actionId, at, n: 99, shows: null, observed: 'stopped' },
      'exec.result': { intentId, status: 'succeeded', observedState: 'stopped', occurredAt: at },
      'action.wanted': { ...of, actionId: 'forged', action: 'stop', reason: null, source: { type: 'manual', id: 'x' } },
      'action.limit_reached': { ...of, intentId },
    }
    const refused = async (subject: string, message: string) =>
      jetstream(producer, { timeout: 300 })
        .publish(subject, message)
        .then(
          () => 'taken',
          () => 'refused',
        )
    for (const [type, said] of Object.entries(forged)) {
      const message = await envelope(type, said)
      for (const kind of ['resource', 'control'])
        await jetstream(producer).publish(`ingest.${kind}.${org}.${account}`, message)
      for (const subject of [`ingest.actor.${org}.${account}`, `exec.result.${org}.${account}`])
        expect(await refused(subject, message), `${type} on ${subject}`).to.equal('refused')
    }
    // Behind all of it, on the same way.
    await discovered('i-5', 'running')
    expect([(await shown(actionId)).status, await statusOf('i-4'), await historyOf('i-4')]).to.deep.equal([
      'running',
      'stopping',
      [],
    ])
    const letters = (await ask('GET', '/dead-letters')).body.data.items.map(({ type, code }: any) => `${type} ${code}`)
    const each = Object.keys(forged).flatMap((type) => [`${type} wrong_subject`, `${type} wrong_subject`])
    expect(letters.toSorted()).to.deep.equal(each.toSorted())
    expect((await ask('GET', '/actions/forged')).status).to.equal(404)
    await report(intentId, 'succeeded', { observedState: 'stopped' })
    await becomes(actionId, 'succeeded')
    expect(await toldOf(1)).to.deep.equal(['resource.stopped i-4'])
  })

  it('is asked for what an override wants also where it still shows that, with an action that nobody has taken up [G-22]', async () => {
    await discovered('i-6', 'running')
    const actionId = await submit('i-6', 'stop')
    const { data: stop } = await taken()
    expect(await statusOf('i-6')).to.equal('running')
    const expiresAt = new Date(Date.parse(await now()) + 3_600_000).toISOString()
    const override = { scopeType: 'resource', scopeID: 'i-6', desiredState: 'running', expiresAt }
    const { id } = (await ask('POST', '/overrides', override)).body.data
    await report(stop.intentId, 'succeeded', { observedState: 'stopped' })
    await becomes(actionId, 'succeeded')
    const { data: start } = await taken()
    expect([start.kind, start.source]).to.deep.equal(['start', { type: 'override', id }])
    await report(start.intentId, 'succeeded', { observedState: 'running' })
    await until('it runs', async () => (await statusOf('i-6')) === 'running')
    expect(await toldOf(3)).to.deep.equal(['resource.override i-6', 'resource.started i-6', 'resource.stopped i-6'])
  })

  it('saves and deletes what a workflow was approved to delete, and is believed', async () => {
    const specs = { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true }
    await discovered('vol-1', 'running', { type: 'aws-ebs-volume', sizeGB: 100, specs })
    const found = async () =>
      (await ask('GET', '/recommendations?resource_uid=vol-1&rule_id=RC-1301')).body.data.items as { id: string }[]
    await until('the recommendation', async () => (await found()).length > 0)
    const begun = await ask('POST', `/recommendations/${(await found())[0]!.id}/workflow`)
    expect(begun.status, JSON.stringify(begun.body)).to.equal(202)
    const { jobID } = begun.body.data
    const job = async () => (await ask('GET', `/workflows/${jobID}`)).body.data
    await until('it waits', async () => (await job()).status === 'awaiting_user')
    expect((await ask('POST', `/workflows/${jobID}/steps/approval/approve`)).status).to.equal(200)
    for (const kind of ['snapshot', 'delete']) {
      const { data } = await taken()
      expect([data.kind, data.resourceUid, data.source]).to.deep.equal([kind, 'vol-1', { type: 'workflow', id: jobID }])
      await report(data.intentId, 'accepted')
      await report(data.intentId, 'succeeded')
    }
    // The result is looked for two seconds after the call.
    await until('its end', async () => {
      await ask('POST', '/internal/clock', { advanceSeconds: 3 })
      return (await job()).status === 'succeeded'
    })
  })

  it('alone has made calls: the product has made none', async () => {
    const { calls } = (await ask('GET', '/internal/sim/calls')).body.data
    expect(calls.filter(({ call }: any) => ['start', 'stop', 'look'].includes(call))).to.deep.equal([])
  })

  it('is asked for the units of a fleet by its policy, and by a plan, which puts them back when it is cancelled [G-101] [EVR-30] [EVR-45]', async () => {
    await discovered('asg-1', 'running', { type: 'aws-asg', unitCount: 4 })
    const made = await ask('POST', '/autoscaler-policies', {
      name: 'Web',
      mode: 'autopilot',
      cloudAccountID: account,
      target: { type: 'aws-asg', uid: 'asg-1' },
      min: 2,
      max: 10,
      targetCPUPercent: 60,
      cooldownSeconds: 60,
      triggers: [],
    })
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    const { id: policyId } = made.body.data
    const ts = await now()
    const sample = { resourceUid: 'asg-1', samples: [{ metric: 'cpu_percent', value: 90, ts }] }
    await jetstream(producer).publish(`ingest.metric.${org}.${account}`, await envelope('metric.sample', sample))
    const { subject, data: write } = await taken()
    expect([subject, write.kind, write.params, write.source]).to.deep.equal([
      `exec.intent.${org}.${account}`,
      'scale',
      { min: 6, max: 10, desired: 6 },
      { type: 'autoscaler_policy', id: policyId },
    ])
    await report(write.intentId, 'accepted')
    await report(write.intentId, 'succeeded')
    const kinds = async () =>
      (await ask('GET', `/autoscaler-policies/${policyId}/events`)).body.data.map((e: any) => e.kind)
    await until('its event', async () => (await kinds()).includes('write'))
    const at = Date.parse(await now())
    const plan = await ask('POST', '/event-readiness', {
      name: 'Sale',
      eventStart: new Date(at).toISOString(),
      eventEnd: new Date(at + 3_600_000).toISOString(),
      preScaleMinutes: 0,
      postEventMinutes: 0,
      expectedMultiplier: 2,
      timezone: 'UTC',
      targets: [{ policyId }],
    })
    const { id } = plan.body.data
    expect((await ask('POST', `/event-readiness/${id}/schedule`)).status).to.equal(202)
    const { data: raise } = await taken()
    const planned = { type: 'plan', id }
    // 6 x 2 x 90 / 60 is 18.
    expect([raise.params, raise.source]).to.deep.equal([{ min: 18, max: 30, desired: 18 }, planned])
    await report(raise.intentId, 'succeeded')
    const statusOfPlan = async () => (await ask('GET', `/event-readiness/${id}`)).body.data.status
    await until('it is active', async () => (await statusOfPlan()) === 'active')
    await ask('POST', `/event-readiness/${id}/cancel`)
    const { data: back } = await taken()
    expect([back.params, back.source]).to.deep.equal([{ min: 6, max: 10, desired: 6 }, planned])
    await report(back.intentId, 'succeeded')
    const stands = async () => (await ask('GET', `/autoscaler-policies/${policyId}`)).body.data
    await until('it is let go', async () => (await stands()).status === 'active')
    expect((await stands()).currentTarget).to.include({ min: 6, max: 10, desired: 6 })
  })
})
