import { expect } from 'chai'
import { metricSample } from '#streams/metric/messages.ts'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

describe('commands of autoscaler policies, beside a running product', () => {
  let f: Fleet
  let of: string[]
  let id: string
  before(async () => {
    f = await fleet()
    of = ['--org', f.orgId]
    await until('the verdict', async () => {
      const { body } = await f.get(`/cloud-accounts/${f.accountId}`)
      return body.data.permissionVerdict === 'read_write'
    })
    await f.discover(['asg-1'], 'running', { type: 'aws-asg', unitCount: 4 })
    const terms = { name: 'Web', mode: 'recommend', min: 2, max: 10, targetCPUPercent: 60 }
    const target = { type: 'aws-asg', uid: 'asg-1' }
    const made = await f.send('POST', '/autoscaler-policies', { ...terms, cloudAccountID: f.accountId, target })
    id = made.body.data.id
  })
  after(() => f.end())
  const run = (name: string, ...args: string[]): Promise<any> => tidemark('autoscaler', name, ...of, ...args)
  const printed = async (...args: string[]) => (await commanded('autoscaler', ...args)).stdout
  const exitCode = (...args: string[]): Promise<number> =>
    commanded('autoscaler', ...args).then(
      () => 0,
      (error: { code: number }) => error.code,
    )

  it('list them, pause and resume one, and say what it did', async () => {
    const [{ currentTarget }] = await run('list')
    expect(rowsOf(await printed('list', ...of))).to.deep.equal([
      [id, 'Web', 'active', 'recommend', 'asg-1', String(currentTarget.desired), '2..10', '-'],
    ])
    if (isDeep) expect(await printed('list', ...of, '--status', 'paused')).to.equal('No autoscaler policies.\n')
    expect((await run('pause', '--id', id)).status).to.equal('paused')
    if (isDeep) expect(await exitCode('pause', ...of, '--id', id)).to.equal(1)
    expect((await run('resume', '--id', id)).status).to.equal('active')
    await until('both events', async () => (await run('events', '--id', id)).length === 2)
    const events = rowsOf(await printed('events', ...of, '--id', id))
    expect(events.map(([, ...cells]) => cells)).to.deep.equal([
      ['pause', '-', '-', 'operator', '-'],
      ['resume', '-', '-', 'operator', '-'],
    ])
  })

  deepIt('apply what one recommends, and remove it', async () => {
    const samples = [
      { metric: 'cpu_percent' as const, value: 90, ts: new Date(f.connections.clock.now()).toISOString() },
    ]
    await f.publish(metricSample, [{ resourceUid: 'asg-1', samples }], { place: f.accountId })
    await until('the recommendation', async () => (await run('list'))[0].latestRecommendation !== undefined)
    const [{ latestRecommendation: wanted }] = await run('list')
    expect(rowsOf(await printed('list', ...of))[0]?.at(-1)).to.equal(`${wanted.toMin}..${wanted.toMax}`)
    await run('apply', '--id', id)
    await until('the change', async () => (await run('events', '--id', id)).at(-1).kind === 'apply')
    const [, kind, ...change] = rowsOf(await printed('events', ...of, '--id', id)).at(-1)!
    expect([kind, ...change.slice(0, 3)]).to.deep.equal(['apply', '2..10', `${wanted.toMin}..10`, 'operator'])
    expect(change[3]).to.match(/^CPU averaged/)
    expect((await run('remove', '--id', id)).status).to.equal('removed')
    expect(await printed('list', ...of)).to.equal('No autoscaler policies.\n')
    expect(await exitCode('apply', ...of, '--id', id)).to.equal(1)
    const trail = (await (await f.signedIn()).get('/security-events?type=autoscaler_changed,policy_applied')).body.data
    expect(trail.items.slice(0, 2).map((one: any) => [one.type, one.principal])).to.deep.equal([
      ['autoscaler_changed', 'operator'],
      ['policy_applied', 'operator'],
    ])
  })

  it('refuse what is no status, no count and no id before anything is opened', async () => {
    for (const args of [
      ['list', ...of, '--status', 'open'],
      ['list', ...of, '--limit', '0'],
      ['events', ...of, '--id', id, '--page', '0'],
      ['events', ...of],
      ['pause', '--id', id],
    ])
      expect(await exitCode(...args), args.join(' ')).to.equal(2)
  })
})
