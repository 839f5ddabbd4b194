/** What reports must say of an organization of chance, worked out from its lines one by one. */
import { providerOf, type Filter, type Line, type Organization } from '#test/http/report/random-organization.ts'

/** A line that counts, with what it is attributed to. Every dimension is under its name in cost flows. */
interface Counted {
  line: Line
  of: Readonly<Record<Filter['dims'][number], string>>
  tags: Readonly<Record<string, string>>
}

/** Counts of 1e-10 US dollars. */
type Amounts = Map<string, bigint>

export interface Sums {
  total: bigint
  /** What of it is estimates. */
  estimated: bigint
  nodes: Amounts
  months: Amounts
  providers: Amounts
  /** By the grain of the filter; by day, account and resource without one. */
  grain: Amounts
  teams: Amounts
  keys: Amounts
  /** Of the tag key of the filter. */
  values: Amounts
  /** Of what carries any tag. */
  tagged: bigint
  /** Of the service of the filter. */
  service: bigint
}

/** The lines of the filter that count: of each its newest version, no ended ones, no estimates of what was billed. */
export function matching(made: Organization, filter: Filter): Counted[] {
  const newest = new Map<string, Line>()
  for (const line of made.lines) {
    const id = `${line.account}|${line.day}|${line.id}`
    if ((newest.get(id)?.version ?? 0) < line.version) newest.set(id, line)
  }
  const present = [...newest.values()].filter(({ deleted }) => !deleted)
  const charge = ({ account, day, uid, service }: Line) => `${account}|${day}|${uid || `|${service}`}`
  const billed = new Set(present.filter(({ estimate }) => !estimate).map(charge))
  const counting = present.filter((line) => !line.estimate || !billed.has(charge(line)))
  return meant(made, counting, filter)
}

/** Those of the filter, attributed. */
export const meant = (made: Organization, lines: readonly Line[], filter: Filter): Counted[] =>
  lines.map((line) => attributed(made, line)).filter((counted) => isMeant(counted, filter))

function attributed(made: Organization, line: Line): Counted {
  const { account, day, uid } = line
  const resource = made.resources.find((one) => one.uid === uid && one.account === account)
  const known = resource?.known ? resource : undefined
  const own = day < '2026' ? made.closed.get(uid) : made.now.get(uid)?.replace('old', '')
  return {
    line,
    of: {
      provider: providerOf[account]!,
      cloud_account_id: account,
      region: line.region,
      resource_type: line.type || known?.type || '',
      service_name: line.service,
      purchase_type: line.purchase,
      team_id: own || 'unassigned',
    },
    tags: uid === '' ? line.tags : { ...made.auto.get(uid), ...made.smart.get(uid), ...resource?.tags },
  }
}

function isMeant({ line, of, tags }: Counted, filter: Filter): boolean {
  const { scope } = filter
  const within = (list: readonly string[], value: string) => list.length === 0 || list.includes(value)
  return (
    line.day >= filter.from &&
    line.day <= filter.to &&
    within(filter.providers, of.provider) &&
    within(filter.accounts, of.cloud_account_id) &&
    within(filter.regions, of.region) &&
    within(filter.types, of.resource_type) &&
    within(filter.teams, of.team_id) &&
    (scope.all || scope.cloudAccountIDs.includes(of.cloud_account_id) || scope.teamIDs.includes(of.team_id)) &&
    filter.tags.every(([key, value]) => key in tags && (value === '' || tags[key] === value))
  )
}

/** `saved` are of resources on which something was saved: reports that show savings list them too, without cost. */
export function expected(lines: readonly Counted[], filter: Filter, saved: readonly Counted[] = []): Sums {
  const by = (keysOf: (counted: Counted) => readonly string[], of = lines): Amounts => {
    const amounts: Amounts = new Map()
    for (const counted of of)
      for (const key of keysOf(counted)) amounts.set(key, (amounts.get(key) ?? 0n) + counted.line.cost)
    return amounts
  }
  const { dims, grain, service, tagKey } = filter
  const shown = (value: string) => value || '(none)'
  const sumOf = (some: readonly Counted[]) => some.reduce((sum, { line }) => sum + line.cost, 0n)
  return {
    total: sumOf(lines),
    estimated: sumOf(lines.filter(({ line }) => line.estimate)),
    nodes: by(({ of }) =>
      dims.map((_, at) =>
        dims
          .slice(0, at + 1)
          .map((dim) => shown(of[dim]))
          .join('|'),
      ),
    ),
    months: by(({ line }) => [line.day.slice(0, 7)]),
    providers: by(({ of }) => [of.provider], [...lines, ...saved]),
    grain: by(
      ({ line, of }) => {
        if (grain === '') return [`${line.day} ${line.account} ${line.uid}`]
        return [shown(grain === 'resource' ? line.uid : of[grain])]
      },
      [...lines, ...saved],
    ),
    teams: by(({ of }) => [of.team_id]),
    keys: by(({ tags }) => Object.keys(tags)),
    values: by(({ tags }) => (tagKey in tags ? [tags[tagKey]!] : [])),
    service: sumOf(lines.filter(({ line }) => line.service === service)),
    tagged: by(({ tags }) => (Object.keys(tags).length > 0 ? [''] : [])).get('') ?? 0n,
  }
}
