/**
 * A cluster with state: the API of its cloud that names its server, and an API server as Kubernetes documents it, with what components
 * need. Definitions are served some questions after they were applied, workloads run some questions later, a namespace takes its content
 * with it, objects of own kinds are deleted only while a controller runs. `done` has every change that had an effect, once each.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { listedKinds } from '#streams/cloud/kubernetes/object/kind.ts'
import { failure, type Answer } from '#test/harness/kubernetes.ts'

// oxlint-disable-next-line typescript/no-explicit-any
export type Body = Record<string, any>

interface Kind {
  apiVersion: string
  kind: string
  plural: string
  namespaced: boolean
}

/** Of Kubernetes itself, besides those that are resources. */
const builtIn: readonly Kind[] = [
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'mutatingwebhookconfigurations'],
  ['networking.k8s.io/v1', 'IngressClass', 'ingressclasses'],
  ['storage.k8s.io/v1', 'CSIDriver', 'csidrivers'],
  ['apiregistration.k8s.io/v1', 'APIService', 'apiservices'],
].map(([apiVersion, kind, plural]) => ({ apiVersion: apiVersion!, kind: kind!, plural: plural!, namespaced: false }))

/** As they are spelled in objects. */
const spelled = [
  'Namespace',
  'ServiceAccount',
  'ConfigMap',
  'Service',
  'Deployment',
  'DaemonSet',
  'StatefulSet',
  'PersistentVolumeClaim',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]
const listed: readonly Kind[] = spelled.map((kind) => {
  const { group, version, plural, namespaced } = listedKinds.find((one) => one.kind === kind.toLowerCase())!
  return { apiVersion: group === '' ? version : `${group}/${version}`, kind, plural, namespaced }
})

const workloads = ['Deployment', 'DaemonSet']

interface Kept {
  kind: Kind
  body: Body
  /** Questions since it was applied, and since it was deleted. */
  age: number
  goingFor?: number
}

/** The API of a cloud, which signs in and names the server of a cluster. */
export interface CloudApi {
  uid: string
  /** Undefined if it is about something else. */
  signIn: (path: string, body: string) => Answer | undefined
  /** Of the cluster at `url`, undefined if it is not about a cluster; `isThere`: whether there is such a cluster. */
  describe: (path: string, url: string, isThere: boolean) => Answer | undefined
}

export class FarCluster {
  /** By path. */
  readonly kept = new Map<string, Kept>()
  readonly done: string[] = []
  readonly asked: string[] = []
  readonly tokens = new Set<string>()
  /** Questions that definitions, workloads and deletions take. */
  takes = 3
  isAdministrator = true
  /** Whether the cloud knows the cluster. */
  isThere = true
  /** Deployments that never become available, by name. */
  stuck: string | undefined
  /** Answers in place of the server's own, one after the other, by method and path. */
  readonly refusals: { method: string; of: RegExp; answer: Answer }[] = []
  /** Every n-th answer to a change is lost, after it was made; 0: none. */
  loseEach = 0
  /** After this question nothing is heard from who asks, until it is started again; 0: never. */
  killAt = 0
  questions = 0
  isDead = false
  url = ''
  readonly cloud: CloudApi
  private changes = 0
  private uids = 0
  private readonly server: Server = createServer((request, response) => {
    void this.serve(request).then((answer) => {
      if (answer?.body === undefined) return request.socket.destroy()
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
      return response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
    })
  })

  constructor(cloud: CloudApi) {
    this.cloud = cloud
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  /** What somebody else has put there. */
  add(kindName: string, body: Body): void {
    const kind = this.kinds().find((one) => one.kind === kindName)!
    const { name, namespace } = body['metadata'] as { name: string; namespace?: string }
    this.keep(pathOf(kind, name, namespace), kind, { ...body, managers: ['kubectl'] })
  }

  private async serve(request: IncomingMessage): Promise<Answer | undefined> {
    const url = new URL(request.url!, 'http://here')
    const said = await text(request)
    const signedIn = this.cloud.signIn(url.pathname, said)
    if (signedIn || this.isDead) return signedIn
    this.questions++
    const method = request.method!
    this.asked.push(`${method} ${url.pathname}`)
    const answer = this.answer(method, url, said === '' ? {} : (JSON.parse(said) as Body), request)
    this.isDead = this.questions === this.killAt
    if (this.isDead) return undefined
    const isLost = method !== 'GET' && this.loseEach > 0 && ++this.changes % this.loseEach === 0
    return isLost ? undefined : answer
  }

  private answer(method: string, url: URL, body: Body, { headers }: IncomingMessage): Answer {
    const at = this.refusals.findIndex((one) => one.method === method && one.of.test(url.pathname))
    if (at >= 0) return this.refusals.splice(at, 1)[0]!.answer
    const path = decodeURIComponent(url.pathname)
    const described = this.cloud.describe(path, this.url, this.isThere)
    if (described) return described
    this.tokens.add(headers.authorization ?? '')
    this.pass()
    if (path.endsWith('/selfsubjectaccessreviews')) return { body: { status: { allowed: this.isAdministrator } } }
    if (/^\/(api|apis\/[^/]+)\/[^/]+$/.test(path)) return this.discovered(path)
    if (method === 'PATCH') return this.applied(path, url, body, headers['content-type'])
    if (method === 'DELETE') return this.deleted(path, body)
    const one = this.kept.get(path)
    return one ? { body: this.shown(one) } : this.selected(path, url)
  }

  /** Time, of which each question is a part. */
  private pass(): void {
    for (const [path, one] of this.kept) {
      one.age++
      if (one.goingFor === undefined) continue
      const isCustom = !builtIn.includes(one.kind) && !listed.includes(one.kind)
      // A finalizer that nobody works off.
      if (isCustom && ![...this.kept.values()].some(({ kind }) => kind.kind === 'Deployment')) continue
      if (++one.goingFor >= this.takes) this.drop(path, one)
    }
  }

  private drop(path: string, { kind, body }: Kept): void {
    this.kept.delete(path)
    if (kind.kind === 'Namespace')
      for (const other of this.kept.keys())
        if (other.includes(`/namespaces/${body['metadata'].name}/`)) this.kept.delete(other)
    if (kind.kind === 'CustomResourceDefinition')
      for (const [other, one] of this.kept) if (one.kind.kind === body['spec'].names.kind) this.kept.delete(other)
  }

  private kinds(): Kind[] {
    const own = [...this.kept.values()].filter(
      ({ kind, age }) => kind.kind === 'CustomResourceDefinition' && age >= this.takes,
    )
    const defined = own.flatMap(({ body: { spec } }) =>
      (spec.versions as Body[]).map((version) => ({
        apiVersion: `${spec.group}/${version['name']}`,
        kind: spec.names.kind as string,
        plural: spec.names.plural as string,
        namespaced: spec.scope === 'Namespaced',
      })),
    )
    return [...listed, ...builtIn, ...defined]
  }

  private discovered(path: string): Answer {
    const apiVersion = path.replace(/^\/apis?\//, '')
    const resources = this.kinds()
      .filter((one) => one.apiVersion === apiVersion)
      .flatMap(({ kind, plural: name, namespaced }) => [
        { name: `${name}/status`, kind, namespaced },
        { name, kind, namespaced },
      ])
    return resources.length > 0 ? { body: { groupVersion: apiVersion, resources } } : failure(404, 'not found')
  }

  private kindAt(path: string): Kind | undefined {
    return this.kinds().find((kind) => partsAt(kind, path) !== undefined)
  }

  private applied(path: string, url: URL, body: Body, type = ''): Answer {
    const kind = this.kindAt(path)
    if (!kind) return failure(404, 'the server could not find the requested resource')
    const manager = url.searchParams.get('fieldManager')
    if (type !== 'application/apply-patch+yaml' || !manager) return failure(415, 'not an apply')
    const before = this.kept.get(path)
    const refusal = this.malformed(kind, path, body) ?? this.refused(kind, url, before)
    if (refusal) return refusal
    if (!before) this.done.push(`create ${kind.kind} ${body['metadata'].name}`)
    this.keep(path, kind, { ...body, managers: [manager] })
    return { status: before ? 200 : 201, body: this.shown(this.kept.get(path)!) }
  }

  private malformed(kind: Kind, path: string, body: Body): Answer | undefined {
    const { name, namespace } = partsAt(kind, path)!
    if (body['apiVersion'] !== kind.apiVersion || body['kind'] !== kind.kind || body['metadata'].name !== name)
      return failure(400, 'the object is not that of the path')
    const hasPlace =
      namespace === undefined || namespace === 'kube-system' || this.kept.has(`/api/v1/namespaces/${namespace}`)
    return hasPlace ? undefined : failure(404, `namespaces "${namespace}" not found`)
  }

  private refused(kind: Kind, url: URL, before: Kept | undefined): Answer | undefined {
    if (before?.goingFor !== undefined) return failure(409, 'the object is being deleted')
    const isOfOther = before?.body['managers'].some((one: string) => one !== url.searchParams.get('fieldManager'))
    if (isOfOther && url.searchParams.get('force') !== 'true') return failure(409, 'Apply failed with 1 conflict')
    if (this.accepts(kind)) return undefined
    return failure(500, 'Internal error occurred: failed calling webhook "webhook": refused')
  }

  /** Whether the webhook that judges the kind runs. */
  private accepts(kind: Kind): boolean {
    const all = [...this.kept.values()]
    const hooks = all.filter((one) => one.kind.kind === 'ValidatingWebhookConfiguration')
    const isJudged = hooks.some(({ body }) => JSON.stringify(body['webhooks']).includes(kind.apiVersion.split('/')[0]!))
    return !isJudged || builtIn.includes(kind) || all.every((one) => one.kind.kind !== 'Deployment' || this.runs(one))
  }

  private keep(path: string, kind: Kind, body: Body): void {
    const before = this.kept.get(path)
    const uid = (before?.body['metadata'].uid as string | undefined) ?? `uid-${++this.uids}`
    const metadata = { ...body['metadata'], uid, generation: 1 }
    this.kept.set(path, { kind, body: { ...body, metadata }, age: before?.age ?? 0 })
  }

  private runs({ age, body }: Kept): boolean {
    return age >= this.takes && body['metadata'].name !== this.stuck
  }

  private shown(one: Kept): Body {
    const { kind, body, goingFor } = one
    const metadata = {
      ...body['metadata'],
      ...(goingFor !== undefined && { deletionTimestamp: '2026-01-15T12:00:00Z' }),
    }
    if (!workloads.includes(kind.kind)) return { ...body, metadata }
    const count = this.runs(one) ? (body['spec'].replicas ?? 1) : 0
    const conditions =
      metadata.name === this.stuck && one.age >= this.takes
        ? [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' }]
        : []
    const status =
      kind.kind === 'DaemonSet'
        ? { observedGeneration: 1, desiredNumberScheduled: 1, numberAvailable: count }
        : { observedGeneration: 1, availableReplicas: count, conditions }
    return { ...body, metadata, status }
  }

  private selected(path: string, url: URL): Answer {
    const kind = this.kinds().find((one) => isListOf(one, path))
    if (!kind) return failure(404, 'not found')
    const selector = url.searchParams.get('labelSelector') ?? ''
    const [, name = '', not, value] = /^([^!=]+)(!?)=(.*)$/.exec(selector) ?? []
    const namespace = /\/namespaces\/([^/]+)\/[^/]+$/.exec(path)?.[1]
    const items = [...this.kept.values()]
      .filter((one) => one.kind.kind === kind.kind && one.kind.apiVersion === kind.apiVersion)
      .filter(({ body }) => namespace === undefined || body['metadata'].namespace === namespace)
      .filter(({ body }) => (body['metadata'].labels?.[name] === value) === (not === ''))
      .map((one) => this.shown(one))
    const limit = Number(url.searchParams.get('limit') ?? items.length)
    return { body: { kind: `${kind.kind}List`, items: items.slice(0, limit) } }
  }

  private deleted(path: string, options: Body): Answer {
    const one = this.kept.get(path)
    if (!one) return failure(404, 'not found')
    if (options['preconditions']?.uid !== one.body['metadata'].uid) return failure(409, 'another uid')
    if (one.goingFor !== undefined) return { body: this.shown(one) }
    this.done.push(`delete ${one.kind.kind} ${one.body['metadata'].name}`)
    const isSlow = one.kind.kind === 'Namespace' || (!builtIn.includes(one.kind) && !listed.includes(one.kind))
    if (isSlow) one.goingFor = 0
    else this.drop(path, one)
    return { body: isSlow ? this.shown(one) : { kind: 'Status', status: 'Success' } }
  }
}

const rootOf = ({ apiVersion }: Kind): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`

const pathOf = (kind: Kind, name: string, namespace?: string): string =>
  `${rootOf(kind)}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.plural}/${name}`

function partsAt(kind: Kind, path: string): { name: string; namespace?: string } | undefined {
  const root = rootOf(kind)
  if (!path.startsWith(`${root}/`)) return undefined
  const parts = path.slice(root.length + 1).split('/')
  if (!kind.namespaced) return parts.length === 2 && parts[0] === kind.plural ? { name: parts[1]! } : undefined
  const [word, namespace, plural, name, ...more] = parts
  const isHere = word === 'namespaces' && plural === kind.plural && name !== undefined && more.length === 0
  return isHere ? { name, namespace: namespace! } : undefined
}

const isListOf = (kind: Kind, path: string): boolean =>
  path === `${rootOf(kind)}/${kind.plural}` ||
  (kind.namespaced &&
    path.startsWith(`${rootOf(kind)}/namespaces/`) &&
    path.endsWith(`/${kind.plural}`) &&
    path.slice(rootOf(kind).length).split('/').length === 4)
