// tier: deep
import { join } from 'node:path'
import { expect } from 'chai'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { kubernetesAct } from '#streams/cloud/kubernetes/act.ts'
import { kubernetesChildren } from '#streams/cloud/kubernetes/object/children.ts'
import { listedKinds as kinds, pathOf, type Cluster } from '#streams/cloud/kubernetes/object/kind.ts'
import { kubernetesLook } from '#streams/cloud/kubernetes/object/look.ts'
import { kubernetesKinds } from '#streams/cloud/resource/resource-type.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { apiOf, failure, fixedServer, type Answer, type Asked, type FixedServer } from '#test/harness/kubernetes.ts'
import { tenant } from '#test/harness/product.ts'
import { describeReal } from '#test/real/data.ts'
import { rowsOf, type AnalystRow } from '#test/real/inventory/analyst.ts'
import { account, listed } from '#test/real/inventory/product.ts'
import { expectedIn, linesOf, recordings, type Json } from '#test/real/inventory/recording.ts'

const cluster: Cluster = {
  uid: 'projects/recorded/locations/us-central1/clusters/one',
  type: 'gcp-gke',
  region: 'us-central1',
}

/** Objects that others have written down, one of each name, as the lists of a cluster would have them. */
function objectsIn(folder: string): Map<string, Json[]> {
  const all = linesOf(join(folder, 'inventory/k8s/objects_k9s.jsonl')).map(({ object }: Json) => object)
  const unique = new Map(
    all.map((one: Json) => [`${one.kind} ${one.metadata.namespace} ${one.metadata.name}`, one] as const),
  )
  return Map.groupBy(unique.values(), ({ kind }: Json) => kind.toLowerCase() as string)
}

/** What was recorded on the wire, else the objects beside it; the scale of deployments is kept. */
function replay(path: string, objects: Map<string, Json[]>): (asked: Asked) => Answer | undefined {
  const recorded = new Map(
    linesOf(path).map(({ method, uri, status, responseBody }: Json) => [
      `${method} ${new URL(uri).pathname}`,
      { status, body: responseBody as string },
    ]),
  )
  return (asked) => {
    const { method, path: at } = asked
    const wire = recorded.get(`${method} ${at}`)
    if (wire) return wire
    const kind = kinds.find((one) => pathOf(one) === at)
    if (kind) return { body: { kind: 'ReplayedList', metadata: {}, items: (objects.get(kind.kind) ?? []).map(bare) } }
    return deploymentOf(asked, objects)
  }
}

/** Items of lists carry no kind of their own. */
const bare = ({ kind: _kind, apiVersion: _version, ...rest }: Json): Json => rest

function deploymentOf({ method, path, body }: Asked, objects: Map<string, Json[]>): Answer {
  const [, namespace, name, part] =
    /^\/apis\/apps\/v1\/namespaces\/([^/]+)\/deployments\/([^/]+)(\/scale)?$/.exec(path) ?? []
  const found = objects
    .get('deployment')
    ?.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  if (!found) return failure(404, 'not found')
  if (method === 'GET') return { body: found }
  if (method !== 'PATCH' || part === undefined) return failure(405, 'not allowed')
  const { replicas } = body.spec
  found.spec.replicas = replicas
  found.status = { ...found.status, replicas, readyReplicas: replicas }
  return { body: { kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas }, status: { replicas } } }
}

/** What the recorded data says of an object, as far as a resource says it. */
const wanted = ({ kind, uid, name, namespace, labels, owner }: Json) => ({
  uid: [cluster.uid, ...(namespace === null ? [] : [namespace]), kind.toLowerCase(), name].join('/'),
  type: `gcp-gke-${kind.toLowerCase()}`,
  name,
  namespace: namespace ?? undefined,
  tags: labels,
  objectUid: uid,
  isOwned: owner.length > 0,
})

const told = ({ resourceUid, type, name, tags, specs = {} }: DiscoveredResource) => ({
  uid: resourceUid,
  type,
  name,
  namespace: specs['namespace'],
  tags,
  objectUid: specs['object_uid'],
  isOwned: specs['owner'] !== undefined,
})

/** The same of a row of analysts. */
const viewed = ({ uid, type, name, tags, specs }: AnalystRow) => ({
  uid,
  type,
  name,
  namespace: specs['namespace'],
  tags,
  objectUid: specs['object_uid'],
  isOwned: specs['owner'] !== undefined,
})

describeReal('clusters recorded on the wire, asked again over HTTP', (folder) => {
  let server: FixedServer
  afterEach(() => server.close())

  const scan = async (path: string) => {
    server = await fixedServer(replay(path, objectsIn(folder)))
    const api = apiOf(server.url)
    const children = kubernetesChildren(api, cluster)
    const found: DiscoveredResource[] = []
    for await (const page of children.pages) found.push(...page)
    return { api, children, found }
  }

  for (const path of recordings(folder, 'k8s', /^wire_.*\.jsonl\.gz$/)) {
    const objects = expectedIn(folder, 'k8s', path)
    const name = path.split('/').at(-1)!
    if (objects.length === 0) continue

    it(`${name} has exactly the objects of our kinds that it is known to have`, async () => {
      const { children, found } = await scan(path)
      const ours = objects.filter(({ kind }) => Object.hasOwn(kubernetesKinds, kind.toLowerCase()))
      const onWire = new Set(ours.map(({ kind }) => kind.toLowerCase()))
      const replayed = found.filter(({ type }) => onWire.has(type.slice('gcp-gke-'.length)))
      const byUid = (one: { uid: string }, other: { uid: string }) => (one.uid < other.uid ? -1 : 1)
      expect(replayed.map(told).toSorted(byUid)).to.deep.equal(ours.map(wanted).toSorted(byUid))
      expect(new Set(found.map(({ resourceUid }) => resourceUid)).size, 'each once').to.equal(found.length)
      expect(new Set(found.map(({ parentUID }) => parentUID))).to.deep.equal(new Set([cluster.uid]))
      expect(children.missingPermissions()).to.deep.equal([])
      expect(children.message()).to.equal(undefined)
      expect(children.seen()[0]!.types).to.have.members(Object.keys(kubernetesKinds).map((kind) => `gcp-gke-${kind}`))
    })
  }

  const gke = () => recordings(folder, 'k8s', /^wire_gke.*\.jsonl\.gz$/)[0]!

  it('its deployments are what they are, and are scaled to none and back by their scale', async () => {
    const { api, found } = await scan(gke())
    const deployment = found.find(({ name }) => name === 'icx-db')!
    expect(deployment).to.deep.include({
      type: 'gcp-gke-deployment',
      status: 'running',
      unitCount: 1,
      schedulable: true,
    })
    expect(deployment.specs).to.deep.include({
      namespace: 'icx',
      replicas: 1,
      cpu_request_millicores: 250,
      memory_request_mib: 256,
      cpu_limit_millicores: 250,
      memory_limit_mib: 512,
      containers_without_requests: 0,
      privileged: false,
      mutable_image_tag: false,
      tolerates_spot: false,
      selector: { app: 'icx-db' },
    })
    const act = (kind: 'start' | 'stop') => kubernetesAct(api, { id: kind, kind, resource: deployment })
    expect(await act('stop')).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(await kubernetesLook(api, deployment)).to.deep.include({
      status: 'stopped',
      capacity: { min: 0, max: 0, desired: 0 },
    })
    expect(await act('start')).to.deep.equal({ status: 'succeeded', observedState: 'running' })
    expect(await kubernetesLook(api, deployment)).to.deep.include({ capacity: { min: 0, max: 1, desired: 1 } })
  })

  it('its machines and volumes say of what size they are', async () => {
    const { found } = await scan(gke())
    const nodes = found.filter(({ type }) => type === 'gcp-gke-node')
    expect(nodes.map(({ instanceType }) => instanceType)).to.deep.equal(['g1-small', 'g1-small', 'g1-small'])
    expect(nodes[0]!.specs).to.deep.include({
      unschedulable: false,
      zone: 'us-central1-c',
      architecture: 'amd64',
      node_pool: 'default-pool',
    })
    const volumes = found.filter(({ type }) => type === 'gcp-gke-persistentvolume')
    expect(
      volumes.map(({ name }) => name),
      'none on the wire',
    ).to.deep.equal([])
    server.close()
    const [openshift] = recordings(folder, 'k8s', /^wire_openshift.*\.jsonl\.gz$/)
    const other = (await scan(openshift!)).found
    const sizes = other.filter(({ type }) => type === 'gcp-gke-persistentvolume').map(({ sizeGB }) => sizeGB)
    expect([sizes.length, new Set(sizes)]).to.deep.equal([30, new Set([100])])
  })

  /** An organization that was told of a cluster and of all that is in it. */
  const toldOf = async (found: readonly DiscoveredResource[]) => {
    const org = await tenant()
    const common = { cloudAccountId: account }
    const parent = {
      resourceUid: cluster.uid,
      name: 'one',
      type: cluster.type,
      provider: 'gcp',
      region: cluster.region,
    }
    await org.publish(resourceDiscovered, [{ ...parent, ...common, tags: {} } as never])
    for (let at = 0; at < found.length; at += 100)
      await org.publish(resourceDiscovered, found.slice(at, at + 100).map((one) => ({ ...one, ...common })) as never)
    return org
  }

  it('reaches the inventory whole', async () => {
    const { found } = await scan(gke())
    const all = (await listed(await toldOf(found))).filter(({ uid }) => uid !== cluster.uid)
    const shape = (one: { uid: string; name: string; type: string; status?: unknown; schedulable?: unknown }) =>
      [one.uid, one.name, one.type, one.status, one.schedulable].join(' ')
    expect(all.map((one) => shape(one as never)).toSorted()).to.deep.equal(
      found.map((one) => shape({ ...one, uid: one.resourceUid })).toSorted(),
    )
  })

  for (const path of recordings(folder, 'k8s', /^wire_.*\.jsonl\.gz$/)) {
    const ours = expectedIn(folder, 'k8s', path).filter(({ kind }) =>
      Object.hasOwn(kubernetesKinds, kind.toLowerCase()),
    )
    if (ours.length === 0) continue

    it(`${path.split('/').at(-1)} is for analysts exactly what is known to be in it`, async () => {
      const { found } = await scan(path)
      const rows = await rowsOf(await toldOf(found))
      expect(rows.map(({ uid }) => uid)).to.deep.equal(
        [cluster.uid, ...found.map(({ resourceUid }) => resourceUid)].toSorted(),
      )
      const onWire = new Set(ours.map(({ kind }) => `gcp-gke-${kind.toLowerCase()}`))
      expect(rows.filter(({ type }) => onWire.has(type)).map(viewed)).to.deep.equal(
        ours.map(wanted).toSorted((one, other) => (one.uid < other.uid ? -1 : 1)),
      )
      const children = rows.filter(({ uid }) => uid !== cluster.uid)
      const places = children.map(({ parentUID, provider, deletedAt }) => `${parentUID} ${provider} ${deletedAt}`)
      expect(new Set(places)).to.deep.equal(new Set([`${cluster.uid} gcp null`]))
    })
  }
})
