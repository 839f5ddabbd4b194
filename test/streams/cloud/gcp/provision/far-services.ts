/**
 * The services of Google Cloud that things are provisioned with, written after their API documents: they keep what is
 * created, each change is an operation that takes some questions, names are taken once, and what is in use stays. `done`
 * has every change that had an effect, once each.
 */
import { refusing, type Answer, type Question } from '#test/streams/cloud/gcp/far-google.ts'

type Body = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

interface Kept {
  body: Body
  state: 'creating' | 'ready' | 'failed' | 'deleting'
}

interface Operation {
  /** Questions until it is over. */
  left: number
  end: () => void
  error?: Body | undefined
  isDone: boolean
}

type Start = Pick<Operation, 'end' | 'error'> & { request?: string | null }

interface Kind {
  /** `compute` tells of an operation with a status, the newer services with `done`. */
  style: 'compute' | 'newer' | 'status'
  /** The object that a creation has, and its id. */
  idOf: (question: Question) => readonly [string, Body]
  /** Whether it can be looked at while it is being created. */
  isSeenEarly?: boolean
  /** How it tells its state. */
  shown?: (kept: Kept, path: string) => Body
  /** Paths of what it cannot be without. */
  uses?: (body: Body) => readonly string[]
}

const named = ({ body }: Question): readonly [string, Body] => [body.name, body]
const linked = (...links: unknown[]) =>
  links.flatMap((link) => (typeof link === 'string' ? [link.replace(/^.*?(projects\/)/, '/compute/v1/$1')] : []))

const states: Readonly<Record<string, readonly [string, string, string, string]>> = {
  clusters: ['PROVISIONING', 'RUNNING', 'ERROR', 'STOPPING'],
  nodePools: ['PROVISIONING', 'RUNNING', 'ERROR', 'STOPPING'],
  sql: ['PENDING_CREATE', 'RUNNABLE', 'FAILED', 'PENDING_DELETE'],
  redis: ['CREATING', 'READY', 'FAILED', 'DELETING'],
}
const stateIn = (of: string, { state }: Kept): string =>
  states[of]![(['creating', 'ready', 'failed', 'deleting'] as const).indexOf(state)]!

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [
    /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/repositories$/,
    { style: 'newer', idOf: ({ query, body }) => [query.get('repositoryId') ?? '', body] },
  ],
  [
    /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/instances$/,
    {
      style: 'newer',
      isSeenEarly: true,
      idOf: ({ query, body }) => [query.get('instanceId') ?? '', body],
      shown: (kept) => ({
        state: stateIn('redis', kept),
        ...(kept.state === 'ready' && { host: '10.0.0.3', port: 6379 }),
      }),
    },
  ],
  [
    /^\/sql\/v1beta4\/projects\/[^/]+\/instances$/,
    {
      style: 'status',
      isSeenEarly: true,
      idOf: named,
      shown: (kept) => ({
        state: stateIn('sql', kept),
        ...(kept.state === 'ready' && { ipAddresses: [{ type: 'PRIMARY', ipAddress: '34.1.2.3' }] }),
      }),
    },
  ],
  [
    /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/clusters$/,
    {
      style: 'status',
      isSeenEarly: true,
      idOf: ({ body }) => [body.cluster.name, body.cluster],
      shown: (kept) => ({
        status: stateIn('clusters', kept),
        currentMasterVersion: `${kept.body['initialClusterVersion']}.4-gke.1000`,
        ...(kept.state === 'ready' && { endpoint: '35.1.2.3' }),
      }),
    },
  ],
  [
    /^\/v1\/.*\/clusters\/[^/]+\/nodePools$/,
    {
      style: 'status',
      isSeenEarly: true,
      idOf: ({ body }) => [body.nodePool.name, body.nodePool],
      shown: (kept) => ({ status: stateIn('nodePools', kept) }),
    },
  ],
  [/\/subnetworks$/, { style: 'compute', idOf: named, uses: ({ network }) => linked(network) }],
  [
    /\/instanceGroupManagers$/,
    {
      style: 'compute',
      idOf: named,
      uses: ({ instanceTemplate }) => linked(instanceTemplate),
      shown: (kept, path) => ({
        instanceGroup: path.replace('instanceGroupManagers', 'instanceGroups').replace('/compute/v1/', ''),
        status: { isStable: kept.state === 'ready' },
      }),
    },
  ],
  [/\/autoscalers$/, { style: 'compute', idOf: named, uses: ({ target }) => linked(target) }],
  [
    /\/backendServices$/,
    {
      style: 'compute',
      idOf: named,
      uses: ({ healthChecks, backends }) => [
        ...linked(...healthChecks),
        ...linked(...backends.map(({ group }: Body) => group.replace('instanceGroups', 'instanceGroupManagers'))),
      ],
    },
  ],
  [
    /\/forwardingRules$/,
    {
      style: 'compute',
      idOf: named,
      uses: ({ backendService }) => linked(backendService),
      shown: () => ({ IPAddress: '34.9.8.7' }),
    },
  ],
  [/\/(networks|firewalls|instanceTemplates|healthChecks)$/, { style: 'compute', idOf: named }],
]

const collectionOf = (path: string): string => path.slice(0, path.lastIndexOf('/'))
const lastOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const kindOf = (collection: string): Kind | undefined => kinds.find(([shape]) => shape.test(collection))?.[1]

/** Where operations on the object are: its project, region or location. */
const placeOf = (path: string): string =>
  /^(\/compute\/v1\/projects\/[^/]+\/(?:global|regions\/[^/]+|zones\/[^/]+)|\/sql\/v1beta4\/projects\/[^/]+|\/v1\/projects\/[^/]+\/locations\/[^/]+)/.exec(
    path,
  )![0]

export class FarServices {
  readonly kept = new Map<string, Kept>()
  /** Changes that had an effect. */
  readonly done: string[] = []
  /** The bodies of creations, by name. */
  readonly bodies = new Map<string, Body>()
  /** Questions that an operation takes. */
  takes = 2
  /** What the next operations of a collection end with. */
  readonly failures = new Map<string, Body>()
  /** Answers in place of the service's own, one after the other, by method and the end of the path. */
  readonly refusals: { method: string; of: RegExp; answer: Answer }[] = []
  /** Every n-th answer to a change is lost, after it was made; 0: none. */
  loseEach = 0
  /** The valid password of each user. */
  readonly passwords = new Map<string, string>()
  private changes = 0
  /** Servers with an operation in progress. */
  private readonly changing = new Set<string>()
  private readonly operations = new Map<string, Operation>()
  private readonly requests = new Map<string, string>()

  readonly answer = (question: Question): Answer => {
    for (const [path, one] of this.operations) this.pass(path, one)
    const { method, path } = question
    const refused = this.refusals.findIndex((one) => one.method === method && one.of.test(path))
    if (refused >= 0) return this.refusals.splice(refused, 1)[0]!.answer
    const said = this.said(question)
    const isLost = method !== 'GET' && this.loseEach > 0 && ++this.changes % this.loseEach === 0
    return isLost ? { isLost } : said
  }

  private said(question: Question): Answer {
    const { method, path } = question
    if (path.includes('/operations/')) return this.operationAt(path)
    const known = this.requests.get(question.query.get('requestId') ?? '')
    if (known !== undefined) return this.operationAt(known)
    if (method === 'GET' && path.endsWith('/authString')) return { body: { authString: 'redis-secret' } }
    const inside = /^(\/sql\/.*\/instances\/[^/]+)\/(users|databases)\b/.exec(path)
    if (inside) return this.inServer(inside[1]!, inside[2]!, question)
    if (method === 'PATCH') return this.patch(question)
    return method === 'POST' ? this.create(question) : this.one(question)
  }

  private one({ method, path, query }: Question): Answer {
    const kept = this.kept.get(path)
    const kind = kindOf(collectionOf(path))
    if (!kind || !kept || (kept.state === 'creating' && !kind.isSeenEarly)) return absent(kind, path)
    if (method === 'DELETE') return this.delete(path, query.get('requestId'), kind, kept)
    return { body: { ...kept.body, ...kind.shown?.(kept, path) } }
  }

  private pass(path: string, operation: Operation): void {
    if (operation.isDone || --operation.left > 0) return
    operation.isDone = true
    operation.end()
    this.operations.set(path, operation)
  }

  private start(kind: Kind, path: string, { end, error, request }: Start): Answer {
    const at = `${placeOf(path)}/operations/operation-${this.operations.size + 1}`
    this.operations.set(at, { left: this.takes, end, error, isDone: false })
    if (request) this.requests.set(request, at)
    return { body: shownOperation(kind.style, at, this.operations.get(at)!) }
  }

  private operationAt(path: string): Answer {
    const operation = this.operations.get(path)
    if (!operation) return refusing(404, 'notFound', `The resource '${path}' was not found`)
    const style = path.startsWith('/compute') ? 'compute' : 'newer'
    return { body: shownOperation(path.startsWith('/sql') ? 'status' : style, path, operation) }
  }

  private create(question: Question): Answer {
    const { path, query } = question
    const kind = kindOf(path)
    if (!kind) return absent(undefined, path)
    const [id, body] = kind.idOf(question)
    const own = `${path}/${id}`
    const refusal = this.refusalOf(kind, own, id, body)
    if (refusal) return refusal
    const error = this.failures.get(lastOf(path))
    this.failures.delete(lastOf(path))
    const kept: Kept = { body: { ...body, name: id }, state: 'creating' }
    this.kept.set(own, kept)
    this.bodies.set(`${lastOf(path)}/${id}`, withoutSecrets(body))
    for (const pool of body['nodePools'] ?? []) this.kept.set(`${own}/nodePools/${pool.name}`, { ...kept, body: pool })
    return this.start(kind, own, {
      end: () => this.created(own, kept, kind, error),
      error,
      request: query.get('requestId'),
    })
  }

  private refusalOf(kind: Kind, own: string, id: string, body: Body): Answer | undefined {
    if (!/^[a-z](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(id)) return refusing(400, 'invalid', `Invalid name: ${id}`)
    if (this.kept.has(own))
      return refusing(409, kind.style === 'compute' ? 'alreadyExists' : 'ALREADY_EXISTS', `${own} already exists`)
    const missing = (kind.uses?.(body) ?? []).find((one) => this.kept.get(one)?.state !== 'ready')
    return missing === undefined
      ? undefined
      : refusing(400, 'resourceNotReady', `The resource '${missing}' is not ready`)
  }

  private created(path: string, kept: Kept, { isSeenEarly }: Kind, failure: Body | undefined): void {
    if (failure && !isSeenEarly) this.kept.delete(path)
    kept.state = failure ? 'failed' : 'ready'
    for (const [one, of] of this.kept) if (one.startsWith(`${path}/`)) of.state = kept.state
    if (!failure) this.done.push(`create ${shortOf(path)}`)
  }

  private delete(path: string, request: string | null, kind: Kind, kept: Kept): Answer {
    if (kept.state === 'creating' || kept.state === 'deleting')
      return refusing(kind.style === 'compute' ? 400 : 409, kind.style === 'compute' ? 'resourceNotReady' : 'ABORTED')
    const user = [...this.kept].find(([one, { body }]) => kindOf(collectionOf(one))?.uses?.(body).includes(path))
    if (user) return refusing(400, 'resourceInUseByAnotherResource', `'${path}' is already being used by '${user[0]}'`)
    kept.state = 'deleting'
    const end = () => {
      for (const one of this.kept.keys()) if (one === path || one.startsWith(`${path}/`)) this.kept.delete(one)
      this.done.push(`delete ${shortOf(path)}`)
    }
    return this.start(kind, path, { end, request })
  }

  /** Users and databases of a server, which it changes one at a time. */
  private inServer(at: string, collection: string, question: Question): Answer {
    const { method, path, query, body } = question
    const server = this.kept.get(at)
    if (!server) return absent(undefined, at)
    const name: string = method === 'POST' ? body.name : (query.get('name') ?? lastOf(path))
    const own = `${at}/${collection}/${name}`
    if (method === 'GET') {
      const found = [...this.kept].filter(([one]) => collectionOf(one) === `${at}/${collection}`)
      return { body: { items: found.map(([, { body: of }]) => of) } }
    }
    if (server.state !== 'ready' || this.changing.has(at)) return refusing(409, 'operationInProgress')
    if (method === 'POST' && this.kept.has(own)) return refusing(409, 'alreadyExists')
    if (method === 'DELETE' && !this.kept.has(own)) return refusing(404, 'notFound', `${name} does not exist`)
    if (collection === 'users') this.bodies.set(`users/${name}`, withoutSecrets(body))
    const error = this.failures.get(`${method} ${collection}`)
    this.failures.delete(`${method} ${collection}`)
    return this.changeServer(at, error, () => this.changeInside(own, question))
  }

  private changeInside(own: string, { method, body }: Question): void {
    if (method === 'DELETE') this.kept.delete(own)
    if (method === 'POST') this.kept.set(own, { body: withoutSecrets(body), state: 'ready' })
    if (method !== 'PUT') this.done.push(`${method === 'POST' ? 'create' : 'delete'} ${shortOf(own)}`)
    if (body.password !== undefined) this.passwords.set(lastOf(own), body.password)
  }

  private changeServer(at: string, error: Body | undefined, change: () => void): Answer {
    this.changing.add(at)
    const end = () => {
      this.changing.delete(at)
      if (!error) change()
    }
    return this.start(kindOf(collectionOf(at))!, at, { end, error })
  }

  /** Labels that are null are removed. */
  private patch({ path, body }: Question): Answer {
    const server = this.kept.get(path)
    if (!server) return absent(undefined, path)
    if (this.changing.has(path)) return refusing(409, 'operationInProgress')
    const { settings } = server.body as { settings: Body }
    const version = settings['settingsVersion'] ?? '1'
    if (body.settings.settingsVersion !== undefined && body.settings.settingsVersion !== version)
      return refusing(412, 'staleData', 'Condition does not match.')
    const labels = Object.entries({ ...settings['userLabels'], ...body.settings.userLabels })
    const userLabels = Object.fromEntries(labels.filter(([, value]) => value !== null))
    return this.changeServer(path, undefined, () => {
      server.body['settings'] = { ...settings, userLabels, settingsVersion: String(Number(version) + 1) }
    })
  }
}

/** Of 48 hexadecimal digits. */
const withoutSecrets = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      /^(rootPassword|password)$/.test(name) && /^[0-9a-f]{48}$/.test(value) ? '(secret)' : value,
    ]),
  )

const shortOf = (path: string): string => path.split('/').slice(-2).join('/')

const absent = (kind: Kind | undefined, path: string): Answer => {
  const of = path.replace(/^.*?(projects\/)/, '$1')
  if (kind?.style === 'compute') return refusing(404, 'notFound', `The resource '${of}' was not found`)
  return path.startsWith('/sql')
    ? refusing(404, 'instanceDoesNotExist', 'The Cloud SQL instance does not exist.')
    : refusing(404, 'NOT_FOUND', `Resource '${of}' was not found`)
}

function shownOperation(style: Kind['style'], path: string, { isDone, error }: Operation): Body {
  const failed = isDone && error ? { error } : {}
  if (style === 'newer') return { name: path.replace(/^\/v1\//, ''), done: isDone, ...failed }
  return { name: lastOf(path), status: isDone ? 'DONE' : 'RUNNING', ...failed }
}
