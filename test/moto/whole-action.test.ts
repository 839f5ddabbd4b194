// tier: deep
/** What is started, stopped and counted at AWS by hand and by schedules, as the whole product and as AWS has it. */
import { expect } from 'chai'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { containers, group, machines, runs } from './standing.ts'

/** Questions that change something, by name. */
const changes = ({ door }: Connected, from = 0): string[] =>
  door.asked
    .slice(from)
    .map(({ action }) => action)
    .filter((action) => /^(Start|Stop|Update|Set|Terminate|Run|Register)/.test(action))

describeMoto('what is done at AWS', (moto) => {
  let org: Connected
  let uids: { machine: string; asg: string; service: string }
  before(async () => {
    const [machine] = await machines(moto(), 1)
    uids = { machine: machine!, asg: await group(moto(), 'web', 3), service: await containers(moto(), 'cart', 2) }
    org = await connected(moto(), { regions: [region] })
    await until('all of it', async () => (await Promise.all(Object.values(uids).map(shown))).every(Boolean))
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  const shown = async (uid: string): Promise<any> =>
    (await org.data(`/resources/by-uids?uids=${encodeURIComponent(uid)}`))[0]
  const act = async (uid: string, type: 'start' | 'stop') => {
    const { type: resourceType, region: place } = await shown(uid)
    const body = { type, resourceUID: uid, provider: 'aws', resourceType, cloudAccountID: org.accountId, region: place }
    const { actionID } = await org.done('POST', '/actions', body)
    let last: any
    await until(`the end of ${type} ${uid}`, async () => {
      last = await org.data(`/actions/${actionID}`)
      return ['succeeded', 'failed'].includes(last.status)
    })
    expect(last.errorMessage).to.equal(undefined)
    return last.status as string
  }
  const is = (uid: string, status: string) =>
    until(`${uid} ${status}`, async () => (await shown(uid)).status === status)
  const counts = () =>
    owning(moto(), async (s) => {
      const { AutoScalingGroups = [] } = await s.ask(
        'auto-scaling',
        region,
        (m) => new m.DescribeAutoScalingGroupsCommand({}),
      )
      const { services = [] } = await s.ask(
        'ecs',
        region,
        (m) => new m.DescribeServicesCommand({ cluster: 'shop', services: ['cart'] }),
      )
      const [{ MinSize, MaxSize, DesiredCapacity } = {}] = AutoScalingGroups
      return { asg: [MinSize, MaxSize, DesiredCapacity], service: services[0]!.desiredCount }
    })

  it('stops and starts a machine, once each', async () => {
    const from = org.door.asked.length
    expect(await act(uids.machine, 'stop')).to.equal('succeeded')
    await is(uids.machine, 'stopped')
    expect(await runs(moto())).to.deep.equal({ [uids.machine]: 'stopped' })
    expect(await act(uids.machine, 'stop')).to.equal('succeeded')
    expect(await act(uids.machine, 'start')).to.equal('succeeded')
    await is(uids.machine, 'running')
    expect((await runs(moto()))[uids.machine]).to.equal('running')
    expect(changes(org, from)).to.deep.equal(['StopInstances', 'StartInstances'])
  })

  it('brings a group and a service to nothing, and back to what they had', async () => {
    const from = org.door.asked.length
    for (const uid of [uids.asg, uids.service]) expect(await act(uid, 'stop')).to.equal('succeeded')
    expect(await counts()).to.deep.equal({ asg: [0, 6, 0], service: 0 })
    for (const uid of [uids.asg, uids.service]) await is(uid, 'stopped')
    for (const uid of [uids.asg, uids.service]) expect(await act(uid, 'start')).to.equal('succeeded')
    expect(await counts()).to.deep.equal({ asg: [2, 6, 3], service: 2 })
    await is(uids.asg, 'running')
    expect(changes(org, from)).to.deep.equal([
      'UpdateAutoScalingGroup',
      'UpdateService',
      'UpdateAutoScalingGroup',
      'UpdateService',
    ])
    const { items } = await org.data('/state-history?limit=100')
    const rows = items.map(({ resourceUid, state }: any) => `${resourceUid} ${state}`)
    expect(rows.slice(0, 4).toSorted()).to.deep.equal(
      [uids.asg, uids.service].flatMap((uid) => [`${uid} running`, `${uid} stopped`]).toSorted(),
    )
  })

  it('tells of a machine that somebody stopped at AWS with the next look at states, and of a new one with the next discovery', async () => {
    await owning(moto(), (s) =>
      s.ask('ec2', region, (m) => new m.StopInstancesCommand({ InstanceIds: [uids.machine] })),
    )
    const [fresh] = await machines(moto(), 1)
    await org.job('status-scan')
    await is(uids.machine, 'stopped')
    expect(await shown(fresh!)).to.equal(undefined)
    await org.job('discovery')
    await until('the new one', async () => (await shown(fresh!))?.status === 'running')
    expect(await act(uids.machine, 'start')).to.equal('succeeded')
    await is(uids.machine, 'running')
  })

  it('stops at the time of a schedule and starts at the next, once each', async () => {
    const at = (time: string) => setClock(new Date(`2030-01-07T${time}Z`), org.orgId)
    await at('18:00:00')
    await org.done('POST', '/schedules', {
      name: 'Night',
      timezone: 'UTC',
      rules: [
        { action: 'stop', cron: '0 20 * * *' },
        { action: 'start', cron: '0 22 * * *' },
      ],
      resourceUIDs: [uids.machine, uids.service],
    })
    const from = org.door.asked.length
    await at('20:00:00')
    await is(uids.machine, 'stopped')
    await is(uids.service, 'stopped')
    expect((await counts()).service).to.equal(0)
    await at('22:00:00')
    await is(uids.machine, 'running')
    await until('the service', async () => (await counts()).service === 2)
    expect(changes(org, from).toSorted()).to.deep.equal([
      'StartInstances',
      'StopInstances',
      'UpdateService',
      'UpdateService',
    ])
  })
})
