import { expect } from 'chai'
import { anomalyFound, anomalyReviewed } from '#streams/anomaly.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { listen, soonMs, type Listening } from '#test/harness/live.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { tokensPath } from '#test/harness/side.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const today = new Date().toISOString().slice(0, 10)
const line = (lineId: string, cloudAccountId: string, costUSD: number, resourceUid = 'i-1') => ({
  lineId,
  cloudAccountId,
  resourceUid,
  costUSD,
  usageDate: today,
  provider: 'aws' as const,
  serviceName: 'ec2',
  exportedAt: `${today}T00:00:01Z`,
})
const found = { ...anomalyFound.examples[0]!, date: today }

describe('the stream of events', () => {
  let org: Tenant
  let open: Listening[]
  beforeEach(async () => {
    org = await tenant()
    open = []
  })
  afterEach(() => open.forEach((one) => one.stop()))

  const listening = async (token = org.token, of: Tenant = org): Promise<Listening> => {
    const one = await listen(of.url, token)
    open.push(one)
    return one
  }
  /** Over NATS, as a producer would: nothing is waited for but the acknowledgement. */
  const produce = (...lines: ReturnType<typeof line>[]) =>
    Promise.all(
      lines.map((data) =>
        org.product.get(tokens.publisher).publish({ subject: billingLine, orgId: org.orgId, data: data as never }),
      ),
    )
  const told = (one: Listening) => one.heard.map(({ event, data }) => [event, data])
  /** Somebody whose role sees a part. */
  const seeing = async (reportScope: object, permissions = ['service.view', 'space.view']): Promise<Founder> => {
    const role = await org.send('POST', '/roles', { name: `r-${Math.random()}`, permissions, reportScope })
    expect(role.status, JSON.stringify(role.body)).to.equal(201)
    return colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
  }

  it('begins at once, with what no proxy holds back and no cache keeps', async () => {
    const { answer, text } = await listening()
    expect(answer.headers['content-type']).to.match(/^text\/event-stream/)
    expect(answer.headers).to.include({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    expect(answer.headers).to.not.have.property('content-encoding')
    expect(text).to.equal('retry: 1000\n\nevent: ready\ndata: {}\n\n')
  })

  it('tells of a billing line soon after its message, and reports show it by then; of another organization nothing', async () => {
    const other = await tenant()
    const [one, theirs] = [await listening(), await listening(other.token, other)]
    const began = performance.now()
    await produce(line('l-1', 'acct-1', 12.5))
    const { data, at } = await one.next('costs.changed')
    const { body } = await org.get(`/reports/trends?from=${today}&to=${today}`)
    expect(data).to.deep.equal({ days: [today], cloudAccountIDs: ['acct-1'] })
    if (isDeep) expect(at - began).to.be.below(soonMs)
    expect(body.data.items.map(({ costUSD }: any) => costUSD)).to.deep.equal([12.5])
    await other.publish(billingLine, [line('l-1', 'acct-9', 1)] as never)
    await theirs.next('costs.changed')
    expect(told(theirs)).to.deep.equal([
      ['ready', {}],
      ['costs.changed', { days: [today], cloudAccountIDs: ['acct-9'] }],
    ])
    expect(one.heard.flatMap((event) => event.data.cloudAccountIDs ?? [])).to.deep.equal(['acct-1'])
  })

  deepIt('makes few events of many lines, and the last of them comes behind the last sum', async () => {
    const one = await listening()
    const began = performance.now()
    const lines = Array.from({ length: 2_000 }, (_, n) => line(`l-${n}`, `acct-${n % 4}`, 1))
    await org.publish(billingLine, lines as never)
    const seconds = (performance.now() - began) / 1000
    const total = async () =>
      (await org.get(`/reports/trends?from=${today}&to=${today}`)).body.data.items[0].costUSD as number
    expect(await total()).to.equal(2_000)
    const costs = () => one.heard.filter(({ event }) => event === 'costs.changed')
    await until('all accounts', () => new Set(costs().flatMap(({ data }) => data.cloudAccountIDs)).size === 4)
    expect(costs().length).to.be.within(1, Math.ceil(5 * seconds) + 2)
  })

  it('tells who sees one account of that alone, and of no anomaly that he may not see', async () => {
    const { accessToken } = await seeing({ all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] })
    const one = await listening(accessToken)
    const whole = await listening()
    await produce(line('l-1', 'acct-1', 1))
    await whole.next('costs.changed')
    const anomaly = { ...found, type: 'cloud_account' as const }
    await org.publish(anomalyFound, [
      { ...found, key: org.orgId },
      { ...anomaly, key: 'acct-1', cloudAccountId: 'acct-1' },
      { ...anomaly, key: 'acct-2', cloudAccountId: 'acct-2' },
    ])
    await produce(line('l-2', 'acct-2', 1), line('l-3', 'acct-1', 1))
    await one.next('costs.changed')
    const { body } = await ask('GET', `/reports/anomalies?from=${today}&to=${today}`, { token: accessToken })
    const id = body.data.items[0].id as string
    expect(told(one)).to.have.deep.members([
      ['ready', {}],
      ['anomaly.recorded', { id, date: today, type: 'cloud_account', severity: 'critical' }],
      ['costs.changed', { days: [today], cloudAccountIDs: ['acct-2'] }],
    ])
    await until('all of it', () => whole.heard.filter(({ event }) => event === 'anomaly.recorded').length === 3)
  })

  deepIt('tells who sees a team of the accounts in which it has costs', async () => {
    const team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-7'] })
    await org.publish(billingLine, [line('l-1', 'acct-7', 3, 'i-7'), line('l-2', 'acct-8', 3, 'i-8')] as never)
    const { accessToken } = await seeing({ all: false, cloudAccountIDs: [], teamIDs: [team] })
    const byTeam = async () => {
      const asked = `/reports/costs/breakdown?dims=cloud_account_id&from=${today}&to=${today}`
      return JSON.stringify((await ask('GET', asked, { token: accessToken })).body)
    }
    await until('the costs of the team', async () => (await byTeam()).includes('acct-7'))
    const [one, whole] = [await listening(accessToken), await listening()]
    await produce(line('l-2', 'acct-8', 4, 'i-8'))
    await whole.next('costs.changed', (data) => data.cloudAccountIDs.includes('acct-8'))
    await produce(line('l-1', 'acct-7', 4, 'i-7'))
    const { data } = await one.next('costs.changed')
    expect(data).to.deep.equal({ days: [today], cloudAccountIDs: ['acct-7'] })
  })

  /** A discovery, in the words of its status. */
  const discovered = async (one: Listening) => {
    const account = await org.send('POST', '/cloud-accounts', {
      name: 'staging',
      provider: 'aws',
      externalID: 'sim-aws-staging',
      credentials: { roleARN: 'arn:aws:iam::111111111111:role/r', externalID: 'x' },
    })
    expect(account.status, JSON.stringify(account.body)).to.equal(201)
    const ended = await one.next('refresh.progress', ({ status }) => status === 'completed')
    const status = (await org.get('/resources/refresh/status')).body.data
    expect(ended.data).to.deep.equal({
      refreshID: status.id,
      status: 'completed',
      discovered: status.discovered,
      startedAt: status.startedAt,
      completedAt: status.completedAt,
    })
  }

  deepIt('tells what is found of resources, reviews, discoveries, bills and letters', async () => {
    const one = await listening()
    const at = { provider: 'aws', region: 'us-east-1', type: 'aws-ec2', status: 'running' } as const
    await org.publish(resourceDiscovered, [{ ...at, cloudAccountId: 'acct-1', resourceUid: 'i-1', name: 'web' }])
    expect((await one.next('inventory.changed')).data).to.deep.equal({ cloudAccountIDs: ['acct-1'] })

    await org.publish(anomalyFound, [{ ...found, key: org.orgId }])
    const { data } = await one.next('anomaly.recorded')
    expect(data).to.include({ date: today, type: 'org', severity: 'critical' })
    const review = { state: 'acknowledged' as const, userId: 'u1', at: new Date().toISOString() }
    await org.publish(anomalyReviewed, [{ date: today, type: 'org', key: org.orgId, review }])
    const { severity: _, ...which } = data
    expect((await one.next('anomaly.reviewed')).data).to.deep.equal({ ...which, state: 'acknowledged' })

    await discovered(one)

    const bill = { exportId: 'e-1', exportedAt: `${today}T00:00:01Z`, cloudAccountId: 'acct-5' }
    const exported = { ...line('l-1', 'acct-5', 1), ...bill, billingPeriod: today.slice(0, 7) }
    await org.publish(billingLine, [exported] as never)
    const periods = [{ period: today.slice(0, 7), lines: 1 }]
    await org.publish(billingExportEnded, [{ ...bill, provider: 'aws', periods }] as never)
    const turned = await one.next('bill.changed', ({ state }) => state === 'replaced')
    expect(turned.data).to.deep.equal({ cloudAccountID: 'acct-5', exportID: 'e-1', state: 'replaced' })

    await org.connections.log.publish({
      subject: `ingest.billing.${org.orgId}.acct-1`,
      id: `x-${org.orgId}`,
      body: '{',
    })
    const letter = await one.next('dead_letter.recorded')
    const { items } = (await org.get('/dead-letters')).body.data
    expect(letter.data).to.deep.equal({ id: items[0].id, code: items[0].code })
  })

  deepIt('tells of a budget that reaches a level', async () => {
    const team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id as string
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1'] })
    const body = { teamName: 'Core', monthlyBudgetUSD: 100, alertThresholdPercent: 80 }
    const { id } = (await org.send('POST', '/budgets', body)).body.data
    const one = await listening()
    const other = await listening((await seeing({ all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] })).accessToken)
    await org.publish(billingLine, [line('l-1', 'acct-1', 81)] as never)
    await org.send('POST', '/internal/jobs/budget-evaluation/run', { orgId: org.orgId })
    const { data } = await one.next('budget.evaluated')
    const month = today.slice(0, 7)
    expect(data).to.deep.equal({ budgetID: id, month, level: 'warning', spendUSD: 81, percentUsed: 81 })
    await other.next('costs.changed')
    expect(other.heard.map(({ event }) => event)).to.not.include('budget.evaluated')
  })

  deepIt('ends when its token is taken back, and its session is signed out, before the next look', async () => {
    const [holder, member] = [await org.signedIn(), await org.signedIn()]
    const { id, token } = (await holder.send('POST', tokensPath, { name: 'x' })).body.data
    const one = await listening(token)
    const [two, kept] = [await listening(member.token), await listening()]
    const began = performance.now()
    expect((await holder.send('DELETE', `${tokensPath}/${id}`)).status).to.equal(204)
    expect((await member.send('POST', '/auth/logout', {})).status).to.equal(204)
    await until('both ends', () => one.isOver && two.isOver)
    // The next look at who listens would be a quarter of a minute later.
    expect(performance.now() - began).to.be.below(12_000)
    expect(kept.isOver).to.equal(false)
    expect(await listen(org.url, token).catch((error: Error) => error.message)).to.equal('401 invalid_token')
  })

  deepIt('ends when a role loses the right, and asks for everything anew when it sees something else', async () => {
    const who = await seeing({ all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] })
    const one = await listening(who.accessToken)
    const roles = (await org.get('/roles?limit=100')).body.data.items as { id: string; name: string }[]
    const { id } = roles.find(({ name }) => name.startsWith('r-'))!
    const scope = { reportScope: { all: false, cloudAccountIDs: ['acct-2'], teamIDs: [] } }
    expect((await org.send('PATCH', `/roles/${id}`, scope)).status).to.equal(200)
    await one.next('resync')
    await produce(line('l-1', 'acct-1', 1), line('l-2', 'acct-2', 1))
    expect((await one.next('costs.changed')).data.cloudAccountIDs).to.deep.equal(['acct-2'])
    expect((await org.send('PATCH', `/roles/${id}`, { permissions: ['space.view'] })).status).to.equal(200)
    await until('the end', () => one.isOver)
  })

  deepIt('refuses the 51st stream of an organization', async () => {
    for (let n = 0; n < 50; n++) await listening()
    expect(await listen(org.url, org.token).catch((error: Error) => error.message)).to.equal('429 too_many_streams')
    open[0]!.stop()
    await until('room', async () =>
      listening().then(
        () => true,
        () => false,
      ),
    )
  })

  deepIt('says that something may be missing once the connection to NATS was away', async () => {
    const one = await listening()
    await org.connections.nats.reconnect()
    await one.next('resync')
    await produce(line('l-1', 'acct-1', 1))
    await one.next('costs.changed')
  })
})
