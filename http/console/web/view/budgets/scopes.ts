/** What a budget may be for: its kinds, what is offered for each, and the costs that count in it. */
import type { Query } from '../../address.ts'
import type { Reply } from '../../api.ts'
import { addDays, today } from '../../day.ts'
import type { Option } from '../../part/form/field.tsx'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'

export type Scope = Reply<'GET /budgets'>[number]['scope']
export type ScopeKind = Scope['kind']

/** By kind, in the order in which they are offered: its title, and the parameter of reports that has its id. */
const kinds: Readonly<Record<ScopeKind, { title: string; filter?: string }>> = {
  org: { title: 'Organization' },
  cloud_account: { title: 'Cloud account', filter: 'cloud_account_id' },
  service: { title: 'Service', filter: 'filter[service_name]' },
  tag: { title: 'Tag', filter: 'tag' },
  team: { title: 'Team', filter: 'team_id' },
  resource_group: { title: 'Resource group', filter: 'resource_group_id' },
}
export const kindTitle = (kind: ScopeKind): string => kinds[kind].title
export const kindOptions: readonly Option[] = Object.entries(kinds).map(([value, { title }]) => ({ value, title }))
export const toKind = (text: string | undefined): ScopeKind =>
  text !== undefined && Object.hasOwn(kinds, text) ? (text as ScopeKind) : 'team'

/** What reports are narrowed by to the costs of a scope; undefined while it does not exist. */
export function filterOf({ kind, id }: Pick<Scope, 'kind' | 'id'>): Query | undefined {
  const { filter } = kinds[kind]
  if (filter === undefined) return {}
  return id === '' ? undefined : { [filter]: id }
}

/** The scope whose costs these parameters of a report have, and no others. */
export function isFilterOf(scope: Scope, query: Readonly<Record<string, readonly string[]>>): boolean {
  const wanted = filterOf(scope)
  if (!wanted || Object.keys(query).length !== Object.keys(wanted).length) return false
  return Object.entries(wanted).every(([name, value]) => {
    const given = query[name] ?? query[`filter[${name}]`]
    return given?.length === 1 && given[0] === value
  })
}

/** The first hundred of a list; more can be typed. */
const query = { limit: 100 }
const lastDays = () => ({ from: addDays(today(), -30), to: today() })

/** What is offered for a kind, by id; undefined until it is known. */
export function useOffered(kind: ScopeKind): readonly Option[] | undefined {
  const named = (items: readonly { id: string; name: string }[] | undefined) =>
    items?.map(({ id, name }) => ({ value: id, title: name }))
  const plain = (values: readonly string[] | undefined) => values?.map((value) => ({ value, title: value }))
  const accounts = useReport('GET /cloud-accounts', { query, when: kind === 'cloud_account' && may('space.view') })
  const teams = useReport('GET /teams', { query, when: kind === 'team' })
  const groups = useReport('GET /resource-groups', { query, when: kind === 'resource_group' })
  const services = useReport('GET /reports/costs/series', {
    query: { ...lastDays(), group_by: 'service_name', granularity: 'monthly', top: 50 },
    when: kind === 'service',
  })
  const tags = useReport('GET /reports/tags', {
    query: { ...lastDays(), unit: 'pairs', ...query },
    when: kind === 'tag',
  })
  const pairs = tags.data?.items.flatMap((one) =>
    'tagValue' in one ? `${one.tagKey.replaceAll(/[\\:]/g, String.raw`\$&`)}:${one.tagValue}` : [],
  )
  const offered = {
    org: [],
    cloud_account: named(accounts.data?.items),
    service: plain(services.data?.series.flatMap(({ key }) => key['service_name'] ?? [])),
    tag: plain(pairs),
    team: named(teams.data?.items),
    resource_group: named(groups.data?.items),
  }
  const isFailed = [accounts, teams, groups, services, tags].some(({ problem }) => problem !== undefined)
  return offered[kind] ?? (isFailed ? [] : undefined)
}
