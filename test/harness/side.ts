/** An organization with something of everything, for tests that look at it from another one. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { billingLine } from '#streams/billing.ts'
import { metricSample } from '#streams/metric.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { orders, probedDay } from '#test/harness/place.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

export const tokensPath = '/settings/personal-access-tokens'

export const samlOf = (...emailDomains: string[]) => ({
  entityID: 'https://idp.example',
  ssoURL: 'https://idp.example/sso',
  certificatePEM,
  emailDomains,
})

/** An organization, one who owns it, its domain and the ids of what it has, by the names that paths give them. */
export interface Side {
  org: Tenant
  owner: Founder
  domain: string
  pat: string
  ids: Record<string, string>
}

export const send = (side: Side, method: string, path: string, body?: unknown) =>
  ask(method, path, { token: side.owner.accessToken, ...(body !== undefined && { body }) })
export const made = async (side: Side, path: string, body: unknown) => (await send(side, 'POST', path, body)).body.data

/** Two accounts' costs are `x` and the rest of `total`. */
export async function side(x: number, total: number): Promise<Side> {
  const org = await tenant()
  const owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
  const all: Side = { org, owner, domain: `${randomUUID()}.example`, pat: '', ids: {} }
  const at = { provider: 'aws' as const, region: 'us-east-1', type: 'aws-ec2', status: 'running' as const }
  await org.publish(resourceDiscovered, [
    { ...at, cloudAccountId: 'acct-1', resourceUid: 'i-1', name: 'web' },
    { ...at, cloudAccountId: 'acct-2', resourceUid: 'i-2', name: 'db' },
  ])
  const samples = [{ metric: 'cpu_percent' as const, value: 50, ts: `${probedDay}T10:00:00Z` }]
  await org.publish(metricSample, [{ resourceUid: 'i-1', samples }], { place: 'acct-1' })
  const line = (cloudAccountId: string, resourceUid: string, costUSD: number) => ({
    lineId: `${probedDay}/${resourceUid}`,
    cloudAccountId,
    resourceUid,
    costUSD,
    usageDate: probedDay,
    provider: 'aws' as const,
    serviceName: 'ec2',
    exportedAt: `${probedDay}T23:00:00Z`,
  })
  await org.publish(billingLine, [line('acct-1', 'i-1', x), line('acct-2', 'i-2', total - x)])
  const account = await made(all, '/cloud-accounts', { name: 'S', provider: 'aws', externalID: 'sim-aws-staging' })
  const state = async () => (await send(all, 'GET', '/resources/refresh/status')).body.data.status
  await until('the first discovery', async () => (await state()) === 'completed')
  const syncs = async () => (await send(all, 'GET', '/billing/sync-status')).body.data
  await until('the first bills', async () => (await syncs()).some((one: any) => one.lastSyncedAt !== null))
  const role = await made(all, '/roles', { name: 'Readers', permissions: ['space.view'] })
  const token = await made(all, tokensPath, { name: 'ci' })
  const pat = await made(all, tokensPath, { name: 'used' })
  expect((await send(all, 'PUT', `/organisations/${org.orgId}/saml`, samlOf(all.domain))).status).to.equal(200)
  const [resource] = (await send(all, 'GET', '/resources/by-uids?uids=i-1')).body.data
  const ben = await colleague(owner, role.id)
  const members = [{ resourceUID: 'i-1' }]
  const group = await made(all, '/resource-groups', { name: 'Shop', members })
  const team = await made(all, '/teams', { name: 'Payments', memberUserIDs: [ben.userId] })
  await made(all, `/teams/${team.id}/resources`, { resourceUIDs: ['i-1'] })
  const unitMetric = await made(all, '/unit-metrics', orders)
  await made(all, `/unit-metric-values/${unitMetric.id}`, { values: [{ timestamp: probedDay, value: x }] })
  const budget = await made(all, '/budgets', { teamName: 'Payments', monthlyBudgetUSD: 1000 })
  const ids = {
    budgetID: budget.id,
    resourceID: resource.id,
    cloudAccountID: account.id,
    userID: ben.userId,
    roleID: role.id,
    tokenID: token.id,
    orgID: org.orgId,
    groupID: group.id,
    teamID: team.id,
    unitMetricID: unitMetric.id,
    id: unitMetric.id,
  }
  return { ...all, pat: pat.token, ids }
}
