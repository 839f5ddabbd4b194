/** What people decide about deployments and installations, each once: for what is written down of it. */
import { unlink } from '#config/command/deployment/installation.ts'
import type { SecurityEventType } from '#streams/security.ts'
import { ask, type Founder } from '#test/harness/people.ts'
import { testProduct } from '#test/harness/product.ts'
import { freshUrl, plantedSpace } from '#test/harness/source.ts'

/** What is written down of it, the oldest first. */
export async function decidedSources(who: Founder): Promise<[type: SecurityEventType, detail: object][]> {
  const { connections } = await testProduct()
  const asked = async (method: string, path: string, body?: object): Promise<any> => {
    const answer = await ask(method, path, { token: who.accessToken, ...(body && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body?.data
  }
  const spaceID = await plantedSpace({ orgId: who.orgId, connections } as never)
  const terms = { name: 'Shop', spaceID, repositoryURL: freshUrl(), branch: 'main' }
  const { id: deploymentID } = await asked('POST', '/deployments', terms)
  await asked('PATCH', `/deployments/${deploymentID}`, { branch: 'next' })
  await asked('DELETE', `/deployments/${deploymentID}`)
  const installationID = String(Date.now())
  await connections.store.rows(
    `insert into source_installation (org_id, id, account, heard_at) values ('', $1, 'acme', now())`,
    [installationID],
  )
  await asked('POST', '/source-installations', { installationID, account: 'acme' })
  // By an operator, who is nobody of the organization.
  await unlink(connections, who.orgId, installationID)
  return [
    ['deployment_created', { deploymentID }],
    ['deployment_changed', { deploymentID }],
    ['deployment_deleted', { deploymentID }],
    ['installation_linked', { installationID, status: 'linked' }],
  ]
}
