/** How far the quotas of a region are used: what reaches one of them cannot grow. */
import type { ServiceQuota } from '@aws-sdk/client-service-quotas'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also } from '#streams/cloud/aws/discover/listed.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'

export interface PeakQuota {
  /** Used, of the quota. */
  percent: number
  /** The quota's, with the region. */
  name: string
}

/** What CloudWatch calls the services that publish how many resources they have, and what Service Quotas calls them. */
const serviceCodes: Readonly<Record<string, string>> = {
  'Auto Scaling': 'autoscaling',
  DynamoDB: 'dynamodb',
  EC2: 'ec2',
  EBS: 'ebs',
  'Elastic Load Balancing': 'elasticloadbalancing',
  Fargate: 'fargate',
  Lambda: 'lambda',
  RDS: 'rds',
  VPC: 'vpc',
}

const namespace = 'AWS/Usage'
const hourMs = 3_600_000
/** Queries of one call. */
const batchMax = 500

/** The quota that is used most; undefined where none says how far, or it is refused. */
export async function peakQuota(place: RegionScan, region: string): Promise<PeakQuota | undefined> {
  const codes = (await also(place, `usage ${region}`, () => servicesInUse(place, region))) ?? []
  const found: PeakQuota[] = []
  for (const code of codes) {
    const quotas = (await also(place, `quotas ${region}`, () => measuredQuotas(place, region, code))) ?? []
    const used = (await also(place, `used ${region}`, () => usageOf(place, region, quotas))) ?? []
    for (const [i, { QuotaName = '', Value = 0 }] of quotas.entries())
      found.push({ percent: ((used[i] ?? 0) / Value) * 100, name: `${QuotaName} (${region})` })
  }
  return found.filter(({ percent }) => percent > 0).toSorted((a, b) => b.percent - a.percent)[0]
}

/** The list of metrics is free, numbers are charged: only services that are used are asked for theirs. */
async function servicesInUse(place: RegionScan, region: string): Promise<Set<string>> {
  const codes = new Set<string>()
  const answers = place.session.pages(
    'cloudwatch',
    region,
    (m, NextToken) =>
      new m.ListMetricsCommand({
        Namespace: namespace,
        MetricName: 'ResourceCount',
        RecentlyActive: 'PT3H',
        ...(NextToken && { NextToken }),
      }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Metrics } of answers)
    for (const { Dimensions } of listOf(Metrics)) {
      const service = listOf(Dimensions).find(({ Name }) => Name === 'Service')?.Value
      const code = serviceCodes[service ?? '']
      if (code) codes.add(code)
    }
  return codes
}

/** Those of resources: rates of calls are throttled and do not fill up. */
async function measuredQuotas(place: RegionScan, region: string, ServiceCode: string): Promise<ServiceQuota[]> {
  const quotas: ServiceQuota[] = []
  const answers = place.session.pages(
    'service-quotas',
    region,
    (m, NextToken) => new m.ListServiceQuotasCommand({ ServiceCode, MaxResults: 100, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Quotas } of answers)
    quotas.push(
      ...listOf(Quotas).filter(
        ({ UsageMetric, Value = 0 }) => UsageMetric?.MetricName === 'ResourceCount' && Value > 0,
      ),
    )
  return quotas.slice(0, batchMax)
}

/** The latest numbers, in the order of the quotas; undefined where there is none. */
async function usageOf(
  place: RegionScan,
  region: string,
  quotas: readonly ServiceQuota[],
): Promise<(number | undefined)[]> {
  if (quotas.length === 0) return []
  const now = Date.now()
  const { MetricDataResults } = await place.session.ask(
    'cloudwatch',
    region,
    (m) =>
      new m.GetMetricDataCommand({
        StartTime: new Date(now - hourMs),
        EndTime: new Date(now),
        ScanBy: 'TimestampDescending',
        MetricDataQueries: quotas.map(({ UsageMetric }, i) => ({
          Id: `q${i}`,
          MetricStat: {
            Metric: {
              Namespace: UsageMetric?.MetricNamespace,
              MetricName: UsageMetric?.MetricName,
              Dimensions: Object.entries(UsageMetric?.MetricDimensions ?? {}).map(([Name, Value]) => ({ Name, Value })),
            },
            Period: 300,
            Stat: 'Maximum',
          },
        })),
      }),
  )
  const latest = new Map(listOf(MetricDataResults).map(({ Id, Values }) => [Id, Values?.[0]]))
  return quotas.map((_, i) => latest.get(`q${i}`))
}
