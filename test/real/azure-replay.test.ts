/**
 * Recorded answers of Azure, given to discovery as Azure gave them: what it finds in each is what the recorded data says is in it.
 * Compared are all answers that hold resources which the data lists, each in a scan of its own, since the recordings are of many
 * moments: identifiers, types, names, groups, states, sizes, regions, tags, and what rules read. What was recorded as one resource
 * alone is given as a list of it. Not compared are databases of MariaDB, which the product has no type for, advice and metrics.
 */
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { discoverAzure } from '#streams/cloud/azure/discover/discover.ts'
import { AzureSession, type Call } from '#streams/cloud/azure/session/session.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { tenant } from '#test/harness/product.ts'
import { describeReal } from '#test/real/data.ts'
import { showsAll } from '#test/real/inventory/shown.ts'
import { powerOf, typeIn, uidOf } from '#test/real/inventory/azure.ts'
import { folded } from '#test/real/inventory/expected.ts'
import { expectedIn, linesOf, recordings, type Json } from '#test/real/inventory/recording.ts'
import { account } from '#test/streams/cloud/azure/answer-server.ts'

/** What discovery asks for, in lower case, by type. */
const lists: Readonly<Record<string, RegExp>> = {
  'azure-vm': /\/microsoft\.compute\/virtualmachines$/,
  'azure-vmss': /\/microsoft\.compute\/virtualmachinescalesets$/,
  'azure-disk': /\/microsoft\.compute\/disks$/,
  'azure-snapshot': /\/microsoft\.compute\/snapshots$/,
  'azure-nic': /\/microsoft\.network\/networkinterfaces$/,
  'azure-public-ip': /\/microsoft\.network\/publicipaddresses$/,
  'azure-load-balancer': /\/microsoft\.network\/loadbalancers$/,
  'azure-storage-account': /\/microsoft\.storage\/storageaccounts$/,
  'azure-app-service-plan': /\/microsoft\.web\/serverfarms$/,
  'azure-postgres': /\/microsoft\.dbforpostgresql\/servers$/,
  'azure-mysql': /\/microsoft\.dbformysql\/servers$/,
  'azure-sql-database': /\/microsoft\.sql\/servers\/[^/]+\/databases$/,
}

const itemsOf = (data: Json): Json[] =>
  (Array.isArray(data?.value) ? data.value : [data]).filter((one: Json) => typeof one?.id === 'string')

type Powers = ReadonlyMap<string, Json>

/** A session to which each list answers with the items of its type; servers are those that databases name. */
function replaying(items: readonly Json[], powers: Powers): AzureSession {
  const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
  const session = new AzureSession(account, { caller })
  const answerTo = ({ path, query = {} }: Call): Json => {
    const asked = path.toLowerCase()
    const value = items.filter(({ id }) => {
      const isOfList = lists[typeIn(id) ?? '']?.test(asked)
      return isOfList && (!asked.endsWith('/databases') || uidOf(id).startsWith(`${asked}/`))
    })
    if (query['statusOnly'])
      return { value: [...powers].map(([id, instanceView]) => ({ id, properties: { instanceView } })) }
    if (!asked.endsWith('/microsoft.sql/servers')) return { value }
    const servers = items.flatMap(({ id }) => /^.*\/servers\/[^/]+(?=\/databases\/)/i.exec(id)?.[0] ?? [])
    return { value: [...new Set(servers)].map((id) => ({ id })) }
  }
  session.ask = async (call) => JSON.parse(JSON.stringify(answerTo(call)))
  return session
}

async function foundIn(items: readonly Json[], types: ReadonlySet<string>, powers: Powers = new Map()) {
  const discovery = discoverAzure({ open: () => replaying(items, powers) })(account, undefined, types)
  const found = (await Array.fromAsync(discovery.pages)).flat()
  expect([discovery.message, discovery.missingPermissions]).to.deep.equal([undefined, []])
  return found
}

/** What the data tells of a kind beside what all have, under our names. */
const details: Readonly<Record<string, (one: Json) => object>> = {
  vm: (one) => ({ os_type: one.os, provisioning_state: one.provisioning }),
  disk: (one) => ({ state: one.state, attached: !one.orphan, sku: one.sku }),
  nic: (one) => ({ attached: one.attached }),
  address: (one) => ({ associated: one.associated }),
  loadBalancer: (one) => ({ pool_count: one.backends }),
  appPlan: (one) => ({ sku: one.sku, workers: one.workers }),
  scaleSet: (one) => ({ capacity: one.capacity }),
  storageAccount: (one) => ({ sku: one.sku }),
  database: (one) => ({ state: one.state }),
  databaseServer: (one) => ({ version: one.version, state: one.state }),
}

/** What the data says is in the answer, in our words. */
function wantedIn(resources: readonly Json[]): Map<string, object> {
  const wanted = new Map<string, object>()
  for (const one of resources) {
    const [[uid, base] = []] = folded([one], 'azure')
    if (uid === undefined || !base || !lists[base.type]) continue
    const told = Object.entries(details[one.kind]?.(one) ?? {}).filter(([, value]) => value !== null)
    wanted.set(uid, {
      ...base,
      name: one.name,
      group: one.resourceGroup,
      ...Object.fromEntries(told.map(([name, value]) => [`specs.${name}`, value])),
    })
  }
  return wanted
}

/** The same members of what was found. */
function shown(one: DiscoveredResource, like: object): object {
  const { specs = {}, ...rest } = { status: 'pending', ...one }
  const all: Record<string, unknown> = {
    instanceType: '',
    sizeGB: null,
    ...rest,
    group: one.resourceGroup?.toLowerCase(),
  }
  return Object.fromEntries(
    Object.keys(like).map((name) => [name, name.startsWith('specs.') ? specs[name.slice(6)] : all[name]]),
  )
}

function compare(found: readonly DiscoveredResource[], wanted: ReadonlyMap<string, object>, where: string): void {
  expect(found.map(({ resourceUid }) => resourceUid).toSorted(), where).to.deep.equal([...wanted.keys()].toSorted())
  for (const one of found) {
    const like = wanted.get(one.resourceUid)!
    expect(shown(one, like), `${where} ${one.resourceUid}`).to.deep.equal(like)
  }
}

describeReal('discovery of recorded subscriptions of Azure', (folder) => {
  /** The last of each that any answer told of. */
  const last = new Map<string, DiscoveredResource>()

  it('finds in every recorded answer what is in it [RES-06] [RES-09]', async () => {
    const compared = new Map<string, Set<string>>()
    let count = 0
    const answers = linesOf(join(folder, 'inventory', 'azure', 'c7n_cassettes.jsonl.gz'))
    for (const { line, test, resources } of linesOf(join(folder, 'expected', 'inventory_azure_shared.jsonl.gz'))) {
      const wanted = wantedIn(resources)
      if (wanted.size === 0) continue
      const items = itemsOf(answers[line].data)
      const types = new Set(items.flatMap(({ id }) => typeIn(id) ?? []))
      const found = await foundIn(items, types)
      compare(found, wanted, `${line} ${test}`)
      count++
      for (const one of found) {
        const { type, resourceUid } = one
        compared.set(type, (compared.get(type) ?? new Set()).add(resourceUid))
        last.set(resourceUid, one)
      }
    }
    const sizes = Object.fromEntries([...compared].map(([type, uids]) => [type, uids.size]))
    expect({ count, ...sizes }).to.deep.equal(distinct)
  })

  it('shows in GET /resources what it has found [RES-06] [RES-07]', async () => {
    expect(last.size).to.equal(Object.values(distinct).reduce((sum, n) => sum + n, 0) - distinct.count)
    await showsAll(await tenant(), [...last.values()])
  })

  for (const path of recordings(folder, 'azure', /^wire_/))
    it(`finds the resources of ${path.split('/').at(-1)}, and whether machines run [RES-01]`, async () => {
      const lines = linesOf(path).map(({ uri, responseBody }: Json) => ({
        uri,
        data: JSON.parse(responseBody) as Json,
      }))
      const views = lines.flatMap(({ uri, data }): [string, Json][] => {
        const [, machine] = /(\/subscriptions\/.*)\/instanceView\?/i.exec(uri) ?? []
        return machine ? [[machine, data]] : []
      })
      const items = lines.flatMap(({ data }) => itemsOf(data)).filter(({ id }) => typeIn(id))
      const types = new Set(items.map(({ id }) => typeIn(id)!))
      const found = await foundIn(items, types, new Map(views))
      const wanted = wantedIn(expectedIn(folder, 'azure', path))
      for (const [uid, status] of powerOf(path)) Object.assign(wanted.get(uid)!, { status })
      compare(found, wanted, path)
      expect(found.length).to.be.above(0)
    })
})

/** Answers that were compared, and how many different resources were found in them, by type. */
const distinct = {
  count: 85,
  'azure-storage-account': 23,
  'azure-sql-database': 18,
  'azure-disk': 9,
  'azure-vm': 8,
  'azure-app-service-plan': 7,
  'azure-nic': 6,
  'azure-load-balancer': 4,
  'azure-public-ip': 4,
  'azure-postgres': 2,
  'azure-mysql': 1,
  'azure-snapshot': 1,
  'azure-vmss': 1,
}
