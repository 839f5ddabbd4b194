/**
 * The series of metrics whose dimensions are chosen by whoever sends them. The CloudWatch agent adds dimensions as it is
 * configured: a query that does not name all of them finds nothing, so CloudWatch is asked which there are.
 */
import type { Metric } from '@aws-sdk/client-cloudwatch'
import { Fault } from '#engine/value/fault.ts'
import { isCredentialsRefused, type ResourceRef } from '#streams/cloud/connector.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { sourcesFor, type Dimensions, type OpenSeries } from './query.ts'

/** File systems in memory, and views of others: none of them can be made smaller. */
const otherFileSystems = ['tmpfs', 'devtmpfs', 'overlay', 'squashfs']
/** Series of one resource; more would be more than a batch of queries can hold. */
const seriesMax = 40

interface FoundSeries {
  openSeries: OpenSeries
  /** What could not be listed; the resource then has no such metric. */
  failure: unknown
}

/** One list for each metric, of the whole region. */
export async function openSeriesIn(
  session: AwsSession,
  region: string,
  resources: readonly ResourceRef[],
): Promise<FoundSeries> {
  const open = resources.flatMap((ref) => sourcesFor(ref).filter(({ isOpen }) => isOpen))
  const lists = new Map(
    open.map(({ namespace, names }) => [keyOf(namespace, names[0]!), { namespace, name: names[0]! }]),
  )
  const found = new Map<string, ReadonlyMap<string, Dimensions[]>>()
  let failure: unknown
  for (const [key, { namespace, name }] of lists)
    try {
      found.set(key, byDimension(await metricsIn(session, region, namespace, name)))
    } catch (error) {
      if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
      failure ??= error
    }
  const openSeries: OpenSeries = ({ namespace, names }, [fixed]) =>
    found.get(keyOf(namespace, names[0]!))?.get(`${fixed?.Name}=${fixed?.Value}`)?.slice(0, seriesMax) ?? []
  return { openSeries, failure }
}

const keyOf = (namespace: string, name: string): string => `${namespace} ${name}`

async function metricsIn(
  session: AwsSession,
  region: string,
  Namespace: string,
  MetricName: string,
): Promise<Metric[]> {
  const answers = session.pages(
    'cloudwatch',
    region,
    (m, NextToken) => new m.ListMetricsCommand({ Namespace, MetricName, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  return (await Array.fromAsync(answers)).flatMap(({ Metrics = [] }) => Metrics)
}

/** By each of its dimensions, as `InstanceId=i-1`. */
function byDimension(metrics: readonly Metric[]): ReadonlyMap<string, Dimensions[]> {
  const found = new Map<string, Dimensions[]>()
  for (const { Dimensions = [] } of metrics) {
    const set = Dimensions.flatMap(({ Name, Value }) => (Name && Value ? [{ Name, Value }] : []))
    if (set.some(({ Name, Value }) => Name === 'fstype' && otherFileSystems.includes(Value))) continue
    for (const { Name, Value } of set) found.set(`${Name}=${Value}`, [...(found.get(`${Name}=${Value}`) ?? []), set])
  }
  return found
}
