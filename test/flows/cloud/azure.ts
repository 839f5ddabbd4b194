/** An organization whose subscription of Azure keeps what is done to it, and is listed as it is. */
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import type { CallRules } from '#streams/cloud/call/call.ts'
import { connect, type Connected } from '#test/harness/connected.ts'
import { ownClouds, tenant, testProduct, until } from '#test/harness/product.ts'
import {
  account as subscribed,
  answerServer,
  armError,
  subscription,
  tenant as tenantID,
  type Answer,
  type Question,
} from '#test/streams/cloud/azure/answer-server.ts'
import { bodies } from '#test/streams/cloud/azure/driving.ts'
import { FarSide, idFor, services, type Body, type Thing } from '#test/streams/cloud/azure/far-side.ts'
import { Inside } from '#test/streams/cloud/azure/inside.ts'
import { Weather } from './weather.ts'

const root = `/subscriptions/${subscription}`
const host = 'adb-2.2.azuredatabricks.net'
const workspace = {
  id: `${root}/resourceGroups/Shop/providers/Microsoft.Databricks/workspaces/ws`,
  name: 'ws',
  location: 'westeurope',
  properties: { workspaceUrl: host },
}

/** Effects of a stop and of a start of each type, as Azure calls them. */
export const verbs = {
  'azure-vm': ['deallocate', 'start'],
  'azure-vmss': ['deallocate', 'start'],
  'azure-sql-mi': ['stop', 'start'],
  'azure-postgres': ['stop', 'start'],
  'azure-mysql': ['stop', 'start'],
  'azure-aks': ['stop', 'start'],
  'azure-aks-nodepool': ['Stopped', 'Running'],
  'azure-web-app': ['stop', 'start'],
  'azure-function-app': ['stop', 'start'],
  'azure-container-group': ['stop', 'start'],
  'azure-container-app': ['stop', 'start'],
  'azure-app-gateway': ['stop', 'start'],
  'azure-firewall': ['write', 'write'],
  'azure-synapse-sql-pool': ['pause', 'resume'],
  'azure-adf-ssis-ir': ['stop', 'start'],
  'azure-kusto': ['stop', 'start'],
  'azure-stream-analytics': ['stop', 'start'],
  'azure-ml-compute-instance': ['stop', 'start'],
  'azure-fabric-capacity': ['suspend', 'resume'],
  'azure-analysis-services': ['suspend', 'resume'],
} as const
export type AzureType = keyof typeof verbs
/** What runs inside of a workspace, by its uid. */
export const insideUids = {
  'azure-databricks-cluster': '0101-abc',
  'azure-databricks-warehouse': 'f00d',
  'azure-databricks-instance-pool': 'pool-1',
} as const

/** Apps are of one kind to Azure: each type has a thing of its own name. */
const nameOf = (type: string): string => type.replace('azure-', '')
export const uidOf = (type: string): string => idFor(type, nameOf(type)).toLowerCase()

const more: Readonly<Record<string, Body>> = {
  'azure-vm': {
    properties: { hardwareProfile: { vmSize: 'Standard_D3_v2' }, timeCreated: '2026-01-01T00:00:00Z' },
  },
  'azure-adf-ssis-ir': { properties: { typeProperties: { ssisProperties: {} } } },
}

/** All that can be switched, a pool of desktops of three machines, and a workspace, all of them running. */
export class Subscription {
  readonly far: FarSide
  readonly inside = new Inside(host)
  readonly things: Readonly<Record<AzureType, Thing>>
  readonly hosts: readonly Thing[]
  readonly pool: Thing
  /** Percent: the load of whatever is asked for it. */
  busy: number | undefined

  constructor(looks = 2, isStrict = false) {
    const far = (this.far = new FarSide(looks, isStrict))
    const add = (type: string) => far.add(type, nameOf(type), 'on', structuredClone(more[type] ?? bodies[type] ?? {}))
    this.things = Object.fromEntries(Object.keys(verbs).map((type) => [type, add(type)])) as Record<AzureType, Thing>
    this.hosts = [0, 1, 2].map((at) => far.add('azure-vm', `desktop-${at}`, 'on'))
    this.pool = add('azure-avd-host-pool')
    for (const [at, { id }] of this.hosts.entries()) {
      const body = { id: `${this.pool.id}/sessionHosts/h${at}`, properties: { resourceId: id, status: 'Available' } }
      far.things.set(body.id.toLowerCase(), { id: body.id, power: 'on', left: 0, effects: [], body })
    }
  }

  readonly answer = (question: Question): Answer => {
    const { path, method } = question
    if (path.startsWith(`/${host}/`)) return this.inside.answer(question)
    if (path.endsWith('/metrics:getBatch')) return this.measured(question)
    if (method === 'GET' && path === root) return { body: { id: root, tenantId: tenantID, state: 'Enabled' } }
    if (path === `${root}/providers/Microsoft.Authorization/permissions`)
      return { body: { value: [{ actions: ['*'], notActions: [] }] } }
    const list = path.startsWith(`${root}/providers/`) ? path.slice(`${root}/providers/`.length) : undefined
    if (list !== undefined && method === 'GET') return { body: { value: this.listed(list, question) } }
    if (path.toLowerCase() === `${root}/resourcegroups`) return { body: { value: [] } }
    return this.far.answer(question)
  }

  /** Things of a kind, and those that others lie below. */
  private listed(kind: string, question: Question): Body[] {
    if (kind === 'Microsoft.Databricks/workspaces') return [workspace]
    const [namespace = '', ...types] = kind.split('/')
    const found = new Map<string, Body>()
    for (const thing of this.far.things.values()) {
      const at = thing.id.toLowerCase().indexOf(`/providers/${namespace}/`.toLowerCase())
      const names = thing.id.slice(at + `/providers/${namespace}/`.length).split('/')
      if (at < 0 || names[0]?.toLowerCase() !== types[0]?.toLowerCase()) continue
      const id =
        names.length === 2
          ? thing.id
          : thing.id
              .split('/')
              .slice(0, 2 - names.length)
              .join('/')
      found.set(id.toLowerCase(), this.shown(id, question))
    }
    return [...found.values()]
  }

  /** Powers of machines are told where they are asked for alone. */
  private shown(id: string, question: Question): Body {
    const thing = this.far.things.get(id.toLowerCase())
    const pools = [...this.far.things.values()].filter((one) => one.id.startsWith(`${id}/agentPools/`))
    if (!thing) {
      const agentPoolProfiles = pools.map((one) => ({
        name: one.body['name'],
        ...shownOf(one, question)['properties'],
      }))
      const own = pools.length > 0 && { agentPoolProfiles, powerState: { code: 'Running' } }
      return { id, name: id.split('/').at(-1), location: 'westeurope', properties: { ...own } }
    }
    const isPower = question.query['statusOnly'] !== undefined
    return shownOf(thing, isPower ? { ...question, query: { $expand: 'instanceView' } } : question)
  }

  private measured({ body, query }: Question): Answer {
    const { busy } = this
    if (busy === undefined) return { body: { values: [] } }
    const [from, to] = [query['starttime'], query['endtime']].map((time) => Date.parse(time ?? ''))
    const data = []
    for (let at = from!; at < to!; at += 60_000)
      data.push({ timeStamp: new Date(at).toISOString(), average: busy, maximum: busy })
    const value = [{ name: { value: 'Percentage CPU' }, timeseries: [{ data }] }]
    return { body: { values: (body.resourceids as string[]).map((resourceid) => ({ resourceid, value })) } }
  }
}

function shownOf(thing: Thing, question: Question): Body {
  const named = /\/providers\/(.*)$/.exec(thing.id)![1]!.split('/')
  const kind = [named[0], ...named.filter((_, at) => at % 2 === 1)].join('/')
  return Object.values(services)
    .find((one) => one.kind === kind)!
    .show(thing, question)
}

export interface Azure extends Connected {
  weather: Weather<Question, Answer>
}

const refusals = {
  throttled: armError(429, 'TooManyRequests', 'Slow down.', { 'retry-after': '1' }),
  away: armError(503, 'ServiceUnavailable', 'The service is unavailable.'),
}

/** The subscription at the cloud, not yet connected. `answer`: what Azure says. */
export async function beside(answer: (question: Question) => Answer, rules: Partial<CallRules> = {}) {
  const weather = new Weather<Question, Answer>(refusals)
  const usual = { budgetMin: 10_000, breakAfter: 1000, breakMs: 1 }
  const far = await answerServer(weather.before(answer), { rules: { ...usual, ...rules } })
  const { clock } = (await testProduct()).connections
  ownClouds.set(subscription, azureCloud({ ...far.options, clock }))
  const end = async () => {
    ownClouds.delete(subscription)
    await far.close()
  }
  return { weather, end, far }
}

export const account = {
  name: 'Production',
  provider: 'azure',
  externalID: subscription,
  credentials: subscribed.credentials,
}

/** Stand-ins answer at once: few looks before the clock goes on. */
const looks = 8

/** Connected, and all that can be switched in the inventory. */
export async function connectedTo({ answer }: Pick<Subscription, 'answer'>): Promise<Azure> {
  const { weather, end } = await beside(answer)
  const org = Object.assign(await connect(await tenant(), account, end, looks), { weather })
  const wanted = [...Object.keys(verbs).map(uidOf), uidOf('azure-avd-host-pool'), ...Object.values(insideUids)]
  await until('all of them', async () => {
    const found = new Set((await org.resources()).map(({ uid }) => uid as string))
    return wanted.every((uid) => found.has(uid))
  })
  return org
}
