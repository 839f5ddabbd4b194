/**
 * The resource manager of Azure as its REST reference describes it, with what provisioning needs: it keeps what is
 * created in resource groups, each change is an operation that takes some questions, what is in use stays, and a deleted
 * group takes everything with it. `done` has every change that had an effect, once each.
 */
import { isDeepStrictEqual } from 'node:util'
import { armError, subscription, type Answer, type Question } from '#test/streams/cloud/azure/answer-server.ts'
import { ScaleSet } from './far-scale-set.ts'

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = Record<string, any>

export interface Kept {
  path: string
  body: Body
  state: 'creating' | 'ready' | 'failed' | 'deleting'
  set?: ScaleSet
}

interface Operation {
  /** Questions until it is over. */
  left: number
  /** Returns what it failed with. */
  end: () => Body | undefined | void
  error?: Body | undefined
  style: 'async' | 'location'
}

interface Kind {
  /** How a change tells of its operation; `now`: it has none. */
  style: 'async' | 'location' | 'now'
  /** It does not exist before it is ready. */
  isHidden?: boolean
  name: RegExp
  shown?: (kept: Kept) => Body
}

const flexible: Kind = {
  style: 'async',
  isHidden: true,
  name: /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/,
  shown: ({ body, state, path }) => ({
    provisioningState: undefined,
    administratorLoginPassword: undefined,
    state: { creating: 'Updating', ready: 'Ready', failed: 'Disabled', deleting: 'Dropping' }[state],
    fullyQualifiedDomainName: `${path.split('/').at(-1)}.${body['sku'].tier}.database.azure.com`.toLowerCase(),
  }),
}

const usual: Kind = { style: 'async', name: /^[A-Za-z0-9](?:[\w.-]{0,78}\w)?$/ }

const kinds: Readonly<Record<string, Kind>> = {
  'microsoft.containerregistry/registries': {
    style: 'async',
    name: /^[A-Za-z0-9]{5,50}$/,
    shown: ({ path }) => ({ loginServer: `${path.split('/').at(-1)}.azurecr.io` }),
  },
  'microsoft.network/networksecuritygroups': usual,
  'microsoft.network/virtualnetworks': usual,
  'microsoft.network/publicipaddresses': { ...usual, shown: () => ({ ipAddress: '20.1.2.3' }) },
  'microsoft.network/loadbalancers': usual,
  'microsoft.dbforpostgresql/flexibleservers': flexible,
  'microsoft.dbformysql/flexibleservers': flexible,
  'microsoft.cache/redis': {
    style: 'location',
    name: /^[A-Za-z0-9](?:[A-Za-z0-9]|-(?!-)){0,61}[A-Za-z0-9]$/,
    shown: ({ path, body }) => ({
      redisVersion: `${body['properties'].redisVersion}.0.14`,
      hostName: `${path.split('/').at(-1)}.redis.cache.windows.net`,
      sslPort: 6380,
    }),
  },
  'microsoft.containerservice/managedclusters': {
    style: 'async',
    name: /^[A-Za-z0-9][\w-]{0,61}[A-Za-z0-9]$/,
    shown: ({ body, state }) => ({
      currentKubernetesVersion: `${body['properties'].kubernetesVersion}.5`,
      ...(state === 'ready' && { fqdn: 'shop.hcp.westeurope.azmk8s.io' }),
    }),
  },
  'microsoft.containerservice/managedclusters/agentpools': { style: 'async', name: /^[a-z][a-z0-9]{0,11}$/ },
  'microsoft.compute/virtualmachinescalesets': usual,
  'microsoft.insights/autoscalesettings': { ...usual, style: 'now', shown: () => ({ provisioningState: undefined }) },
}

const words = { creating: 'Creating', ready: 'Succeeded', failed: 'Failed', deleting: 'Deleting' } as const
/** Services name the place of their operations differently. */
const operations: Readonly<Record<string, string>> = {
  'Microsoft.ContainerRegistry': 'operationResults',
  'Microsoft.DBforPostgreSQL': 'azureAsyncOperation',
  'Microsoft.DBforMySQL': 'azureAsyncOperation',
  'Microsoft.Cache': 'operationresults',
}
const operationShape = /\/(locations\/[^/]+\/(operations|azureAsyncOperation)|operationResults)\//i

const groupShape = /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+$/i
const groupOf = (path: string): string => path.split('/').slice(0, 5).join('/').toLowerCase()
const lastOf = (path: string): string => path.split('/').at(-1)!
const typeOf = (path: string): string => {
  const [namespace = '', ...rest] = path.toLowerCase().split('/providers/')[1]?.split('/') ?? []
  return [namespace, ...rest.filter((_, at) => at % 2 === 0)].join('/')
}
const shortOf = (path: string): string => path.split('/').slice(-2).join('/')

/** Ids of other objects that a body names. */
function idsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('/subscriptions/') ? [value.toLowerCase()] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(idsIn) : []
}

export class FarArm {
  /** By path in lower case. */
  readonly kept = new Map<string, Kept>()
  readonly done: string[] = []
  /** The bodies of creations, by type and name. */
  readonly bodies = new Map<string, Body>()
  /** Questions that an operation takes. */
  takes = 2
  /** What the next operations of a type end with, by its last name. */
  readonly failures = new Map<string, Body>()
  /** Answers in place of the service's own, one after the other, by method and path. */
  readonly refusals: { method: string; of: RegExp; answer: Answer }[] = []
  /** Every n-th answer to a change is lost, after it was made; 0: none. */
  loseEach = 0
  /** After this question nothing is heard from who asks, until it is started again; 0: never. */
  killAt = 0
  questions = 0
  isDead = false
  private changes = 0
  private readonly operations = new Map<string, Operation>()
  private started = 0

  readonly answer = (question: Question): Answer => {
    if (this.isDead) return { isLost: true }
    for (const [at, one] of this.operations) this.pass(at, one)
    const { method, path } = question
    const refused = this.refusals.findIndex((one) => one.method === method && one.of.test(path))
    if (refused >= 0) return this.refusals.splice(refused, 1)[0]!.answer
    const said = this.said(question)
    if (++this.questions === this.killAt) this.isDead = true
    const isLost = method !== 'GET' && this.loseEach > 0 && ++this.changes % this.loseEach === 0
    return isLost || this.isDead ? { isLost: true } : said
  }

  add(path: string, body: Body): Kept {
    const kept: Kept = { path, body, state: 'ready' }
    if (typeOf(path) === 'microsoft.compute/virtualmachinescalesets') kept.set = new ScaleSet(body)
    this.kept.set(path.toLowerCase(), kept)
    return kept
  }

  private said(question: Question): Answer {
    const { method, path } = question
    if (operationShape.test(path)) return this.operationAt(path)
    if (groupShape.test(path)) return this.groupAt(question)
    const kept = this.kept.get(path.toLowerCase())
    if (method === 'PUT') return this.put(question, kept)
    if (method === 'POST' || path.endsWith('/virtualMachines')) return this.below(question)
    if (!kept || (kept.state === 'creating' && kindOf(path).isHidden)) return this.absent(path)
    if (method === 'PATCH') return this.patch(question, kept)
    return method === 'DELETE' ? this.delete(kept) : { body: this.shown(kept) }
  }

  private shown(kept: Kept): Body {
    const { body, path, state } = kept
    const properties = { ...body['properties'], provisioningState: words[state], ...kindOf(path).shown?.(kept) }
    if (typeOf(path) === 'microsoft.network/loadbalancers') Object.assign(properties, this.shownBalancer(kept))
    if (typeOf(path) === 'microsoft.containerservice/managedclusters')
      properties.agentPoolProfiles = this.under(path)
        .filter((one) => one.path.includes('/agentPools/'))
        .map((one) => ({ name: lastOf(one.path), ...one.body['properties'] }))
    return { ...body, id: path, name: lastOf(path), properties, ...(kept.set && { etag: kept.set.etag }) }
  }

  private shownBalancer({ body, path }: Kept): Body {
    const [front] = body['properties'].frontendIPConfigurations
    const isInternal = front.properties.subnet !== undefined
    const pool = `${path}/backendAddressPools/backend`
    const backendIPConfigurations = [...this.kept.values()].flatMap(
      ({ path: id, set }) =>
        set?.machinesIn(pool).map((n) => ({ id: `${id}/virtualMachines/${n}/networkInterfaces/p` })) ?? [],
    )
    return {
      frontendIPConfigurations: [
        { ...front, properties: { ...front.properties, ...(isInternal && { privateIPAddress: '10.0.0.9' }) } },
      ],
      backendAddressPools: [{ name: 'backend', properties: { backendIPConfigurations } }],
    }
  }

  private absent(path: string): Answer {
    const group = lastOf(groupOf(path))
    if (!this.kept.has(groupOf(path)))
      return armError(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`)
    const of = path.split('/providers/')[1]
    return armError(404, 'ResourceNotFound', `The Resource '${of}' under resource group '${group}' was not found.`)
  }

  private pass(at: string, operation: Operation): void {
    if (operation.left === 0 || --operation.left > 0) return
    const failed = operation.end()
    if (failed) operation.error = failed
    this.operations.set(at, operation)
  }

  /** The answer to a change that takes a while. */
  private start(path: string, status: number, style: Kind['style'], end: Operation['end'], error?: Body): Answer {
    if (style === 'now') {
      end()
      return { status: 200, body: {} }
    }
    const namespace = path.split('/providers/')[1]?.split('/')[0]
    const where = `providers/${namespace}/locations/westeurope/${operations[namespace ?? ''] ?? 'operations'}`
    // Of a resource group, which has no provider.
    const at = `/subscriptions/${subscription}/${namespace ? where : 'operationresults'}/${++this.started}`
    this.operations.set(at, { left: this.takes, end, error, style })
    const link = `https://management.azure.com${at}?api-version=2024-01-01`
    return style === 'async'
      ? { status, headers: { 'azure-asyncoperation': link, location: link }, body: {} }
      : { status: 202, headers: { location: link } }
  }

  private operationAt(path: string): Answer {
    const operation = this.operations.get(path)
    if (!operation) return armError(404, 'OperationNotFound')
    const { left, error, style } = operation
    if (style === 'async') {
      const status = left > 0 ? 'InProgress' : error ? 'Failed' : 'Succeeded'
      return { body: { name: lastOf(path), status, ...(status === 'Failed' && { error }) } }
    }
    if (left > 0) return { status: 202 }
    return error ? armError(409, error['code'], error['message']) : { status: 204 }
  }

  private groupAt({ method, path, body }: Question): Answer {
    const kept = this.kept.get(path.toLowerCase())
    if (method === 'PUT') {
      if (kept?.state === 'deleting') return armError(409, 'ResourceGroupBeingDeleted')
      if (!kept) this.done.push(`create ${shortOf(path)}`)
      return { status: kept ? 200 : 201, body: this.shown(this.add(path, body)) }
    }
    if (!kept) return this.absent(path)
    return method === 'DELETE' ? this.deleteGroup(kept) : { body: this.shown(kept) }
  }

  private deleteGroup(group: Kept): Answer {
    if (group.state === 'deleting') return { status: 202 }
    group.state = 'deleting'
    return this.start(group.path, 202, 'location', () => {
      const inside = this.under(group.path)
      // Blocked by what is outside; Azure leaves what it could not delete.
      const blocked = inside.find((one) => this.userOf(one, groupOf(group.path)))
      if (blocked) {
        group.state = 'ready'
        const message = `Deletion of resource group '${lastOf(group.path)}' failed as resources with identifiers '${shortOf(blocked.path)}' could not be deleted.`
        return { code: 'ResourceGroupDeletionBlocked', message }
      }
      for (const one of [...inside, group]) this.forget(one)
      this.done.push(`delete ${shortOf(group.path)}`)
      return undefined
    })
  }

  /** The groups of its nodes are deleted with a cluster. */
  private forget({ path, body }: Kept): void {
    this.kept.delete(path.toLowerCase())
    const nodes: unknown = body['properties']?.nodeResourceGroup
    if (typeof nodes === 'string') this.kept.delete(`/subscriptions/${subscription}/resourcegroups/${nodes}`)
  }

  private under(path: string): Kept[] {
    const above = `${path.toLowerCase()}/`
    return [...this.kept].flatMap(([one, kept]) => (one.startsWith(above) ? [kept] : []))
  }

  /** An object outside of the group that this one is used by. */
  private userOf({ path }: Kept, group?: string): Kept | undefined {
    const own = path.toLowerCase()
    const isThis = (id: string): boolean => id === own || id.startsWith(`${own}/`)
    return [...this.kept].find(
      ([other, { body, set }]) =>
        !isThis(other) && groupOf(other) !== group && [...idsIn(body), ...(set?.pools ?? [])].some(isThis),
    )?.[1]
  }

  private put({ path, body }: Question, known: Kept | undefined): Answer {
    const refusal = this.stateRefusal(path, known) ?? this.referenceRefusal(path.toLowerCase(), body)
    if (refusal) return refusal
    // A request that asks for what is so changes nothing.
    if (known?.state === 'ready' && isDeepStrictEqual(known.body, withoutUndefined(body)))
      return { status: 200, body: this.shown(known) }
    const type = lastOf(path.split('/').slice(0, -1).join('/'))
    const error = this.failures.get(type)
    this.failures.delete(type)
    const kept = this.add(path, withoutUndefined(body))
    kept.state = 'creating'
    this.bodies.set(shortOf(path), withoutSecrets(body))
    this.addNodes(kept)
    const isNew = known?.state !== 'ready'
    const end = () => this.ended(kept, error, `${isNew ? 'create' : 'update'} ${shortOf(path)}`)
    return this.start(path, 201, kindOf(path).style, end, error)
  }

  private ended(kept: Kept, error: Body | undefined, what: string): void {
    if (error && kindOf(kept.path).isHidden) this.kept.delete(kept.path.toLowerCase())
    kept.state = error ? 'failed' : 'ready'
    for (const one of this.under(kept.path)) one.state = kept.state
    if (!error) this.done.push(what)
  }

  /** A cluster is created with its pools and the group of its nodes. */
  private addNodes({ path, body }: Kept): void {
    const nodes: unknown = body['properties']?.nodeResourceGroup
    if (typeof nodes !== 'string') return
    this.add(`/subscriptions/${subscription}/resourceGroups/${nodes}`, { location: body['location'] })
    for (const { name, ...properties } of body['properties'].agentPoolProfiles)
      Object.assign(this.add(`${path}/agentPools/${name}`, { properties }), { state: 'creating' })
  }

  private stateRefusal(path: string, known: Kept | undefined): Answer | undefined {
    const group = this.kept.get(groupOf(path))
    const name = lastOf(path)
    if (!group) return this.absent(path)
    if (group.state === 'deleting') return armError(409, 'ResourceGroupBeingDeleted')
    if (!kindOf(path).name.test(name)) return armError(400, 'InvalidResourceName', `${name} is not a name.`)
    const isBusy = known?.state === 'creating' || known?.state === 'deleting'
    return isBusy ? armError(409, 'AnotherOperationInProgress') : undefined
  }

  /** What it names has to exist and to be ready. */
  private referenceRefusal(own: string, body: Body): Answer | undefined {
    for (const id of idsIn(body).filter((one) => !one.startsWith(own))) {
      const [found] = [...this.kept].flatMap(([one, kept]) => (id === one || id.startsWith(`${one}/`) ? [kept] : []))
      const subnet = /\/subnets\/([^/]+)$/.exec(id)?.[1]
      const at = [...this.kept.values()].find((one) => one.path.toLowerCase() === id.replace(/\/subnets\/.*$/, ''))
      const isThere =
        subnet === undefined ? found : at?.body['properties'].subnets.some((one: Body) => one['name'] === subnet)
      if (!isThere) return armError(400, 'InvalidResourceReference', `${id} does not exist.`)
      if (at && at.state !== 'ready') return armError(409, 'ReferencedResourceNotProvisioned')
    }
    return undefined
  }

  private delete(kept: Kept): Answer {
    if (kept.state === 'deleting') return { status: 202 }
    const user = this.userOf(kept)
    if (user)
      return armError(400, 'InUseSubnetCannotBeDeleted', `Subnet is in use by ${user.path} and cannot be deleted.`)
    kept.state = 'deleting'
    return this.start(kept.path, 202, 'async', () => {
      this.forget(kept)
      this.done.push(`delete ${shortOf(kept.path)}`)
    })
  }

  private patch({ path, body, headers }: Question, kept: Kept): Answer {
    if (kept.state !== 'ready') return armError(409, 'AnotherOperationInProgress')
    this.bodies.set(`patch ${shortOf(path)}`, withoutSecrets(body))
    if (!kept.set) return this.start(path, 202, 'async', () => {})
    if (headers['if-match'] !== kept.set.etag) return armError(412, 'PreconditionFailed')
    kept.set.change(body)
    return this.start(path, 200, 'async', () => kept.set?.upgradeByPolicy())
  }

  private below({ path }: Question): Answer {
    const set = this.kept.get(path.toLowerCase().replace(/\/[^/]+$/, ''))?.set
    if (path.endsWith('/listKeys')) return { body: { primaryKey: 'redis-secret', secondaryKey: 'another' } }
    if (set && path.endsWith('/manualupgrade')) return this.start(path, 202, 'async', () => set.upgrade())
    return set ? { body: { value: set.machines(path.replace(/\/[^/]+$/, '')) } } : this.absent(path)
  }
}

const kindOf = (path: string): Kind => kinds[typeOf(path)] ?? usual

const withoutUndefined = (body: Body): Body => JSON.parse(JSON.stringify(body)) as Body

/** Passwords are `Tm` and 48 hexadecimal digits; keys of ed25519 have one length. */
const withoutSecrets = (body: Body): Body =>
  JSON.parse(
    JSON.stringify(body)
      .replaceAll(/"Tm[0-9a-f]{48}"/g, '"(secret)"')
      .replaceAll(/"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[A-Za-z0-9+/]{43}"/g, '"(key)"'),
  ) as Body
