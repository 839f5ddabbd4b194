import { expect } from 'chai'
import { metricSample } from '#streams/metric.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
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
    const line = `${id}  active  recommend  asg-1  ${currentTarget.desired} of 2..10  Web\n`
    expect(await printed('list', ...of)).to.equal(line)
    if (isDeep) expect(await printed('list', ...of, '--status', 'paused')).to.equal('There is no autoscaler policy.\n')
    expect((await run('pause', '--id', id)).status).to.equal('paused')
    if (isDeep) expect(await exitCode('pause', ...of, '--id', id)).to.equal(1)
    expect((await run('resume', '--id', id)).status).to.equal('active')
    await until('both events', async () => (await run('events', '--id', id)).length === 2)
    const events = (await printed('events', ...of, '--id', id)).trimEnd().split('\n')
    expect(events.map((one) => one.replace(/^\S+Z {2}/, ''))).to.deep.equal([
      'pause  by operator',
      'resume  by operator',
    ])
  }).timeout(120_000)

  deepIt('apply what one recommends, and remove it', async () => {
    const samples = [
      { metric: 'cpu_percent' as const, value: 90, ts: new Date(f.connections.clock.now()).toISOString() },
    ]
    await f.publish(metricSample, [{ resourceUid: 'asg-1', samples }], { place: f.accountId })
    await until('the recommendation', async () => (await run('list'))[0].latestRecommendation !== undefined)
    const [{ latestRecommendation: wanted }] = await run('list')
    expect(await printed('list', ...of)).to.contain(`  recommends ${wanted.toMin}..${wanted.toMax}  Web\n`)
    await run('apply', '--id', id)
    await until('the change', async () => (await run('events', '--id', id)).at(-1).kind === 'apply')
    expect(await printed('events', ...of, '--id', id)).to.contain(
      `  apply  2..10 to ${wanted.toMin}..10  by operator  CPU was`,
    )
    expect((await run('remove', '--id', id)).status).to.equal('removed')
    expect(await printed('list', ...of)).to.equal('There is no autoscaler policy.\n')
    expect(await exitCode('apply', ...of, '--id', id)).to.equal(1)
    const trail = (await (await f.signedIn()).get('/security-events?type=autoscaler_changed,policy_applied')).body.data
    expect(trail.items.slice(0, 2).map((one: any) => [one.type, one.principal])).to.deep.equal([
      ['autoscaler_changed', 'operator'],
      ['policy_applied', 'operator'],
    ])
  })?.timeout(120_000)

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
