/**
 * Azure as its REST reference describes it, with state: what is asked for takes a while, is said again without a second effect, is
 * lost on the way or put off. Written after the reference of each service, not after the connector.
 */
import { armError, subscription, type Answer, type Question } from './answer-server.ts'

/** Where a thing is in its life. `turning*`: on the way, for so many looks. */
export type Power = 'on' | 'off' | 'turningOn' | 'turningOff'

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = Record<string, any>

export interface Thing {
  id: string
  power: Power
  /** Looks until what is under way is done. */
  left: number
  body: Body
  /** Changes that took place. */
  effects: string[]
}

interface Words {
  on: string
  off: string
  turningOn: string
  turningOff: string
}

interface Service {
  /** Namespace and types. */
  kind: string
  start?: string
  stop?: string
  /** Puts the state into what is shown. */
  show: (thing: Thing, question: Question) => Body
  /** A change is done at once. */
  isInstant?: boolean
}

const usual: Words = { on: 'Running', off: 'Stopped', turningOn: 'Starting', turningOff: 'Stopping' }
const stated =
  (names: readonly string[], words: Words = usual): Service['show'] =>
  ({ body, power }) => {
    const shown = structuredClone(body)
    let at = (shown['properties'] ??= {}) as Body
    for (const name of names.slice(0, -1)) at = at[name] ??= {}
    at[names.at(-1)!] = words[power]
    return shown
  }

const machineWords: Words = { on: 'running', off: 'deallocated', turningOn: 'starting', turningOff: 'deallocating' }
const ready: Words = { ...usual, on: 'Ready' }
const paused: Words = { on: 'Online', off: 'Paused', turningOn: 'Resuming', turningOff: 'Pausing' }

const aksShown: Service['show'] = ({ body, power, left }) => ({
  ...body,
  properties: {
    ...body['properties'],
    powerState: { code: power === 'on' || power === 'turningOff' ? 'Running' : 'Stopped' },
    provisioningState:
      power === 'turningOn' ? 'Starting' : power === 'turningOff' ? 'Stopping' : left > 0 ? 'Updating' : 'Succeeded',
  },
})

export const services: Readonly<Record<string, Service>> = {
  'azure-vm': {
    kind: 'Microsoft.Compute/virtualMachines',
    start: 'start',
    stop: 'deallocate',
    show: ({ body, power }, { query }) => ({
      ...body,
      properties: {
        ...body['properties'],
        ...(query['$expand'] === 'instanceView' && {
          instanceView: {
            statuses: [{ code: 'ProvisioningState/succeeded' }, { code: `PowerState/${machineWords[power]}` }],
          },
        }),
      },
    }),
  },
  'azure-vmss': {
    kind: 'Microsoft.Compute/virtualMachineScaleSets',
    start: 'start',
    stop: 'deallocate',
    show: ({ body }) => body,
  },
  'azure-sql-mi': {
    kind: 'Microsoft.Sql/managedInstances',
    start: 'start',
    stop: 'stop',
    show: stated(['state'], ready),
  },
  'azure-postgres': {
    kind: 'Microsoft.DBforPostgreSQL/flexibleServers',
    start: 'start',
    stop: 'stop',
    show: stated(['state'], ready),
  },
  'azure-mysql': {
    kind: 'Microsoft.DBforMySQL/flexibleServers',
    start: 'start',
    stop: 'stop',
    show: stated(['state'], ready),
  },
  'azure-aks': { kind: 'Microsoft.ContainerService/managedClusters', start: 'start', stop: 'stop', show: aksShown },
  'azure-aks-nodepool': { kind: 'Microsoft.ContainerService/managedClusters/agentPools', show: aksShown },
  'azure-web-app': {
    kind: 'Microsoft.Web/sites',
    start: 'start',
    stop: 'stop',
    show: stated(['state']),
    isInstant: true,
  },
  'azure-function-app': {
    kind: 'Microsoft.Web/sites',
    start: 'start',
    stop: 'stop',
    show: stated(['state']),
    isInstant: true,
  },
  'azure-container-group': {
    kind: 'Microsoft.ContainerInstance/containerGroups',
    start: 'start',
    stop: 'stop',
    show: stated(['instanceView', 'state'], { ...usual, turningOn: 'Pending', turningOff: 'Running' }),
  },
  'azure-container-app': {
    kind: 'Microsoft.App/containerApps',
    start: 'start',
    stop: 'stop',
    show: stated(['runningStatus'], { ...usual, turningOn: 'Progressing' }),
  },
  'azure-app-gateway': {
    kind: 'Microsoft.Network/applicationGateways',
    start: 'start',
    stop: 'stop',
    show: stated(['operationalState']),
  },
  'azure-firewall': {
    kind: 'Microsoft.Network/azureFirewalls',
    show: ({ body, left }) => ({
      ...body,
      properties: { ...body['properties'], provisioningState: left > 0 ? 'Updating' : 'Succeeded' },
    }),
  },
  'azure-synapse-sql-pool': {
    kind: 'Microsoft.Synapse/workspaces/sqlPools',
    start: 'resume',
    stop: 'pause',
    show: stated(['status'], paused),
  },
  'azure-adf-ssis-ir': {
    kind: 'Microsoft.DataFactory/factories/integrationRuntimes',
    start: 'start',
    stop: 'stop',
    show: ({ body }) => body,
  },
  'azure-kusto': { kind: 'Microsoft.Kusto/clusters', start: 'start', stop: 'stop', show: stated(['state']) },
  'azure-stream-analytics': {
    kind: 'Microsoft.StreamAnalytics/streamingjobs',
    start: 'start',
    stop: 'stop',
    show: stated(['jobState']),
  },
  'azure-ml-compute-instance': {
    kind: 'Microsoft.MachineLearningServices/workspaces/computes',
    start: 'start',
    stop: 'stop',
    show: stated(['properties', 'state']),
  },
  'azure-fabric-capacity': {
    kind: 'Microsoft.Fabric/capacities',
    start: 'resume',
    stop: 'suspend',
    show: stated(['state'], { on: 'Active', off: 'Paused', turningOn: 'Resuming', turningOff: 'Pausing' }),
  },
  'azure-analysis-services': {
    kind: 'Microsoft.AnalysisServices/servers',
    start: 'resume',
    stop: 'suspend',
    show: stated(['state'], { ...paused, on: 'Succeeded' }),
  },
  'azure-avd-host-pool': { kind: 'Microsoft.DesktopVirtualization/hostPools', show: ({ body }) => body },
  'azure-sql-database': { kind: 'Microsoft.Sql/servers/databases', show: ({ body }) => body },
  'azure-redis': { kind: 'Microsoft.Cache/redis', show: ({ body }) => body },
  'azure-app-service-plan': { kind: 'Microsoft.Web/serverfarms', show: ({ body }) => body },
  'azure-disk': { kind: 'Microsoft.Compute/disks', show: ({ body }) => body },
  'azure-snapshot': { kind: 'Microsoft.Compute/snapshots', show: ({ body }) => body },
  'azure-autoscale': { kind: 'Microsoft.Insights/autoscaleSettings', show: ({ body }) => body, isInstant: true },
}

/** `/subscriptions/…/providers/A/b/<name>/c/<name>` with names of its own. */
export function idFor(type: string, name: string): string {
  const [namespace = '', ...kinds] = services[type]!.kind.split('/')
  const path = kinds.map((kind, at) => `${kind}/${at === kinds.length - 1 ? name : 'parent'}`).join('/')
  return `/subscriptions/${subscription}/resourceGroups/Shop/providers/${namespace}/${path}`
}

export class FarSide {
  readonly things = new Map<string, Thing>()
  /** Types by their kind in lower case. */
  private readonly looks: number

  private readonly isStrict: boolean

  /** Changes take so many looks. Strict: what is on its way already is refused, as some services do. */
  constructor(looks = 2, isStrict = false) {
    this.looks = looks
    this.isStrict = isStrict
  }

  add(type: string, name: string, power: Power, body: Body = {}): Thing {
    const id = idFor(type, name)
    const thing = {
      id,
      power,
      left: 0,
      effects: [],
      body: { id, name, location: 'westeurope', properties: {}, ...body },
    }
    this.things.set(id.toLowerCase(), thing)
    return thing
  }

  answer(question: Question): Answer {
    const { method, path } = question
    const thing = this.things.get(path.toLowerCase())
    if (method === 'GET' && thing) return this.shown(thing, question)
    if (method === 'GET') return this.below(path)
    if (method === 'POST') return this.posted(path)
    if (method === 'DELETE') return this.deleted(thing)
    return this.written(thing, question)
  }

  private serviceOf({ id }: Thing): Service {
    const named = /\/providers\/(.*)$/.exec(id)![1]!.split('/')
    const kind = [named[0], ...named.filter((_, at) => at % 2 === 1)].join('/').toLowerCase()
    return Object.values(services).find((one) => one.kind.toLowerCase() === kind)!
  }

  private shown(thing: Thing, question: Question): Answer {
    const body = this.serviceOf(thing).show(thing, question)
    this.tick(thing)
    return { body }
  }

  /** A look brings what is under way nearer to its end. */
  private tick(thing: Thing): void {
    if (thing.left === 0 || --thing.left > 0) return
    if (thing.power === 'turningOn') thing.power = 'on'
    if (thing.power === 'turningOff') thing.power = 'off'
  }

  private below(path: string): Answer {
    const of = path.toLowerCase()
    if (of.endsWith('/instanceview')) return this.view(this.things.get(of.replace(/\/instanceview$/, '')))
    const under = [...this.things.values()].filter(
      ({ id }) => id.toLowerCase().startsWith(`${of}/`) && !id.slice(of.length + 1).includes('/'),
    )
    if (under.length > 0 || /\/(autoscalesettings|sessionhosts)$/.test(of))
      return { body: { value: under.map(({ body }) => body) } }
    return armError(404, 'ResourceNotFound')
  }

  private view(set: Thing | undefined): Answer {
    if (!set) return armError(404, 'ResourceNotFound')
    const count = Number(set.body['sku'].capacity)
    const statusesSummary = count === 0 ? [] : [{ code: `PowerState/${machineWords[set.power]}`, count }]
    this.tick(set)
    return { body: { virtualMachine: { statusesSummary } } }
  }

  private posted(path: string): Answer {
    const [, id = '', verb = ''] = /^(.*)\/([^/]+)$/.exec(path) ?? []
    const thing = this.things.get(id.toLowerCase())
    if (!thing) return armError(404, 'ResourceNotFound')
    if (verb === 'getStatus') return this.statusOf(thing)
    const service = this.serviceOf(thing)
    const to = verb === service.start ? 'on' : verb === service.stop ? 'off' : undefined
    if (!to) return armError(404, 'InvalidAction')
    return this.turned(thing, to, verb, service)
  }

  private statusOf(thing: Thing): Answer {
    const words: Words = { ...usual, on: 'Started' }
    const state = words[thing.power]
    this.tick(thing)
    return { body: { name: thing.body['name'], properties: { type: 'Managed', state } } }
  }

  /** Asked for what is so, or on its way to it, Azure says yes and does nothing. */
  private turned(thing: Thing, to: 'on' | 'off', verb: string, { isInstant = false }: Partial<Service>): Answer {
    const turning = to === 'on' ? 'turningOn' : 'turningOff'
    if (thing.power === to || thing.power === turning)
      return this.isStrict ? armError(409, 'Conflict', 'It is so already.') : { status: 202 }
    if (thing.power === 'turningOn' || thing.power === 'turningOff') return armError(409, 'AnotherOperationInProgress')
    thing.effects.push(verb)
    thing.power = isInstant ? to : turning
    thing.left = isInstant ? 0 : this.looks
    return { status: isInstant ? 200 : 202 }
  }

  private deleted(thing: Thing | undefined): Answer {
    if (!thing) return { status: 204 }
    this.things.delete(thing.id.toLowerCase())
    thing.effects.push('delete')
    return { status: 202 }
  }

  private made(method: string, path: string, body: Body): Answer {
    if (method === 'PATCH') return armError(404, 'ResourceNotFound')
    const properties = { ...body['properties'], provisioningState: 'Succeeded' }
    const shown: Body = { ...body, id: path, name: path.split('/').at(-1), properties }
    this.things.set(path.toLowerCase(), { id: path, power: 'on', left: this.looks, effects: ['make'], body: shown })
    return { status: 201, body: shown }
  }

  /** PUT makes what is not there, and is the whole of what is; PATCH changes members. */
  private written(thing: Thing | undefined, { method, path, body }: Question): Answer {
    if (!thing) return this.made(method, path, body as Body)
    if (thing.left > 0) return armError(409, 'OperationNotAllowed', 'Another operation is in progress.')
    const before = JSON.stringify([thing.body, thing.power])
    const isPool = /\/agentpools\//i.test(path)
    const { powerState, ...rest } = (body?.properties ?? {}) as Body
    const { provisioningState } = thing.body['properties'] as Body
    const { provisioningState: _, ...asked } = rest
    const properties = { ...asked, ...(provisioningState && { provisioningState }) }
    if (isPool && powerState)
      return this.turned(thing, powerState.code === 'Running' ? 'on' : 'off', powerState.code, {})
    thing.body = method === 'PUT' ? { ...thing.body, ...(body as Body), properties } : deep(thing.body, body as Body)
    if (JSON.stringify([thing.body, thing.power]) !== before) {
      thing.effects.push('write')
      thing.left = this.serviceOf(thing).isInstant ? 0 : this.looks
    }
    return { status: 200, body: thing.body }
  }
}

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

function deep(whole: Body, change: Body): Body {
  const found = { ...whole }
  for (const [name, value] of Object.entries(change))
    found[name] = isObject(value) && isObject(found[name]) ? deep(found[name] as Body, value) : value
  return found
}
