/** Deployments from outside, and webhooks of their host as it sends them. */
import { createHmac, randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { expect } from 'chai'
import { repositoryKey } from '#streams/source/repository-url.ts'
import { answerOf, sourceSecrets, testProduct, type Answer, type Tenant } from '#test/harness/product.ts'

/** A space of the organization, with no job behind it. Its id. */
export async function plantedSpace(
  org: Tenant,
  fields: { id?: string; status?: string; account?: string } = {},
): Promise<string> {
  const { id = randomUUID(), status = 'active', account = 'acct-1' } = fields
  await org.connections.store.rows(
    `insert into space (org_id, id, name, cloud_account_id, provider, region, kind, cluster_uid, status, created_at, updated_at)
     values ($1, $2, 'Production', $3, 'aws', 'us-east-1', 'account_region', null, $4, now(), now())`,
    [org.orgId, id, account, status],
  )
  return id
}

export interface Terms {
  id?: string
  branch?: string
  auto?: boolean
  url?: string
  spaceId?: string
  at?: Date
}

/** A repository that no other test has. */
export const freshUrl = (): string => `https://example.test/acme/${randomUUID()}.git`

/** A deployment as its actor has it; under an id of its own where one is given. */
export async function plantedDeployment(org: Tenant, terms: Terms = {}): Promise<string> {
  const {
    id = randomUUID(),
    branch = 'main',
    auto = true,
    url = freshUrl(),
    spaceId = 'space-1',
    at = new Date(),
  } = terms
  await org.connections.store.rows(
    `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
     values ($1, $2, 'Shop', $3, $4, $5, $6, $7, null, $8, $8)`,
    [org.orgId, id, spaceId, url, repositoryKey(url), branch, auto, at],
  )
  return id
}

/** A revision of which no build was ordered. Its id. */
export async function plantedRevision(org: Tenant, deploymentId: string): Promise<string> {
  const id = randomUUID()
  await org.connections.store.rows(
    `insert into revision (org_id, deployment_id, id, delivery_id, commit_sha, ref, repository_url, status, created_at)
     select $1, $2, $3, $4, $5, 'refs/heads/' || branch, repository_url, 'queued', now() from deployment where org_id = $1 and id = $2`,
    [org.orgId, deploymentId, id, randomUUID(), '1'.repeat(40)],
  )
  return id
}

export const signatureOf = (raw: string | Buffer, secret: string = sourceSecrets.SOURCE_APP_WEBHOOK_SECRET): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

export interface Hooked {
  event?: string
  delivery?: string
  /** Left out where null. */
  signature?: string | null
  headers?: Record<string, string>
  path?: string
  url?: string
}

/** Sends bytes as GitHub does. */
export async function hook(raw: string | Buffer, given: Hooked = {}): Promise<Answer> {
  const { event = 'push', delivery = randomUUID(), signature = signatureOf(raw), headers = {} } = given
  const { path = '/webhooks/github', url = (await testProduct()).url } = given
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(event !== '' && { 'X-Source-Event': event }),
      ...(delivery !== '' && { 'X-Source-Delivery': delivery }),
      ...(signature !== null && { 'X-Hub-Signature-256': signature }),
      ...headers,
    },
    body: raw as never,
  })
  return answerOf(response)
}

export const shaOf = (digit: string): string => digit.repeat(40)

export const pushOf = (url: string, sha = shaOf('1'), ref = 'refs/heads/main'): string =>
  JSON.stringify({ ref, after: sha, repository: { clone_url: url } })

/** Orders of builds of an organization, as they stand in the stream: the id by which it knows a repeat, and what they say. */
export async function ordersOf(org: Tenant): Promise<{ id: string; envelope: any; data: any }[]> {
  const manager = await jetstreamManager(org.connections.nats)
  const { state } = await manager.streams.info('BUILD')
  const found: { id: string; envelope: any; data: any }[] = []
  // A stream that has had no message says that its first is 0, which nobody may ask for.
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq++) {
    const message = await manager.streams.getMessage('BUILD', { seq })
    if (!message?.subject.startsWith(`build.job.${org.orgId}.`)) continue
    const envelope = JSON.parse(Buffer.from(message.data).toString()) as { data: any }
    found.push({ id: message.header.get('Nats-Msg-Id'), envelope, data: envelope.data })
  }
  return found
}

export async function revisionsOf(org: Tenant, deploymentId: string): Promise<any[]> {
  const { status, body } = await org.get(`/deployments/${deploymentId}/revisions?limit=100`)
  expect(status, JSON.stringify(body)).to.equal(200)
  return body.data.items as any[]
}
