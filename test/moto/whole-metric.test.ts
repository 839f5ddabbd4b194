// tier: deep
/** What CloudWatch has measured, in the reports. */
import { expect } from 'chai'
import { describeMoto } from '#test/harness/moto.ts'
import { until } from '#test/harness/product.ts'
import { owning, region } from './account.ts'
import { connected, type Connected } from './connected.ts'
import { machines } from './standing.ts'

const hourMs = 3_600_000

describeMoto('metrics of an account of AWS', (moto) => {
  let org: Connected
  after(() => org.end())

  it('are fetched hour by hour into the reports, and again change nothing', async () => {
    const [machine, other] = await machines(moto(), 2)
    // Two whole hours that are over.
    const from = Math.floor(Date.now() / hourMs) * hourMs - 2 * hourMs
    const put = (InstanceId: string, MetricName: string, values: number[]) =>
      owning(moto(), (s) => {
        const Dimensions = [{ Name: 'InstanceId', Value: InstanceId }]
        const MetricData = values.map((Value, index) => {
          const Timestamp = new Date(from + index * 20 * 60_000)
          return { MetricName, Dimensions, Value, Timestamp }
        })
        return s.ask('cloudwatch', region, (m) => new m.PutMetricDataCommand({ Namespace: 'AWS/EC2', MetricData }))
      })
    await put(machine!, 'CPUUtilization', [10, 20, 60, 40, 50, 0])
    await put(machine!, 'NetworkIn', [1000, 2000, 3000, 4000, 5000, 6000])
    await put(other!, 'CPUUtilization', [80])
    org = await connected(moto(), { regions: [region] })
    await until('the machines', async () => (await org.data('/resources/count?type=aws-ec2')).count === 2)

    const shown = async () => {
      const range = `from=${new Date(from).toISOString()}&to=${new Date(from + 2 * hourMs).toISOString()}`
      const rows = await org.data(`/reports/resources/metrics?${range}`)
      return Object.fromEntries(rows.map(({ resourceUid, ...row }: any) => [resourceUid, row]))
    }
    for (const _ of [1, 2]) {
      await org.job('metric-collection')
      await until('both machines', async () => Object.keys(await shown()).length === 2)
      const rows = await shown()
      // Of two hours, each of mean 30, the higher peaks at 60.
      expect(rows[machine!].cpu).to.include({ avgPercent: 30, maxPercent: 60, samples: 2 })
      expect(rows[machine!].network).to.deep.equal({ inBytes: 21_000, outBytes: null })
      expect(rows[other!].cpu).to.include({ avgPercent: 80, maxPercent: 80, samples: 1 })
    }
    const asked = org.door.asked.filter(({ action }) => action === 'GetMetricData').length
    expect(asked).to.be.at.least(1)
  })
})
