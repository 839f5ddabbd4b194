// tier: deep
/** A fleet of machines at AWS that one schedule stops at one moment, within the pace that calls are held to. The stand-in takes longer a call the more there are: a thousand would take it minutes. */
import { expect } from 'chai'
import { amount } from '#test/harness/tier.ts'
import { describeMoto } from '#test/harness/moto.ts'
import { resetClock, setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { region } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { machines, runs } from './standing.ts'

const count = amount(60, 60, 250)
const pace = { perSecond: 40, burst: 20 }
const waitSeconds = 240

describeMoto('a fleet of machines', (moto) => {
  let org: Connected
  let uids: string[]
  before(async () => {
    uids = await machines(moto(), count)
    org = await connected(moto(), { regions: [region] }, pace)
    await until('the machines', async () => (await org.data('/resources/count?type=aws-ec2')).count === count, 60)
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  it('is stopped whole by one schedule: each machine once, by calls that keep to the pace, and by one role', async () => {
    const at = (time: string) => setClock(new Date(`2030-01-07T${time}Z`), org.orgId)
    await at('18:00:00')
    await org.done('POST', '/schedules', {
      name: 'Night',
      timezone: 'UTC',
      rules: [{ action: 'stop', cron: '0 20 * * *' }],
      resourceUIDs: uids,
    })
    const from = org.door.asked.length
    await at('20:00:00')
    const stopped = async () => (await org.data('/resources/count?type=aws-ec2&status=stopped')).count === count
    await until('all of them stopped', stopped, waitSeconds)
    const states = Object.values(await runs(moto()))
    expect([states.length, new Set(states)]).to.deep.equal([count, new Set(['stopped'])])

    const asked = org.door.asked.slice(from)
    const times = (name: string) => asked.filter(({ action }) => action === name).length
    expect(times('StopInstances')).to.equal(count)
    // Each is looked at before and behind its stop, beside what jobs of that hour look at.
    expect(times('DescribeInstances')).to.be.within(2 * count, 2 * count + 10)
    expect(times('AssumeRole')).to.be.at.most(1)
    const moments = asked.filter(({ service }) => service === 'ec2').map(({ at: moment }) => moment)
    const leastMs = ((moments.length - pace.burst) / pace.perSecond) * 1000
    expect(Math.max(...moments) - Math.min(...moments)).to.be.above(0.9 * leastMs)
  }).timeout(waitSeconds * 1000)
})
