/** Series of daily costs, and what is found in them. The analysed day is told to the job, so that real time does not matter. */
import { expect } from 'chai'
import { parseJson } from '#engine/value/json.ts'
import { subjectToken } from '#engine/actor/subject.ts'
import { anomalyNotified } from '#streams/anomaly.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { settle } from '#config/state/settle.ts'
import type { Tenant } from '#test/harness/product.ts'

const dayMs = 86_400_000
const analysed = Date.parse('2026-03-20')

/** The day so many days after the analysed one. */
export const day = (offset: number): string => new Date(analysed + offset * dayMs).toISOString().slice(0, 10)

/** An actual line of a resource (r1 unless told) on a day, in US dollars. */
export function line(
  offset: number,
  costUSD: number | string,
  { n = '', ...more }: Partial<BillingLine> & { n?: string } = {},
): BillingLine {
  const resourceUid = more.resourceUid ?? 'r1'
  return {
    lineId: `${day(offset)}/${resourceUid}${n}`,
    cloudAccountId: 'acct-1',
    provider: 'aws',
    resourceUid,
    serviceName: 'compute',
    resourceType: 'aws-ec2',
    region: 'us-east-1',
    usageDate: day(offset),
    purchaseType: 'on_demand',
    costUSD: String(costUSD),
    source: 'actual',
    exportedAt: '2026-04-01T00:00:00Z',
    ...more,
  }
}

/** Lines of the days before the analysed one, the last of them the day before. */
export const before = (costs: readonly (number | string)[], more: Partial<BillingLine> = {}): BillingLine[] =>
  costs.map((cost, i) => line(i - costs.length, cost, more))

export const publish = (org: Tenant, lines: readonly BillingLine[]): Promise<void> => org.publish(billingLine, lines)

export async function detect(org: Tenant, date = day(0)): Promise<void> {
  const ran = await org.send('POST', '/internal/jobs/anomaly-detection/run', { orgId: org.orgId, date })
  expect(ran.status, JSON.stringify(ran.body)).to.equal(202)
}

/** Records of a month around the analysed day, newest first. */
export async function anomalies(org: Tenant, query = ''): Promise<any[]> {
  const { status, body } = await org.get(`/reports/anomalies?from=${day(-30)}&to=${day(30)}&limit=100${query}`)
  expect(status, JSON.stringify(body)).to.equal(200)
  return body.data.items
}

/** What comes of it when a receiver accepts messages that tell of these events. */
export const accept = (org: Tenant, events: readonly any[]): Promise<void> =>
  org.publish(
    anomalyNotified,
    events.map(({ scope, data }) => ({
      type: scope.type,
      key: scope.id || org.orgId,
      date: data.date,
      at: new Date().toISOString(),
    })),
  )

/** Listens to the organization's events; the call gives those that came until nothing of it is under way any more. */
export function told(org: Tenant, category = '*'): () => Promise<any[]> {
  const heard: any[] = []
  const { nats } = org.connections
  const subscription = nats.subscribe(`event.${category}.${subjectToken(org.orgId)}.>`, {
    callback: (_error, message) => void heard.push((parseJson(message.string()) as { data: unknown }).data),
  })
  return async () => {
    const left = await settle(org.connections, org.orgId, 120_000)
    expect(left, 'still under way').to.deep.equal([])
    await nats.flush()
    subscription.unsubscribe()
    return heard
  }
}
