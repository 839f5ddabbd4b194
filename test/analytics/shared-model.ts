/** One organization of chance whose costs rules attribute and hand out, and what each team must have of it, worked out line by line. */
import type { ClickHouseClient } from '@clickhouse/client'
import { asReported, everything } from '#analytics/store/slice.ts'
import { chance } from '#streams/cloud/simulated/world/prng.ts'
import { organizationOf, providerOf, settle, type Filter } from '#test/http/report/random-organization.ts'
import { matching } from '#test/http/report/random-sums.ts'
import { plain } from '#engine/value/decimal.ts'

interface Need {
  fact: 'line.service' | 'line.cloud_account_id' | 'line.charge_category' | 'res.tags'
  tag: string
  op: string
  values: string[]
}

interface Rule {
  id: string
  created: string
  needs: Need[]
  method: 'even' | 'proportional' | 'fixed'
  among: string[]
  percents: Record<string, number>
}

/** A sum of a day, in counts of 1e-14 US dollars, with whom it is attributed to. */
interface Row {
  day: string
  account: string
  region: string
  type: string
  service: string
  purchase: string
  category: string
  uid: string
  tags: Readonly<Record<string, string>>
  owner: string
  cost: bigint
}

export interface SharedWorld {
  settle(ch: ClickHouseClient, org: string): Promise<void>
  /** A filter of chance: the question, and what teams and all of them have under it. */
  filter(
    org: string,
    n: number,
  ): { question: Record<string, unknown> & { teams: string[] }; sums: Record<string, string>; total: bigint }
}

const live = ['core', 'data', 'ops', 'web']
const need = (fact: Need['fact'], op: string, values: string[] = [], tag = ''): Need => ({ fact, tag, op, values })
const of = (id: string, needs: Need[], how: Partial<Rule>): Rule => ({
  id,
  created: `2025-01-0${id.at(-1)} 00:00:00.000`,
  needs,
  method: 'even',
  among: [],
  percents: {},
  ...how,
})

/** Those of now; `r-4` would select much that older ones take first. */
const open: Rule[] = [
  of('r-1', [need('line.service', 'equals', ['support'])], { method: 'proportional' }),
  of('r-2', [need('line.service', 'in', ['tax', 'nothing']), need('line.charge_category', 'not_equals', ['credit'])], {
    method: 'fixed',
    percents: { core: 333_333, web: 333_333, old: 333_334 },
  }),
  of('r-3', [need('res.tags', 'in', ['x', 'y'], 'loc'), need('line.cloud_account_id', 'ends_with', ['1', '2'])], {
    among: ['data', 'web', 'old'],
  }),
  of('r-4', [need('line.service', 'contains', ['o']), need('res.tags', 'equals', ['z'], 'owner')], {
    method: 'proportional',
    among: ['ops', 'data', 'core'],
  }),
]
/** Those of December 2025, which is closed: with the shares of then. */
const closed: Rule[] = [of('c-1', [need('line.service', 'starts_with', ['sto'])], {}), open[2]!]
const closedShares: Record<string, Record<string, bigint>> = {
  'c-1': { core: 7n, web: 11n, ops: 3n },
  'r-3': { web: 1n },
}

function holds({ fact, tag, op, values }: Need, row: Row, tags: Readonly<Record<string, string>>): boolean {
  const value = {
    'line.service': row.service,
    'line.cloud_account_id': row.account,
    'line.charge_category': row.category.toLowerCase(),
    'res.tags': tags[tag] ?? '',
  }[fact]
  const is = {
    in: () => values.includes(value),
    equals: () => values.includes(value),
    not_equals: () => !values.includes(value),
    contains: () => values.some((one) => value.includes(one)),
    starts_with: () => values.some((one) => value.startsWith(one)),
    ends_with: () => values.some((one) => value.endsWith(one)),
  }[op]!
  return is()
}

/** What of a sum goes to whom: cut, what is left to the first of the largest. */
function cut(cost: bigint, shares: readonly [team: string, weight: bigint][]): [string, bigint][] {
  const whole = shares.reduce((sum, [, weight]) => sum + weight, 0n)
  const parts = shares.map(([team, weight]): [string, bigint] => [team, (cost * weight) / whole])
  const top = shares.reduce((best, [, weight], n) => (weight > shares[best]![1] ? n : best), 0)
  parts[top]![1] += cost - parts.reduce((sum, [, part]) => sum + part, 0n)
  return parts
}

export function sharedModel(seed: string): SharedWorld {
  const made = organizationOf(seed)
  const pick = <T>(list: readonly T[], ...words: (string | number)[]): T =>
    list[Math.floor(chance(seed, 'shared', ...words) * list.length)]!
  const byRule = (when: string) =>
    new Map(
      made.resources.map(({ uid, account }) => [`${account}|${uid}`, pick(['data', 'ops', 'old', ''], when, uid)]),
    )
  const allocated = { now: byRule('now'), closed: byRule('closed') }
  const closedTags = new Map(
    made.resources.slice(0, 30).map(({ uid, account }) => [`${account}|${uid}`, { loc: pick(['x', 'z'], 'tag', uid) }]),
  )
  const rows = rowsOf()
  const months = [...new Set(rows.map(({ day }) => day.slice(0, 7)))]
  const shares = new Map(months.map((month) => [month, sharesOf(month)]))

  function rowsOf(): Row[] {
    const all = { providers: [], accounts: [], regions: [], types: [], teams: [], tags: [], scope: { all: true } }
    const counted = matching(made, { ...all, from: '2000-01-01', to: '2100-01-01' } as never as Filter)
    const sums = new Map<string, Row>()
    for (const { line, of: dims, tags } of counted) {
      const { day, account, region, service, purchase, uid, cost } = line
      const category = cost < 0n ? 'Credit' : 'Usage'
      const key = JSON.stringify([day, account, region, dims.resource_type, service, purchase, category, uid])
      const isClosed = day < '2026'
      const rule = (isClosed ? allocated.closed : allocated.now).get(`${account}|${uid}`) ?? ''
      const owner = dims.team_id !== 'unassigned' ? dims.team_id : isClosed || rule !== 'old' ? rule : ''
      const row = sums.get(key) ?? {
        day,
        account,
        region,
        type: dims.resource_type,
        service,
        purchase,
        category,
        uid,
        tags,
        cost: 0n,
        owner: uid === '' ? 'unassigned' : owner || 'unassigned',
      }
      row.cost += cost * 10_000n
      sums.set(key, row)
    }
    return [...sums.values()]
  }

  function ruleOf(row: Row): Rule | undefined {
    const isClosed = row.day < '2026'
    const tags = isClosed ? (closedTags.get(`${row.account}|${row.uid}`) ?? {}) : row.tags
    return (isClosed ? closed : open)
      .toSorted((a, b) => (a.created + a.id < b.created + b.id ? -1 : 1))
      .find(({ needs }) => needs.every((one) => holds(one, row, tags)))
  }

  function sharesOf(month: string): Map<string, [string, bigint][]> {
    const ordered = (weights: Record<string, bigint>) =>
      Object.entries(weights)
        .filter(([, weight]) => weight > 0n)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (month < '2026') return new Map(Object.entries(closedShares).map(([id, weights]) => [id, ordered(weights)]))
    const direct: Record<string, bigint> = {}
    for (const row of rows)
      if (row.day.startsWith(month) && row.owner !== 'unassigned' && !ruleOf(row))
        direct[row.owner] = (direct[row.owner] ?? 0n) + row.cost
    return new Map(
      open.map(({ id, method, among, percents }) => {
        const part = live.filter((team) => among.length === 0 || among.includes(team))
        const weights: Record<string, bigint> = {}
        if (method === 'even') for (const team of part) weights[team] = 1n
        if (method === 'proportional') for (const team of part) weights[team] = direct[team] ?? 0n
        for (const [team, percent] of Object.entries(percents)) {
          const name = live.includes(team) ? team : 'unassigned'
          weights[name] = (weights[name] ?? 0n) + BigInt(percent)
        }
        return [id, ordered(weights)]
      }),
    )
  }

  /** Of some rows: what is handed out is taken together where it differs by the resource alone. */
  function piecesOf(some: readonly Row[]): { row: Row; team: string; cost: bigint }[] {
    const own = some.filter((row) => !ruleOf(row)).map((row) => ({ row, team: row.owner, cost: row.cost }))
    const groups = Map.groupBy(
      some.filter((row) => ruleOf(row)),
      (row) =>
        JSON.stringify([
          row.day,
          row.account,
          row.region,
          row.type,
          row.service,
          row.purchase,
          row.category,
          ruleOf(row)!.id,
        ]),
    )
    const handed = [...groups.values()].flatMap((group) => {
      const row = group[0]!
      const cost = group.reduce((sum, one) => sum + one.cost, 0n)
      const taking = shares.get(row.day.slice(0, 7))!.get(ruleOf(row)!.id) ?? []
      if (taking.length === 0) return [{ row, team: 'unassigned', cost }]
      return cut(cost, taking).map(([team, part]) => ({ row, team, cost: part }))
    })
    return [...own, ...handed]
  }

  return {
    async settle(ch, org) {
      await settle(ch, org, made)
      const insert = (table: string, values: object[]) =>
        ch.insert({ table, values: values.map((row) => ({ org_id: org, ...row })), format: 'JSONEachRow' })
      const x_Version = '1'
      await insert(
        'team_state',
        ['data', 'ops'].map((team_id) => ({ team_id, name: team_id, deleted: 0, x_Version })),
      )
      const where = (key: string) => ({ cloud_account_id: key.split('|')[0], resource_uid: key.split('|')[1] })
      const teams = (map: Map<string, string>) => [...map].map(([key, team_id]) => ({ ...where(key), team_id }))
      await insert(
        'allocated_resource',
        teams(allocated.now).map((row) => ({ ...row, policy_id: 'p', x_Version })),
      )
      await insert(
        'closed_allocation',
        teams(allocated.closed).map((row) => ({ ...row, period: 202512 })),
      )
      const ruleRow = ({ id, created, needs }: Rule) => ({
        policy_id: id,
        enabled: 1,
        created_at: created,
        facts: needs.map(({ fact }) => fact),
        tag_keys: needs.map(({ tag }) => tag),
        operators: needs.map(({ op }) => op),
        values: needs.map(({ values }) => values),
      })
      await insert(
        'shared_cost_rule',
        open.map((rule) => ({
          ...ruleRow(rule),
          method: rule.method,
          basis: 'billed_cost',
          among: rule.among,
          teams: Object.keys(rule.percents),
          weights: Object.values(rule.percents),
          x_Version,
        })),
      )
      await insert(
        'closed_shared_rule',
        closed.map((rule) => ({ ...ruleRow(rule), period: 202512 })),
      )
      const closedRows = Object.entries(closedShares).flatMap(([policy_id, weights]) =>
        Object.entries(weights).map(([team_id, weight]) => ({
          policy_id,
          team_id,
          weight: String(weight),
          period: 202512,
        })),
      )
      await insert('closed_share', closedRows)
      await insert(
        'closed_tag',
        [...closedTags].map(([key, tags]) => ({ ...where(key), tags, period: 202512 })),
      )
    },

    filter(org, n) {
      const some = (list: readonly string[], share: number, what: string): string[] =>
        chance(seed, n, what) < share ? [...new Set([pick(list, n, what, 1), pick(list, n, what, 2)])] : []
      const dayOf = (at: number) => new Date(Date.UTC(2025, 11, 1 + at)).toISOString().slice(0, 10)
      const [first, last] = [0, 1].map((end) => Math.floor(chance(seed, n, 'day', end) * 62)).toSorted((a, b) => a - b)
      const scoped = Number(chance(seed, n, 'scoped') < 0.2)
      const tags = some(['env', 'owner', 'loc'], 0.2, 'tags')
      const question = {
        org,
        cost: 'billed_cost',
        as_of: '',
        ...asReported,
        ...everything,
        from: dayOf(first!),
        to: dayOf(last!),
        providers: some(['aws', 'gcp', 'azure'], 0.2, 'provider'),
        accounts: some(['a-1', 'a-2', 'a-3', 'a-4'], 0.2, 'account'),
        regions: some(['us-east', 'us-west', ''], 0.1, 'region'),
        types: some(['aws-ec2', 'gcp-vm', ''], 0.1, 'type'),
        teams: some([...live, 'old', 'unassigned'], 0.3, 'team'),
        scoped,
        scope_accounts: some(['a-1', 'a-2', 'a-3'], 0.6, 'scope account'),
        scope_teams: some(live, 0.6, 'scope team'),
        tag_keys: tags,
        tag_values: tags.map((key) => pick(['x', 'y', ''], n, 'value', key)),
        allocated: 1,
        shared: 1,
      }
      const within = (list: readonly string[], value: string) => list.length === 0 || list.includes(value)
      const isMeant = (row: Row) =>
        row.day >= question.from &&
        row.day <= question.to &&
        within(question.providers, providerOf[row.account]!) &&
        within(question.accounts, row.account) &&
        within(question.regions, row.region) &&
        within(question.types, row.type) &&
        tags.every((key, at) => key in row.tags && ['', row.tags[key]].includes(question.tag_values[at]!))
      const isSeen = ({ row, team }: { row: Row; team: string }) =>
        within(question.teams, team) &&
        (scoped === 0 || question.scope_accounts.includes(row.account) || question.scope_teams.includes(team))
      const sums: Record<string, bigint> = {}
      for (const piece of piecesOf(rows.filter(isMeant)).filter(isSeen))
        sums[piece.team] = (sums[piece.team] ?? 0n) + piece.cost
      return {
        question,
        sums: Object.fromEntries(Object.entries(sums).map(([team, cost]) => [team, plain(cost, 14)])),
        total: Object.values(sums).reduce((sum, cost) => sum + cost, 0n),
      }
    },
  }
}
