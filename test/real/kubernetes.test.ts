// tier: deep
import { expect } from 'chai'
import type { Event } from '#engine/run/publisher.ts'
import { refreshProgress } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { shuffled } from '#test/real/billing/bill.ts'
import { describeReal } from '#test/real/data.ts'
import { clusterResources, clusterUid } from '#test/real/inventory/kubernetes.ts'
import { account, count, counted, listed, publish, type Resource } from '#test/real/inventory/product.ts'
import { expectedIn, recordings, type Found } from '#test/real/inventory/recording.ts'

/** The messages of one whole scan: it opens, finds, closes. Times and ids are fixed, so that a repeat is the very same. */
function scan(org: Tenant, refreshId: string, hour: number, found: readonly Found[]): Event[][] {
  const { orgId } = org
  const common = { refreshId, provider: found[0]!.provider, cloudAccountId: account }
  const time = new Date(Date.UTC(2026, 0, 1, hour))
  const progress = (status: string, discovered: number) => [
    { subject: refreshProgress, orgId, time, id: `${refreshId}/${status}`, data: { ...common, status, discovered } },
  ]
  const resources = found.map((data, at) => ({
    subject: resourceDiscovered,
    orgId,
    time,
    id: `${refreshId}/${at}`,
    data: { ...data, cloudAccountId: account, refreshId },
  }))
  return [progress('running', 0), resources, progress('completed', found.length)] as unknown as Event[][]
}

/** Publishes a scan part by part, and waits for the end of it that the product reports. */
async function run(org: Tenant, parts: readonly Event[][]): Promise<void> {
  const before = await lastSynced(org)
  for (const part of parts) await publish(org, part)
  await until('the scan is over', async () => (await lastSynced(org)) !== before)
}

const lastSynced = async (org: Tenant): Promise<string | undefined> =>
  (await org.get(`/resources/last-synced`)).body.data[0]?.lastSyncedAt

const kindsOf = (resources: readonly Resource[], clusterType: string): Record<string, number> =>
  counted(resources.filter(({ uid }) => uid !== clusterUid).map(({ type }) => type.slice(clusterType.length + 1)))

describeReal('recorded Kubernetes clusters', (folder) => {
  const clusters = recordings(folder, 'k8s', /^wire_.*\.jsonl\.gz$/).flatMap((path) => {
    const name = path.split('/').at(-1)!
    const objects = expectedIn(folder, 'k8s', path)
    const clusterType = name.includes('gke') ? ('gcp-gke' as const) : ('aws-eks' as const)
    return objects.length === 0 ? [] : [{ name, path, objects, clusterType }]
  })

  for (const { name, path, objects, clusterType } of clusters) {
    it(`a scan of ${name} shows every object, a second one deletes exactly those it misses, and repeats change nothing [RES-36] [DISC-13] [STREAM-06]`, async () => {
      const org = await tenant()
      const found = clusterResources(path, clusterType)
      const kinds = counted(objects.map(({ kind }) => kind.toLowerCase()))
      const first = scan(org, 'refresh-1', 1, found)
      await run(org, first)

      const all = await listed(org)
      expect(kindsOf(all, clusterType)).to.deep.equal(kinds)
      for (const [kind, n] of Object.entries(kinds))
        expect(await count(org, `type=${clusterType}-${kind}`), kind).to.equal(n)
      expect(counted(all.map(({ name: own }) => own))).to.deep.equal(
        counted(['recorded', ...objects.map((one) => one.name as string)]),
      )
      const labels = new Map(
        objects.map((one) => [`${one.kind.toLowerCase()} ${one.namespace ?? '-'} ${one.name}`, one.labels ?? {}]),
      )
      for (const { uid, parentUID, tags, childCount } of all.filter((one) => one.uid !== clusterUid)) {
        const [namespace, kind, own] = uid.slice(clusterUid.length + 1).split('/')
        expect({ uid, parentUID, tags, childCount }).to.deep.equal({
          uid,
          parentUID: clusterUid,
          tags: labels.get(`${kind} ${namespace} ${own}`),
          childCount: 0,
        })
      }
      expect(all.find(({ uid }) => uid === clusterUid)).to.deep.include({ parentUID: '', childCount: objects.length })

      const gone = new Set(
        shuffled(found.slice(1), 3)
          .slice(0, Math.floor(objects.length / 3))
          .map((one) => one.resourceUid),
      )
      const second = scan(
        org,
        'refresh-2',
        2,
        found.filter(({ resourceUid }) => !gone.has(resourceUid)),
      )
      await run(org, second)
      const kept = all.filter(({ uid }) => !gone.has(uid))
      const left = await listed(org)
      expect(left).to.deep.equal(
        kept.map((one) => (one.uid === clusterUid ? { ...one, childCount: objects.length - gone.size } : one)),
      )
      expect(await count(org)).to.equal(found.length - gone.size)

      const at = await lastSynced(org)
      for (const part of [...second, ...second.toReversed()]) await publish(org, part)
      expect(await listed(org)).to.deep.equal(left)
      expect(await lastSynced(org)).to.equal(at)
      await run(org, first)
      expect(await listed(org), 'after a late repeat of the first scan').to.deep.equal(left)
      const states = await org.facts<{ deleted: number }>(
        'SELECT count() AS deleted FROM resources WHERE org_id = {org:String} AND deleted_at IS NOT NULL',
      )
      expect(Number(states[0]!.deleted)).to.equal(gone.size)
    })
  }
})
