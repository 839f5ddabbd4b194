/** Recorded answers of CloudWatch and Cost Explorer, as the connector puts them together. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sum } from '#engine/value/decimal.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { readCostExplorer } from '#streams/cloud/aws/bill/explorer.ts'
import { samplesOf } from '#streams/cloud/aws/measure/measure.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import { describeReal } from '#test/real/data.ts'
import { linesOf, recordings, expectedIn, type Json } from '#test/real/inventory/recording.ts'
import { sdkShape } from '#test/real/inventory/xml.ts'
import { stubSession } from '#test/streams/cloud/aws/stub-session.ts'

interface Recorded {
  metric: string
  points: Map<number, number>
}

/** What was recorded of each metric, by time. */
const recorded = (path: string): Recorded[] =>
  linesOf(path).flatMap(({ requestBody, responseBody }: Json) => {
    const asked = new URLSearchParams(requestBody as string)
    if (asked.get('Action') !== 'GetMetricStatistics') return []
    const [{ GetMetricStatisticsResult: result }] = Object.values(sdkShape(responseBody as string)) as Json[]
    const points = new Map(
      (result.Datapoints as Json[]).map((point) => [Date.parse(point.Timestamp), Number(point.Average)] as const),
    )
    return [{ metric: asked.get('MetricName')!, points }]
  })

describeReal('recorded metrics and costs of AWS', (folder) => {
  const [path] = recordings(folder, 'aws', /^wire_cloudwatch_metrics/)

  it('give back every recorded number where the step is that of the recording', async () => {
    const all = recorded(path!)
    const { session } = stubSession(({ input }) => ({
      Metrics: [],
      MetricDataResults: input.MetricDataQueries?.map(({ Id, MetricStat: { Metric, Stat } }: Json) => {
        const found = Stat === 'Maximum' ? undefined : all.find(({ metric }) => metric === Metric.MetricName)
        return {
          Id,
          Timestamps: [...(found?.points.keys() ?? [])].map((at) => new Date(at)),
          Values: [...(found?.points.values() ?? [])],
        }
      }),
    }))
    const machine = { resourceUid: 'i-091369dd8a8d470ab', type: 'aws-ec2', region: 'eu-central-1' }
    const end = Date.parse('2018-01-18T12:15:00Z')
    const span = { from: Date.parse('2018-01-18T08:05:00Z'), to: end, stepMs: 300_000 }
    const values: Record<string, number[]> = {}
    for await (const { samples } of samplesOf(session, [machine], span, end))
      for (const { metric, value } of samples) (values[metric] ??= []).push(value)
    const expected = (expectedIn(folder, 'aws', path!) as { values: number[] }[]).map((one) => one.values.map(twelve))
    const [, out, into, , cpu] = expected
    expect(values).to.deep.equal({ cpu_percent: cpu, network_bytes_in: into, network_bytes_out: out })
  })

  it('give the mean of an hour, its highest and its total', async () => {
    const all = recorded(path!)
    const cpu = all.find(({ metric }) => metric === 'CPUUtilization')!.points
    const { session } = stubSession(({ input }) => {
      // The agent's series are asked for by name first: there are none.
      const [{ Id } = {}] = (input.MetricDataQueries ?? []) as Json[]
      return {
        Metrics: [],
        MetricDataResults: [{ Id, Timestamps: [...cpu.keys()].map((at) => new Date(at)), Values: [...cpu.values()] }],
      }
    })
    const machine = { resourceUid: 'i-091369dd8a8d470ab', type: 'aws-ec2', region: 'eu-central-1' }
    const [from, to] = [Date.parse('2018-01-18T10:00:00Z'), Date.parse('2018-01-18T11:00:00Z')]
    const found = []
    for await (const one of samplesOf(session, [machine], { from, to, stepMs: 3_600_000 }, to)) found.push(one)
    const hour = [...cpu].filter(([at]) => at >= from && at < to).map(([, value]) => value)
    expect(hour.length).to.equal(12)
    const mean = twelve(hour.reduce((total, value) => total + value, 0) / 12)
    const samples = [
      { metric: 'cpu_percent', value: mean, max: twelve(Math.max(...hour)), ts: new Date(from).toISOString() },
    ]
    expect(found).to.deep.equal([{ resourceUid: machine.resourceUid, samples }])
  })

  it('give a bill of the same sum as Cost Explorer, each line of its day', async () => {
    const file = 'billing/aws-cost-explorer/get_cost_and_usage_daily_by_service_2024-02-01_2024-03-21.json'
    const answer = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Json
    const { session } = stubSession(() => answer)
    const lines: BillingLine[] = []
    for await (const page of readCostExplorer(session, '2024-02-01', '2024-03-20')) lines.push(...page)
    const amounts = (answer.ResultsByTime as Json[]).flatMap(({ Groups }) =>
      Groups.map((group: Json) => group.Metrics.UnblendedCost.Amount as string),
    )
    expect(sum(lines.map(({ BilledCost }) => BilledCost as string))).to.equal(sum(amounts))
    expect(new Set(lines.map(({ lineId }) => lineId)).size).to.equal(lines.length)
    const days = lines.map((line) => costLine(line, new Date('2024-03-22T00:00:00Z')).x_Day)
    expect(days).to.deep.equal(days.toSorted())
  })
})

/** Adding leaves digits that are no measure. */
const twelve = (value: number): number => Number(value.toPrecision(12))
