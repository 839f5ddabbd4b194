/** What can be configured by files, one entry per kind, in the order in which it is created. */
import { everyItem, type Api } from '#config/command/line/api.ts'

/** A member of a file or of what the API returns. */
export type Members = Readonly<Record<string, unknown>>

export interface Kind {
  /** Its `kind` in files. */
  name: string
  /** `GET` lists what exists, `POST` creates. */
  path: string
  /** How one is changed; `DELETE` on the same path removes it. The name of the path's parameter is that of its ID. */
  change: `${'PUT' | 'PATCH'} ${string}`
  /** Members that together say which one it is; texts are compared without case. Further members are what it is. */
  key: readonly string[]
  /** What its key says, where it can be said in several ways. */
  identity?: (members: Members) => readonly string[]
  fields: readonly string[]
  /** Values of members that a file may leave out, when it is created or replaced as a whole. */
  usual?: Members
  /** Values that elements of a list have if a file leaves them out. */
  elements?: Readonly<Record<string, Members>>
  /** Members of its `config` that stay if a file leaves them out, because they are secrets or addresses. */
  kept?: readonly string[]
  /** An existing one as a file says it, where that is not what the API returns. */
  inFile?: (item: Members) => Members
  /** False for what cannot be changed, such as the roles that every organization has. */
  isChangeable?: (item: Members) => boolean
}

export const kinds: readonly Kind[] = [
  {
    name: 'team',
    path: '/teams',
    change: 'PATCH /teams/:teamID',
    key: ['name'],
    fields: ['description', 'memberUserIDs'],
  },
  {
    name: 'resource-group',
    path: '/resource-groups',
    change: 'PATCH /resource-groups/:groupID',
    key: ['name'],
    fields: ['description', 'members'],
    elements: { members: { tier: 1, order: 0 } },
  },
  {
    name: 'role',
    path: '/roles',
    change: 'PATCH /roles/:roleID',
    key: ['name'],
    fields: ['permissions', 'reportScope'],
    isChangeable: ({ system }) => system !== true,
  },
  {
    name: 'channel',
    path: '/notifications/channels',
    change: 'PUT /notifications/channels/:channelID',
    key: ['name'],
    fields: ['type', 'config'],
    kept: ['webhookURL', 'email', 'address'],
    inFile: withoutWebhook,
  },
  {
    name: 'policy',
    path: '/policies',
    change: 'PUT /policies/:policyID',
    key: ['domain', 'name'],
    fields: ['targetType', 'spec', 'enabled'],
    usual: { targetType: 'organisation', enabled: true },
  },
  {
    name: 'budget',
    path: '/budgets',
    change: 'PUT /budgets/:budgetID',
    key: ['scope', 'teamName', 'resourceGroupID'],
    identity: budgetScope,
    fields: ['monthlyBudgetUSD', 'alertThresholdPercent', 'thresholds'],
    inFile: withOneScope,
  },
  {
    name: 'schedule',
    path: '/schedules',
    change: 'PATCH /schedules/:scheduleID',
    key: ['name'],
    fields: ['description', 'timezone', 'rules', 'resourceUIDs', 'resourceGroupIDs', 'skipDates', 'enabled'],
  },
  {
    name: 'unit-metric',
    path: '/unit-metrics',
    change: 'PUT /unit-metrics/:unitMetricID',
    key: ['key'],
    fields: ['name', 'unit', 'ingestion', 'aggregation', 'pull', 'costScope'],
  },
  {
    name: 'saved-view',
    path: '/saved-views',
    change: 'PATCH /saved-views/:savedViewID',
    key: ['name'],
    fields: ['view', 'query', 'shared'],
    isChangeable: ({ shared }) => shared === 'organization',
  },
  {
    name: 'subscription',
    path: '/notifications/subscriptions',
    change: 'PUT /notifications/subscriptions/:subID',
    key: ['channelID', 'eventType', 'scopeType', 'scopeID'],
    fields: ['enabled'],
  },
]

/** A value of a key; empty if it is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** Kind and ID, of a team its name: that need not exist. */
function budgetScope({ scope, teamName, resourceGroupID }: Members): readonly string[] {
  const { kind, id = '', name = '' } = (scope ?? {}) as Readonly<Record<string, string>>
  if (kind !== undefined) return [kind, kind === 'team' ? name : id]
  return resourceGroupID ? ['resource_group', textOf(resourceGroupID)] : ['team', textOf(teamName)]
}

/** What a budget is for, said once; a team by its name, all others by their ID. */
function withOneScope({ scope, teamName: _team, resourceGroupID: _group, ...budget }: Members): Members {
  const { kind, id, name } = scope as Members
  return { ...budget, scope: kind === 'org' ? { kind } : kind === 'team' ? { kind, name } : { kind, id } }
}

/** Whoever has the URL of a webhook can post there. */
function withoutWebhook({ config, ...channel }: Members): Members {
  const { webhookURL: _, ...shown } = config as Members
  return { ...channel, config: shown }
}

/** The one set of settings of the organization; it cannot be created or deleted. */
export const settingsKind: Kind = {
  name: 'settings',
  path: '/organisations/:orgID/settings',
  change: 'PATCH /organisations/:orgID/settings',
  key: [],
  fields: ['requireSecondFactor', 'anomalyNotifyMinUSD', 'anomalyNotifyRecurring', 'consolidated'],
}

/** The settings come last: a requirement of a second factor must not stop the rest. */
export const allKinds: readonly Kind[] = [...kinds, settingsKind]

/** Everything of a kind that exists and can be changed, as the API returns it. */
export async function existing(api: Api, kind: Kind): Promise<Members[]> {
  if (kind === settingsKind) return [await api.ask<Members>(`GET ${kind.path}`, { params: await settingsParams(api) })]
  const answer = await api.ask<readonly Members[] | object>(`GET ${kind.path}`)
  const items = Array.isArray(answer) ? (answer as Members[]) : await everyItem<Members>(api, `GET ${kind.path}`)
  return items.filter(kind.isChangeable ?? (() => true))
}

/** Path parameters of an existing one. */
export async function paramsOf(api: Api, kind: Kind, item: Members): Promise<Record<string, string>> {
  if (kind === settingsKind) return settingsParams(api)
  return { [/:(\w+)$/.exec(kind.change)![1]!]: item['id'] as string }
}

async function settingsParams(api: Api): Promise<{ orgID: string }> {
  const { orgID } = await api.ask<{ orgID: string }>('GET /auth/me')
  return { orgID }
}
