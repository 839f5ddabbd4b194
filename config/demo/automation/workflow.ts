/** A workflow of the demo organization that waits for an approval: stopping an idle machine. */
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { workflowWanted } from '#streams/workflow.ts'
import { patiently } from '#config/demo/retry.ts'
import type { Running } from '#config/product/product.ts'
import { tokens } from '#config/wiring/tokens.ts'

/** A machine of the "idle reporting" story. */
const machine = 'report-legacy-1'
const rule = 'RC-1001'

const foundSql = `
  select id, cloud_account_id as account, resource_uid as uid from recommendation
  where org_id = $1 and resource_name = $2 and rule_id = $3 and status = 'open' limit 1`

/** Starts it once: the job's id is also the id of its message. What people have decided meanwhile stays. */
export async function makeWorkflow({ connections, product }: Running, orgId: string): Promise<void> {
  type Found = { id: string; account: string; uid: string }
  const [found] = await connections.store.rows<Found>(foundSql, [orgId, machine, rule])
  if (!found) return
  const jobId = uuidOf('demo', orgId, 'workflow', found.id)
  const data = {
    jobId,
    cloudAccountId: found.account,
    recommendationId: found.id,
    subjectType: 'resource' as const,
    subjectId: found.uid,
    userId: 'demo',
  }
  const begin = patiently(() => product.get(tokens.asker).ask(workflowWanted, orgId, data, jobId))
  await begin.catch((error: unknown) => {
    if (!(error instanceof Fault) || (error.kind !== 'conflict' && error.kind !== 'refused')) throw error
  })
}
