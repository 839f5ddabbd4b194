import { randomUUID } from 'node:crypto'
import type { ClickHouseClient } from '@clickhouse/client'
import { expect } from 'chai'
import fc from 'fast-check'
import { podLabels } from '#analytics/kubernetes/questions.ts'
import { foldUsage } from '#analytics/rollup/daily-usage/fold-usage.ts'
import { recomputeCostDays } from '#analytics/rollup/daily-cost/cost-rollup.ts'
import { now, replaced, worldChance, type World } from '#test/analytics/kubernetes-chance.ts'
import { handedOut } from '#test/analytics/kubernetes-idle.ts'
import { ownedBy, partsOf } from '#test/analytics/kubernetes-model.ts'
import type { Part } from '#test/analytics/kubernetes-rows.ts'
import { put } from '#test/analytics/kubernetes-world.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const clusters = amount(30, 200, 1000)
const perOrg = 25
const costs = ['billed_cost', 'effective_cost', 'contracted_cost', 'list_cost'] as const
const idleColumns = ['cpu', 'memory', 'gpu'].flatMap((component) => costs.map((cost) => `${component}_idle_${cost}`))
const costComponents = ['cpu', 'memory', 'gpu', 'storage', 'load_balancer', 'network']
const bill = 'provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid'
const current = 'edition IN (SELECT edition FROM cost_day FINAL WHERE org_id IN {orgs:Array(String)})'
/** Counts of the 14th place, as text. */
const exact = (sums = (cost: string) => cost) =>
  costs.map((cost) => `toString(reinterpret(${sums(cost)}, 'Int128'))`).join(', ')

const decimal = (count: bigint): string => {
  const digits = String(count < 0n ? -count : count).padStart(15, '0')
  return `${count < 0n ? '-' : ''}${digits.slice(0, -14)}.${digits.slice(-14)}`
}

describe('costs of clusters of chance', function () {
  this.timeout(300_000)
  const run = randomUUID().slice(0, 8)
  const worlds = fc.sample(worldChance, { numRuns: clusters, seed: 20_260_115 })
  const placeOf = (n: number) => ({ org_id: `k${run}-${Math.floor(n / perOrg)}`, cloud_account_id: `acct-${n}` })
  const orgs = [...new Set(worlds.map((_, n) => placeOf(n).org_id))]
  let ch: ClickHouseClient
  let after: World[]

  const all = async <T>(query: string): Promise<T[]> =>
    (await ch.query({ query, query_params: { orgs }, format: 'JSONCompactEachRow' })).json<T>()

  async function send(some: readonly World[], version: string): Promise<void> {
    for (const table of ['node', 'pod', 'object'] as const) {
      const rows = some.flatMap((world, n) =>
        world[`${table}s`].map((row) => ({ ...placeOf(n), ...row, x_Version: version })),
      )
      await put(ch, `kubernetes_${table}`, rows)
    }
    const lines = some.flatMap((world, n) => world.lines.map((line) => lineRow(n, line, version)))
    await put(ch, 'cost_fact', lines)
  }

  const lineRow = (n: number, line: World['lines'][number], version: string, more = {}) => {
    const { org_id, cloud_account_id } = placeOf(n)
    const [billed = 0n, effective = 0n, contracted = 0n, list = 0n] = line.costs
    return fact(org_id, line.id, decimal(billed), {
      x_CloudAccountId: cloud_account_id,
      x_Day: line.day,
      x_PurchaseType: line.purchase_type,
      x_Source: line.isEstimate ? 'estimate' : 'actual',
      EffectiveCost: decimal(effective),
      ContractedCost: decimal(contracted),
      ListCost: decimal(list),
      ChargeCategory: line.charge_category,
      ChargePeriodStart: line.start,
      ChargePeriodEnd: line.end,
      ConsumedUnit: line.unit,
      RegionId: line.region,
      ResourceId: line.resource_uid,
      ResourceType: line.resource_type,
      ServiceName: line.service_name,
      SkuMeter: line.meter,
      x_Version: version,
      ...more,
    })
  }

  const recompute = (generation: string, each = 1) => {
    const days = worlds.flatMap((world, n) => {
      if (n % each !== 0) return []
      const { org_id: orgId, cloud_account_id: cloudAccountId } = placeOf(n)
      return [...new Set([...world.nodes, ...world.objects, ...world.lines].map(({ day }) => day))].map((day) => ({
        orgId,
        cloudAccountId,
        day,
      }))
    })
    return recomputeCostDays(ch, days, generation, { now })
  }

  before(async () => {
    ch = await testClickHouse()
    after = worlds.map(replaced)
    await send(worlds, '1')
    await recompute('1')
  })

  it('are divided row by row as the rules say', () => divided(worlds))
  it('add up to the rows of the bill, for each of the four costs', () => addedUp(worlds))
  it('hand out what is idle of each day to those who used the cluster, to the last decimal', () =>
    idleHandedOut(worlds))
  it('are the same by workload', byWorkload)

  deepIt(
    'are divided anew when bills are replaced and usage is sent again, and nothing is left of the old',
    async () => {
      const gone = worlds.flatMap((world, n) =>
        world.lines.filter((_, k) => k % 3 === 2).map((line) => lineRow(n, line, '2', { x_Deleted: 1 })),
      )
      await put(ch, 'cost_fact', gone)
      await send(after, '2')
      // From then on some days stand in one slot and some in the other.
      await recompute('2', 3)
      await recompute('3')
      await divided(after)
      await addedUp(after)
      await idleHandedOut(after)
      await byWorkload()
      await inTheirSlots()
    },
  )

  deepIt('are divided the same once their usage is folded by day', async () => {
    const before = new Date('2026-02-01T00:00:00Z')
    await foldUsage(ch, before)
    expect(await foldUsage(ch, before), 'in place of the intervals').to.have.length.greaterThan(0)
    await recompute('4')
    await divided(after)
    await idleHandedOut(after)
  })

  /** Else they would have taken the place of rows that were read until the day was published. */
  async function inTheirSlots(): Promise<void> {
    const days = '(SELECT org_id, cloud_account_id, day, slot FROM cost_day FINAL WHERE org_id IN {orgs:Array(String)})'
    expect(await all(`SELECT DISTINCT slot FROM ${days} ORDER BY slot`)).to.deep.equal([[0], [1]])
    for (const table of [
      'cost_daily',
      'usage_daily',
      'kubernetes_cost',
      'kubernetes_idle',
      'kubernetes_workload',
      'kubernetes_namespace',
    ]) {
      const elsewhere = `SELECT toUInt32(count()) FROM ${table}_slot WHERE org_id IN {orgs:Array(String)} AND ${current}
        AND (org_id, cloud_account_id, day, slot) NOT IN ${days}`
      expect(await all(elsewhere), table).to.deep.equal([[0]])
    }
  }

  /** Rows that say nothing, neither cost nor quantity, are none. */
  async function divided(some: readonly World[]): Promise<void> {
    const query = `SELECT cloud_account_id, concat_ws('|', toString(day), cluster_uid, ${bill}, node, namespace, controller_kind, controller, pod, kind, component,
        toString(estimated), toString(estimated_lines > 0), toString(mapSort(labels))), [${exact()}], [requested, used, allocated]
      FROM kubernetes_cost_slot WHERE org_id IN {orgs:Array(String)} AND ${current}
        AND (billed_cost != 0 OR effective_cost != 0 OR contracted_cost != 0 OR list_cost != 0 OR requested != 0 OR used != 0 OR allocated != 0)`
    const rows = await all<[string, string, string[], number[]]>(query)
    const found = Map.groupBy(rows, ([account]) => account)
    let compared = 0
    some.forEach((world, n) => {
      const mine = (found.get(placeOf(n).cloud_account_id) ?? []).map(([, who, of, quantities]) =>
        shown(who, of, quantities),
      )
      const wanted = partsOf(world)
        .filter(isSomething)
        .map((part) => shown(nameOf(part), part.costs.map(String), part.quantities))
      expect(
        mine.toSorted(),
        `cluster ${n}: ${JSON.stringify(world, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`,
      ).to.deep.equal(wanted.toSorted())
      compared += wanted.length
    })
    expect(compared, 'rows compared').to.be.greaterThan(10 * clusters)
  }

  /** For every (day, account, resource and each other dimension) of a resource of a cluster. */
  async function addedUp(some: readonly World[]): Promise<void> {
    const read = async (table: string, where: string) =>
      all<
        [string, string, string, string[]]
      >(`SELECT cloud_account_id, concat(toString(day), ' ', resource_uid), concat_ws('|', ${bill}), [${exact((cost) => `sum(${cost})`)}]
        FROM ${table} WHERE org_id IN {orgs:Array(String)} AND ${where} GROUP BY cloud_account_id, day, ${bill} ORDER BY ALL`)
    const divided = await read('kubernetes_cost_slot', `${current} AND estimated = 0 AND kind != 'usage'`)
    const owned = new Set(
      some.flatMap((world, n) => [...ownedBy(world)].map((one) => `${placeOf(n).cloud_account_id} ${one}`)),
    )
    const billed = (await read('cost_daily', '1')).filter(
      ([account, resource]) => owned.has(`${account} ${resource}`) && !resource.endsWith(' '),
    )
    expect(divided).to.deep.equal(billed)
    expect(billed.length).to.be.greaterThan(0.7 * clusters)
  }

  async function idleHandedOut(some: readonly World[]): Promise<void> {
    const who = 'cluster_uid, namespace, controller_kind, controller, pod, node, kind, toString(estimated)'
    const query = `SELECT cloud_account_id, concat_ws('|', toString(day), ${who}), [${idleColumns.map((one) => `toString(reinterpret(${one}, 'Int128'))`).join()}]
      FROM kubernetes_idle_slot WHERE org_id IN {orgs:Array(String)} AND ${current}`
    const found = Map.groupBy(await all<[string, string, string[]]>(query), ([account]) => account)
    let compared = 0
    some.forEach((world, n) => {
      const mine = (found.get(placeOf(n).cloud_account_id) ?? []).map(
        ([, row, amounts]) => `${row} ${amounts.join(' ')}`,
      )
      const wanted = [...handedOut(partsOf(world))].map(([row, amounts]) => `${row} ${amounts.join(' ')}`)
      expect(mine.toSorted(), `cluster ${n}`).to.deep.equal(wanted.toSorted())
      compared += wanted.length
    })
    expect(compared, 'rows compared').to.be.greaterThan(2 * clusters)
  }

  /** A table by what its rows are of, its costs and hours by component side by side or, in that of parts, row by row. */
  const ofParts = `org_id, edition, day, cloud_account_id, cluster_uid, namespace, controller_kind, controller, kind, estimated, labels, `
  const ofWorkloads = `toString(mapSort(mapFilter((k, v) -> k NOT IN (${podLabels.map((key) => `'${key}'`).join()}), labels)))`
  const withIdle = `(SELECT ${ofParts} component, ${costs.join()}, requested, used, allocated, measured,
      ${idleColumns.map((one) => `toDecimal128(0, 14) AS ${one}`).join()} FROM kubernetes_cost_slot
    UNION ALL SELECT ${ofParts} '', 0, 0, 0, 0, 0, 0, 0, 0, ${idleColumns.join()} FROM kubernetes_idle_slot)`
  const read = (table: string, of: string, isWide: boolean) => {
    const cost = (component: string) =>
      costs.map((one) => {
        const narrow = `sumIf(${one}, '${component}' IN ('', component))`
        return `toString(${isWide ? `sum(${component === '' ? one : `${component}_${one}`})` : narrow})`
      })
    const hours = ['cpu', 'memory'].flatMap((component) =>
      ['requested', 'used', 'allocated', 'measured'].map((quantity) =>
        isWide ? `sum(${component}_${quantity})` : `sumIf(${quantity}, component = '${component}')`,
      ),
    )
    const idle = idleColumns.map((one) => `toString(sum(${one}))`)
    const sums = [...['', ...costComponents].map(cost), idle, hours]
    return all(
      `SELECT cloud_account_id, day, cluster_uid, namespace, ${of} estimated, if(kind = 'usage', 'workload', kind) AS of_kind,
         ${sums.map((list) => `[${list.join()}]`).join()}
       FROM ${table} WHERE org_id IN {orgs:Array(String)} AND ${current}
       GROUP BY ALL ORDER BY ALL`,
    )
  }

  async function byWorkload(): Promise<void> {
    for (const [table, of, least] of [
      ['kubernetes_workload_slot', `controller_kind, controller, ${ofWorkloads},`, clusters],
      ['kubernetes_namespace_slot', '', clusters / 4],
    ] as const) {
      const [sums, parts] = [await read(table, of, true), await read(withIdle, of, false)]
      expect(sums.map(withoutHours), table).to.deep.equal(parts.map(withoutHours))
      for (const [n, row] of sums.entries())
        for (const [at, hours] of hoursOf(row).entries())
          expect(hours, `${table} ${JSON.stringify(row)}`).to.be.closeTo(hoursOf(parts[n]!)[at]!, 1e-9 * (1 + hours))
      expect(sums.length).to.be.greaterThan(least)
    }
  }
})

/** Hours are added up in another order: the last list of a row, exact as far as binary fractions are. */
const withoutHours = (row: unknown): unknown[] => (row as unknown[]).slice(0, -1)
const hoursOf = (row: unknown): number[] => (row as unknown[]).at(-1) as number[]

const isSomething = ({ costs, quantities }: Part): boolean =>
  costs.some((cost) => cost !== 0n) || quantities.some((one) => one !== 0)

function nameOf(part: Part): string {
  const {
    day,
    cluster_uid,
    provider,
    region,
    service_name,
    resource_type,
    purchase_type,
    charge_category,
    resource_uid,
  } = part
  const { node, namespace, controller_kind, controller, pod, kind, component, estimated, hasEstimates, labels } = part
  const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = `{${sorted.map(([key, value]) => `'${key}':'${value}'`).join(',')}}`
  const bill = [provider, region, service_name, resource_type, purchase_type, charge_category, resource_uid]
  const who = [node, namespace, controller_kind, controller, pod, kind, component]
  return [day, cluster_uid, ...bill, ...who, estimated, Number(hasEstimates), text].join('|')
}

const shown = (who: string, of: readonly string[], quantities: readonly number[]): string =>
  `${who} ${of.join(' ')} ${quantities.map((one) => one.toPrecision(9)).join(' ')}`
