/** The tools for agents: routes with names that say what they do, and with the route's own descriptions and schemas. */
import type { Keywords } from '#http/edge/request/keywords.ts'
import { meaningOf } from '#http/edge/parameter/parameter.ts'
import { takesBody, type Route } from '#http/edge/route.ts'
import { plain } from './schema.ts'

/** By tool: the route it calls. */
const reads = {
  get_cost_summary: 'GET /reports/summary',
  get_cost_trends: 'GET /reports/trends',
  get_cost_series: 'GET /reports/costs/series',
  get_cost_breakdown: 'GET /reports/costs/breakdown',
  get_cost_drivers: 'GET /reports/drivers',
  get_cost_forecast: 'GET /reports/forecast',
  get_cost_receipt: 'GET /reports/receipt',
  get_team_costs: 'GET /reports/teams',
  get_tag_costs: 'GET /reports/tags',
  get_kubernetes_costs: 'GET /reports/kubernetes',
  get_commitments: 'GET /reports/commitments',
  get_savings: 'GET /reports/savings',
  list_anomalies: 'GET /reports/anomalies',
  get_anomaly: 'GET /reports/anomalies/:anomalyID',
  list_resources: 'GET /resources',
  get_resource: 'GET /resources/:resourceID',
  get_resource_context: 'GET /resources/:resourceID/context',
  list_recommendations: 'GET /recommendations',
  get_recommendation: 'GET /recommendations/:recID/detail',
  list_budgets: 'GET /budgets',
  list_teams: 'GET /teams',
  list_cloud_accounts: 'GET /cloud-accounts',
  list_schedules: 'GET /schedules',
  list_overrides: 'GET /overrides',
  get_action: 'GET /actions/:actionID',
  preview_event_plan: 'POST /event-readiness/preview-readiness',
  preview_schedule_runs: 'POST /schedules/next-runs',
} as const

/** The console's view of the same figures, below `/console/`; `:name` is an argument. */
const views: Readonly<Record<string, string>> = {
  get_cost_summary: '',
  get_cost_trends: 'costs?from=:from&to=:to',
  get_cost_series: 'costs?from=:from&to=:to',
  get_cost_breakdown: 'costs?from=:from&to=:to',
  get_cost_drivers: 'costs?from=:from&to=:to',
  get_cost_forecast: '',
  get_team_costs: 'teams?from=:from&to=:to',
  get_tag_costs: 'tags?from=:from&to=:to',
  get_kubernetes_costs: 'kubernetes?from=:from&to=:to',
  get_commitments: 'savings?tab=commitments',
  get_savings: 'savings',
  list_anomalies: 'anomalies',
  get_anomaly: 'anomalies?anomaly=:anomalyID',
  list_resources: 'inventory',
  list_recommendations: 'recommendations',
  list_budgets: 'budgets',
  list_teams: 'teams',
  list_cloud_accounts: 'sources',
  list_schedules: 'schedules',
  list_overrides: 'schedules',
}

/** The effect of a call, for programs that decide by it whether to ask their user or to repeat the call. */
interface Change {
  /** It may delete or stop something; otherwise it only adds. */
  takesAway: boolean
  /** A repeat with the same arguments changes nothing more. */
  isRepeatable: boolean
}

/** Tools that change something and require `confirm`. */
const writes: Readonly<Record<string, Change & { route: string }>> = {
  // A resource that is already in that state stays in it.
  start_or_stop_resource: { route: 'POST /actions', takesAway: true, isRepeatable: true },
  // The call itself stops nothing: its rules do that later, and until then it can be paused or deleted.
  create_schedule: { route: 'POST /schedules', takesAway: false, isRepeatable: false },
  // Stops resources at once. A repeat creates a second override.
  create_override: { route: 'POST /overrides', takesAway: true, isRepeatable: false },
  // What it kept running stops when a schedule says so. Ending an override twice is refused.
  end_override: { route: 'DELETE /overrides/:overrideID', takesAway: true, isRepeatable: true },
}

export const toolNames: Readonly<Record<string, string>> = {
  ...reads,
  ...Object.fromEntries(Object.entries(writes).map(([name, { route }]) => [name, route])),
}

export interface Tool {
  name: string
  route: Route
  isWrite: boolean
  /** Where people see the same: an address below `/console/`, in which `:name` is an argument. */
  view: string | undefined
  /** For tools that change nothing: nothing is deleted, and they may be repeated. */
  change: Change
  description: string
  inputSchema: { type: 'object'; properties: Record<string, object>; required: string[]; additionalProperties: false }
}

const confirm = {
  type: 'boolean',
  description:
    'This call makes changes. Without true, nothing is changed and the response describes what would be: show that to your user.',
}

/**
 * The tools for these routes, without those whose route is not served. @throws if two inputs of a route share a name
 */
export function toolsOf(routes: readonly Route[]): ReadonlyMap<string, Tool> {
  const served = new Map(routes.map((one) => [`${one.method} ${one.path}`, one]))
  const found = Object.entries(toolNames).flatMap(([name, path]) => {
    const route = served.get(path)
    return route ? [[name, toolOf(name, route)] as const] : []
  })
  return new Map(found)
}

/** Where the arguments of a tool belong. */
export const inputsOf = (route: Route): { params: string[]; query: Record<string, Keywords>; body: string[] } => ({
  params: namesIn(route.params),
  query: queryOf(route)?.properties ?? {},
  body: takesBody(route) ? namesIn(route.body) : [],
})

/** Without the forms that an answer can have: it is JSON with numbers. */
function queryOf({ query, alsoMedia }: Route): Keywords | undefined {
  const { properties, required = [], ...rest } = (query ?? {}) as Keywords
  if (!properties) return query as Keywords | undefined
  const { money: _, ...others } = properties
  if (alsoMedia) delete others['format']
  return { ...rest, properties: others, required: required.filter((name) => name in others) }
}

const namesIn = (schema: object | undefined): string[] =>
  Object.keys((schema as Keywords | undefined)?.properties ?? {})

function toolOf(name: string, route: Route): Tool {
  const isWrite = name in writes
  const query = queryOf(route)
  const inputs = [route.params, query, route.body].filter((one) => one !== undefined) as Keywords[]
  const properties: Record<string, object> = {}
  for (const input of inputs)
    for (const [member, schema] of Object.entries(input.properties ?? {})) {
      if (member in properties || member === 'confirm') throw new Error(`${name} has ${member} twice`)
      const where = input === route.params ? 'path' : input === query ? 'query' : undefined
      properties[member] = plain({ ...(where && saidOf(member, where)), ...schema })
    }
  const required = inputs.flatMap((one) => one.required ?? []).filter((one) => !hasDefault(properties[one]))
  const { summary, description, permission } = route
  return {
    name,
    route,
    isWrite,
    view: views[name],
    change: writes[name] ?? { takesAway: false, isRepeatable: true },
    description: [`${summary}.`, description, `Needs ${permission}; ${route.method} ${route.path}.`]
      .filter(Boolean)
      .join('\n'),
    inputSchema: {
      type: 'object',
      properties: isWrite ? { ...properties, confirm } : properties,
      required,
      additionalProperties: false,
    },
  }
}

/** The description of a parameter that its route does not describe itself. */
function saidOf(name: string, where: 'path' | 'query'): { description?: string } {
  const description = meaningOf(name, where)
  return description === undefined ? {} : { description }
}

const hasDefault = (schema: object | undefined): boolean => (schema as Keywords | undefined)?.default !== undefined
