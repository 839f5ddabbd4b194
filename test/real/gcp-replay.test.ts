/**
 * Recorded answers of Google Cloud, given to discovery over HTTP as Google gave them: what it finds in each is what the recorded data
 * says is in it. Compared are all answers whose resources the data lists, each in a scan of its own, since the recordings are of
 * several projects and moments: identifiers, types, names, states, sizes, regions, labels, and what rules read. What was recorded of
 * a single zone, or of one resource, is put into the list that discovery asks for. Metrics are no resources, and are left out.
 */
import { join } from 'node:path'
import { expect } from 'chai'
import { discoverGcp } from '#streams/cloud/gcp/discover/discover.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { CloudAccount, DiscoveredResource } from '#streams/cloud/connector.ts'
import { decoder } from '#engine/value/schema.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant } from '#test/harness/product.ts'
import { describeReal } from '#test/real/data.ts'
import { folded } from '#test/real/inventory/expected.ts'
import { showsAll } from '#test/real/inventory/shown.ts'
import { linesOf, type Json } from '#test/real/inventory/recording.ts'
import { account, farGoogle, refusing, type Answer, type Question } from '#test/streams/cloud/gcp/far-google.ts'

/** By kind of resource: where discovery lists it, and how its lists are made of single ones. */
const kinds: Readonly<Record<string, { type: string; path: RegExp; listed: (data: Json) => Json }>> = {
  vm: { type: 'gcp-vm', path: /aggregated\/instances$/, listed: (data) => aggregated(data, 'instances') },
  disk: { type: 'gcp-disk', path: /aggregated\/disks$/, listed: (data) => aggregated(data, 'disks') },
  address: { type: 'gcp-address', path: /aggregated\/addresses$/, listed: (data) => aggregated(data, 'addresses') },
  instanceGroup: {
    type: 'gcp-mig',
    path: /aggregated\/instanceGroupManagers$/,
    listed: (data) => aggregated(data, 'instanceGroupManagers'),
  },
  bucket: { type: 'gcp-gcs-bucket', path: /^\/storage\/v1\/b$/, listed: plain('items') },
  database: { type: 'gcp-cloudsql', path: /^\/sql\/v1beta4\/projects\/[^/]+\/instances$/, listed: plain('items') },
  k8sCluster: { type: 'gcp-gke', path: /\/locations\/-\/clusters$/, listed: plain('clusters') },
}

/** An aggregated list as it was recorded; else one of the scopes that the links of its resources name. */
function aggregated(data: Json, member: string): Json {
  if (data.items && !Array.isArray(data.items)) return data
  const items: Json[] = data.items ?? [data]
  const scopeOf = ({ selfLink }: Json): string =>
    /projects\/[^/]+\/((?:zones|regions)\/[^/]+|global)/.exec(selfLink)?.[1] ?? 'global'
  const scopes = Map.groupBy(items, scopeOf)
  return { items: Object.fromEntries([...scopes].map(([scope, some]) => [scope, { [member]: some }])) }
}

function plain(member: string) {
  return (data: Json): Json => (Array.isArray(data[member]) ? { [member]: data[member] } : { [member]: [data] })
}

/** How we call what the data calls by Google's own link. */
function uidOf(one: Json, data: Json): string {
  const [, path] = /^https:\/\/[^/]+\/(?:compute\/v1|sql\/v1beta4|v1)\/(projects\/.+)$/.exec(one.uid) ?? []
  switch (one.kind) {
    case 'bucket':
      return `//storage.googleapis.com/${one.name}`
    case 'database':
      return `//cloudsql.googleapis.com/${path}`
    case 'k8sCluster':
      return `//container.googleapis.com/${path!.replace(/\/zones\//, '/locations/')}`
    default:
      return path ?? listedAs(one, data)
  }
}

/** One whose links were scrubbed is known by where it was listed. */
function listedAs({ name }: Json, { items }: Json): string {
  const [scope] = Object.entries<Json>(items).find(([, { instances = [] }]) =>
    instances.some((one: Json) => one.name === name),
  )!
  return `projects/${project}/${scope}/instances/${name}`
}

/** As a message takes it. */
const decode = decoder(resourceDiscovered.schema)
const project = 'cloud-custodian'
const of: CloudAccount = { ...account, externalId: project }

/** What the data tells of a kind beside what all have, under our names. */
const details: Readonly<Record<string, (one: Json) => object>> = {
  vm: (one) => ({ 'specs.provisioning_model': one.preemptible ? 'SPOT' : 'STANDARD', region: one.region }),
  disk: (one) => ({
    instanceType: one.type,
    'specs.attached': !one.orphan,
    'specs.user_count': one.users,
    'specs.state': one.state,
  }),
  address: (one) => ({ 'specs.state': one.state, 'specs.associated': one.associated }),
  bucket: (one) => ({ 'specs.storage_class': one.storageClass }),
  database: (one) => ({
    'specs.database_version': one.engine,
    'specs.state': one.state,
    'specs.activation_policy': one.activation,
    region: one.region,
  }),
  k8sCluster: (one) => ({ 'specs.version': one.version, 'specs.state': one.state, 'specs.node_count': one.nodes }),
  instanceGroup: (one) => ({ unitCount: one.target, 'specs.target_size': one.target }),
}

/** What the data says is in the answer, in our words. */
function wantedIn(resources: readonly Json[], data: Json): Map<string, object> {
  const wanted = new Map<string, object>()
  for (const one of resources) {
    const [[, base] = []] = folded([one], 'gcp')
    if (!base) continue
    const isScrubbed = one.region === 'projects'
    const told = { name: one.name, ...base, ...details[one.kind]?.(one), ...(isScrubbed && { region: undefined }) }
    const known = Object.entries(told).filter(([, value]) => value !== undefined && value !== null)
    wanted.set(uidOf(one, data), Object.fromEntries(known))
  }
  return wanted
}

/** The same members of what was found. */
function shown(one: DiscoveredResource, like: object): object {
  const { specs = {}, ...rest } = one
  const all: Record<string, unknown> = { instanceType: '', sizeGB: null, status: 'pending', ...rest }
  return Object.fromEntries(
    Object.keys(like).map((name) => [name, name.startsWith('specs.') ? specs[name.slice(6)] : all[name]]),
  )
}

async function foundIn(data: Json, kind: string): Promise<DiscoveredResource[]> {
  const { type, path, listed } = kinds[kind]!
  const far = await farGoogle((question: Question): Answer => (path.test(question.path) ? { body: listed(data) } : {}))
  const discovery = discoverGcp({ open: (one, signal) => openGcp(one, far.options, signal) })(
    of,
    undefined,
    new Set([type]),
  )
  const found: DiscoveredResource[] = []
  for await (const page of discovery.pages) found.push(...page.filter((one) => one.type === type))
  await far.close()
  expect([discovery.message, discovery.missingPermissions]).to.deep.equal([undefined, []])
  return found
}

describeReal('discovery of recorded projects of Google Cloud', (folder) => {
  /** The last of each that any answer told of. */
  const last = new Map<string, DiscoveredResource>()

  it('finds in every recorded answer what is in it [RES-06] [RES-09]', async () => {
    const answers = linesOf(join(folder, 'inventory', 'gcp', 'c7n_flights.jsonl.gz'))
    const compared = new Map<string, Set<string>>()
    let count = 0
    for (const { line, resources } of linesOf(join(folder, 'expected', 'inventory_gcp_shared.jsonl.gz'))) {
      const { data } = answers[line]
      const [kind] = new Set<string>(resources.map((one: Json) => one.kind))
      if (kind === undefined || !kinds[kind]) continue
      const found = await foundIn(data, kind)
      const wanted = wantedIn(resources, data)
      const uids = found.map(({ resourceUid }) => resourceUid)
      expect(uids.toSorted(), `line ${line}`).to.deep.equal([...wanted.keys()].toSorted())
      for (const one of found) {
        const like = wanted.get(one.resourceUid)!
        expect(() => decode({ ...one, cloudAccountId: 'acct-1' }), one.resourceUid).to.not.throw()
        expect(shown(one, like), `line ${line} ${one.resourceUid}`).to.deep.equal(like)
        compared.set(one.type, (compared.get(one.type) ?? new Set()).add(one.resourceUid))
        last.set(one.resourceUid, one)
      }
      count++
    }
    expect({ count, ...Object.fromEntries([...compared].map(([type, all]) => [type, all.size])) }).to.deep.equal(
      distinct,
    )
  })

  it('shows in GET /resources what it has found [RES-06] [RES-07]', async () => {
    expect(last.size).to.equal(Object.values(distinct).reduce((sum, n) => sum + n, 0) - distinct.count)
    await showsAll(await tenant(), [...last.values()])
  })

  it('reads every recorded list of the kinds that the data does not count, name by name [RES-06]', async () => {
    const names = new Map<string, Set<string>>()
    for (const { file, data, status } of linesOf(join(folder, 'inventory', 'gcp', 'c7n_flights.jsonl.gz'))) {
      const other = status === 200 && others.find(({ recorded }) => recorded.test(file))
      if (!other) continue
      const far = await farGoogle(({ path }: Question): Answer => answered(other, path, data))
      const discovery = discoverGcp({ open: (one, signal) => openGcp(one, far.options, signal) })(
        of,
        undefined,
        new Set([other.type]),
      )
      const found: string[] = []
      for await (const page of discovery.pages)
        found.push(...page.filter(({ type }) => type === other.type).map(({ name }) => name!))
      await far.close()
      const wanted = other.names(data)
      expect([found.toSorted(), discovery.message], file).to.deep.equal([wanted.toSorted(), undefined])
      for (const name of wanted) names.set(other.type, (names.get(other.type) ?? new Set()).add(name))
    }
    expect([...names.keys()].toSorted()).to.deep.equal(others.map(({ type }) => type).toSorted())
  })
})

/** Of a single data set nothing more is told: it is as its list says. */
function answered({ path: shape }: { path: RegExp }, path: string, body: Json): Answer {
  if (/\/datasets\/[^/]+$/.test(path)) return refusing(404, 'notFound')
  return shape.test(path) ? { body } : {}
}

/** By type, the recordings of its list, and what each of them names. */
const others: readonly { type: string; recorded: RegExp; path: RegExp; names: (data: Json) => string[] }[] = [
  {
    type: 'gcp-snapshot',
    recorded: /^get-compute-v1-projects-cloud-custodian-global-snapshots_/,
    path: /global\/snapshots$/,
    names: ({ items = [] }) => items.map(({ name }: Json) => name),
  },
  {
    type: 'gcp-forwarding-rule',
    recorded: /^get-compute-v1-projects-cloud-custodian-aggregated-forwardingRules_/,
    path: /aggregated\/forwardingRules$/,
    names: ({ items }) =>
      Object.values<Json>(items).flatMap(({ forwardingRules = [] }) => forwardingRules.map(({ name }: Json) => name)),
  },
  {
    type: 'gcp-bigquery-dataset',
    recorded: /^get-bigquery-v2-projects-cloud-custodian-datasets_/,
    path: /bigquery\/v2\/projects\/[^/]+\/datasets$/,
    names: ({ datasets = [] }) => datasets.map(({ datasetReference }: Json) => datasetReference.datasetId),
  },
  {
    type: 'gcp-workbench',
    recorded: /^get-notebooks\.googleapis\.com-v2-.*-instances_/,
    path: /^\/v2\/projects\/[^/]+\/locations\/-\/instances$/,
    names: ({ instances = [] }) => instances.map(({ name }: Json) => name.split('/').at(-1)),
  },
]

/** Answers that were compared, and how many different resources were found in them, by type: as many as the data counts. */
const distinct = {
  count: 60,
  'gcp-gcs-bucket': 18,
  'gcp-disk': 8,
  'gcp-vm': 8,
  'gcp-address': 7,
  'gcp-gke': 6,
  'gcp-cloudsql': 4,
  'gcp-mig': 1,
}
