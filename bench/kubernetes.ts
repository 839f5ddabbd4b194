/**
 * A month of many clusters divided among their pods: hours of nodes, pods and claims made inside ClickHouse, a line a day for each
 * machine and disk, then all days worked out anew and divided. The ceiling is one scan of the same rows of pods.
 * Then its report is asked, by several groups. Pods of a workload have its labels, as they come of one template.
 * Usage: npm run -s bench -- kubernetes [--clusters 100] [--pods 50000] [--machines 2000] [--days 30]
 */
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { kubernetesCosts } from '#analytics/kubernetes/questions.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import { run } from '#analytics/store/query.ts'
import type { Static } from '#engine/value/schema.ts'
import { figure, goal, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '100' },
    pods: { type: 'string', default: '50000' },
    machines: { type: 'string', default: '2000' },
    days: { type: 'string', default: '30' },
  },
})
const size = {
  clusters: Number(values.clusters),
  pods: Number(values.pods),
  machines: Number(values.machines),
  /** Five clusters an account. */
  accounts: Math.ceil(Number(values.clusters) / 5),
}
const org = `bench-${randomUUID()}`
const dayOf = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
const days = Array.from({ length: Number(values.days) }, (_, n) => dayOf(n))

type Question = Static<typeof kubernetesCosts.params>

const set = await stage({ env: { LOG_LEVEL: 'silent' } })
const opened = await set.open()
const { clickhouse: ch } = opened

const of = `{org:String} AS org_id, concat('acct-', toString(cluster % {accounts:UInt32})) AS cloud_account_id,
  toDate32({day:String}) AS day, concat('cluster-', toString(cluster)) AS cluster_uid`
const when = `toDateTime(day, 'UTC') + 3600 * intDiv(number, {each:UInt64}) AS \`from\`, 3600 AS seconds`
/** Each hour of a day once, for each thing of a kind; `thing` is which. */
const hourly = `FROM (SELECT number, number % {each:UInt64} AS thing, thing % {clusters:UInt32} AS cluster, intDiv(thing, {clusters:UInt32}) AS place
  FROM numbers(24 * {each:UInt64}))`
const perCluster = '{machines:UInt32} / {clusters:UInt32}'
const nodes = `INSERT INTO kubernetes_node (org_id, cloud_account_id, day, cluster_uid, node, \`from\`, seconds, resource_uid, provider, region,
    instance_type, cpu_millicores, memory_kib, gpu_millis, cpu_ppm, gpu_ppm, price, x_Version)
  SELECT ${of}, concat('node-', toString(place)), ${when}, concat('i-', toString(thing)), 'aws', 'us-east-1', 'm5.4xlarge', 16000, 67108864, 0,
    650000, 0, 0.768, 1 ${hourly}`
const pods = `INSERT INTO kubernetes_pod (org_id, cloud_account_id, day, cluster_uid, namespace, pod, node, \`from\`, seconds, controller_kind,
    controller, labels, cpu_request, cpu_used, memory_request, memory_used, gpu_request, network_bytes, x_Version)
  SELECT ${of}, concat('ns-', toString(place % 20)), concat('app-', toString(place % 100), '-7f9c-', hex(sipHash64(place) % 1048576)),
    concat('node-', toString(place % toUInt32(${perCluster}))), ${when}, 'deployment', concat('app-', toString(place % 100)),
    map('app', concat('app-', toString(place % 100)), 'team', concat('team-', toString(place % 100 % 7)), 'pod-template-hash', '7f9c'),
    250 + sipHash64(thing) % 500, sipHash64(thing, number) % 1000, 524288 + sipHash64(thing) % 1048576, sipHash64(number) % 2097152, 0,
    sipHash64(number) % 100000000, 1 ${hourly}`
const claims = `INSERT INTO kubernetes_object (org_id, cloud_account_id, day, cluster_uid, kind, namespace, name, \`from\`, seconds, resource_uid,
    pods, x_Version)
  SELECT ${of}, 'claim', concat('ns-', toString(place % 20)), concat('data-', toString(place)), ${when}, concat('vol-', toString(thing)),
    [concat('app-', toString(place % 100), '-7f9c-', hex(sipHash64(place) % 1048576))], 1 ${hourly}`
const bills = `INSERT INTO cost_fact (x_OrgId, x_CloudAccountId, x_Day, x_LineId, x_Provider, x_PurchaseType, x_Source, x_ExportedAt,
    BilledCost, EffectiveCost, ContractedCost, ListCost, ChargeCategory, ChargePeriodStart, ChargePeriodEnd, RegionId, ServiceName,
    ResourceType, ResourceId, x_Version)
  SELECT {org:String}, concat('acct-', toString(number % {clusters:UInt32} % {accounts:UInt32})), toDate32({day:String}) AS d,
    concat({what:String}, toString(number)), 'aws', 'on_demand', 'actual', toDateTime64('2026-02-01 00:00:00', 3, 'UTC'),
    toDecimal128(1843200 + number, 14) / 100000 AS billed, billed, billed, billed, 'Usage', toDateTime(d, 'UTC'), toDateTime(d, 'UTC') + 86400, 'us-east-1', 'ec2',
    'aws-ec2', concat({what:String}, toString(number)), 1
  FROM numbers({each:UInt64})`

async function fill(query: string, day: string, each: number, what = ''): Promise<void> {
  await ch.command({ query, query_params: { org, day, each, what, ...size }, clickhouse_settings: { max_threads: 2 } })
}

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return (performance.now() - began) / 1000
}

const made = await seconds(async () => {
  for (const day of days) {
    await fill(nodes, day, size.machines)
    await fill(pods, day, size.pods)
    await fill(claims, day, Math.ceil(size.pods / 50))
    await fill(bills, day, size.machines, 'i-')
    await fill(bills, day, Math.ceil(size.pods / 50), 'vol-')
  }
})
const rows = size.pods * 24 * days.length
say(
  `${figure(size.clusters)} clusters, ${figure(size.machines)} machines, ${figure(size.pods)} pods, ${days.length} days: ${figure(rows)} hours of pods, made in ${figure(made)} s`,
)

const scan = `SELECT sum(greatest(toUInt128(cpu_request), ifNull(cpu_used, 0)) * seconds), sum(greatest(memory_request, ifNull(memory_used, 0))),
  sum(length(labels)), uniq(pod) FROM kubernetes_pod WHERE org_id = {org:String}`
const ceiling = await seconds(() =>
  ch.query({ query: scan, query_params: { org }, format: 'JSON' }).then((result) => result.json()),
)
const dirty: CostDay[] = days.flatMap((day) =>
  Array.from({ length: size.accounts }, (_, n) => ({ orgId: org, cloudAccountId: `acct-${n}`, day })),
)
const divided = await seconds(() => recomputeCostDays(ch, dirty, '1'))
say(
  `divided in ${figure(divided)} s (${figure(rows / divided)} hours of pods a second); one scan of them ${figure(ceiling)} s`,
)
say(`ratio to the scan: ${figure(divided / ceiling)}`)

/** As the route asks by nothing finer than namespaces. */
const coarse: object = { coarse: 1 }

/** Milliseconds of a question asked anew: the first, and the middle of five. */
async function told(name: string, more: Partial<Question>): Promise<number> {
  const question = { ...kubernetesCosts.example, org, from: days[0]!, to: days.at(-1)!, ...more }
  const times: number[] = []
  for (let n = 0; n < 5; n++) times.push(1000 * (await seconds(() => run(ch, kubernetesCosts, question))))
  const [first] = times
  const middle = times.toSorted((a, b) => a - b)[2]!
  say(`report by ${name}: first ${figure(first!)} ms, middle of five ${figure(middle)} ms`)
  return middle
}

async function asked(name: string, more: Partial<Question>, max: number): Promise<void> {
  goal('kubernetes', `milliseconds of the report by ${name}`, await told(name, more), { max })
}

await asked('cluster', { by_namespace: 0, ...coarse }, 50)
await asked('namespace', coarse, 50)
await asked('workload', { by_controller: 1 }, 50)
await asked('label', { by_cluster: 0, by_namespace: 0, label: 'team' }, 50)
await asked('namespace, idle shared', { idle: 'shared', shares: 1, ...coarse }, 50)
await asked('workload, idle shared', { idle: 'shared', shares: 1, by_controller: 1 }, 50)
const byPod = { by_controller: 1, by_pod: 1 }
await told('pod', byPod)
await told('pod, idle shared', { ...byPod, idle: 'shared', shares: 1 })

const rest = `SELECT toString(sum(cost)) AS rest, count() AS days FROM (
  SELECT cloud_account_id, day, sum(billed_cost) - (SELECT 0) AS cost FROM kubernetes_cost_slot WHERE org_id = {org:String} GROUP BY cloud_account_id, day
  UNION ALL SELECT cloud_account_id, day, -sum(billed_cost) FROM cost_daily WHERE org_id = {org:String} GROUP BY cloud_account_id, day)`
const [left] = await (
  await ch.query({ query: rest, query_params: { org }, format: 'JSONEachRow' })
).json<{ rest: string; days: string }>()
const isExact = left?.rest === '0' && Number(left.days) === 2 * dirty.length
goal('kubernetes', 'minutes until all days are divided', divided / 60, { max: 5 })
goal('kubernetes', 'days that the parts of do not add up to the bill', isExact ? 0 : 1, { max: 0 })
await opened.close()
await set.close()
process.exit(isExact ? 0 : 1)
