/**
 * Builds in the demo organization: a deployment into its cluster, with one push that is live, one that failed and one
 * in progress.
 */
import { uuid5, uuidOf } from '#engine/value/id.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { buildEnded, deploymentSaved, revisionPushed } from '#streams/source/messages.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

const repositoryUrl = 'https://example.test/acme/shop.git'

/** Prefers a cluster. */
const spaceSql = `select id from space where org_id = $1 and status = 'active' order by kind = 'cluster' desc, name limit 1`

/** Pushes, oldest first, and how their builds ended; the last one is still in progress. */
const pushes = [
  { commitSha: 'a3'.repeat(20), status: 'succeeded', imageRef: 'registry.example.test/shop:1.4.0' },
  { commitSha: 'b7'.repeat(20), status: 'failed', failureReason: '2 of 214 tests failed.' },
  { commitSha: 'c1'.repeat(20) },
] as const

/** Creates each once: the object's id is also the id of its message. */
export async function makeSource({ connections, product }: Running, orgId: string): Promise<void> {
  const [space] = await connections.store.rows<{ id: string }>(spaceSql, [orgId])
  if (!space) return
  const asker = product.get(tokens.asker)
  const deploymentId = uuidOf('demo', orgId, 'deployment')
  const place = { spaceId: space.id, repositoryUrl, repositoryKey: repositoryKey(repositoryUrl)!, branch: 'main' }
  const terms = { name: 'Shop', ...place, autoDeploy: true }
  const made = { deploymentId, isNew: true as const, terms, userId: 'demo' }
  await patiently(() => asker.ask(deploymentSaved, orgId, made, deploymentId))
  for (const { commitSha, ...ended } of pushes) {
    const revisionId = uuid5(deploymentId, `demo ${commitSha}`)
    const of = { deploymentId, revisionId }
    const push = { ...of, deliveryId: `demo ${commitSha}`, commitSha, ref: 'refs/heads/main', repositoryUrl }
    await patiently(() => asker.ask(revisionPushed, orgId, push, revisionId))
    if (!('status' in ended)) continue
    await patiently(() => asker.ask(buildEnded, orgId, { ...of, ...ended }, uuidOf('demo', orgId, 'ended', revisionId)))
  }
}
