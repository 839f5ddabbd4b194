/** An organization with something of everything, for tests that look at it from another one. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { routes } from '#http/index.ts'
import { exampleIds } from '#http/source/example.ts'
import { anomalyFound } from '#streams/anomaly.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { noticeRaised } from '#streams/notification/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { focusRow, upload } from '#test/harness/bill-upload.ts'
import { plantedCatalog } from '#test/harness/catalog-edge.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { oidcOff } from '#test/harness/openid.ts'
import { ask, claimsOf, colleague, proved, type Founder } from '#test/harness/people.ts'
import { exampleOf, probedDay, withIds } from '#test/harness/place.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { savingClaimed } from '#streams/saving.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { plantedRevision, plantedSpace } from '#test/harness/source.ts'
import { plantedJobs } from '#test/harness/workflow.ts'
import { csv } from '#test/streams/billing/reading.ts'

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
  /** The token of its directory. */
  scim: string
  ids: Record<string, string>
}

export const send = (side: Side, method: string, path: string, body?: unknown) =>
  ask(method, path, { token: side.owner.accessToken, ...(body !== undefined && { body }) })
export const made = async (side: Side, path: string, body: unknown) => (await send(side, 'POST', path, body)).body.data

/** Resources and the costs of two accounts, which are `x` and the rest of `total`. `resourceUid` is known by no other organization. */
async function billed(x: number, total: number): Promise<{ all: Side; resourceUid: string }> {
  const org = await tenant()
  const owner = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, 'owner')
  const all: Side = { org, owner, domain: `${randomUUID()}.example`, pat: '', scim: '', ids: {} }
  const at = { provider: 'aws' as const, region: 'us-east-1', type: 'aws-ec2', status: 'running' as const }
  await org.publish(resourceDiscovered, [
    { ...at, cloudAccountId: 'acct-1', resourceUid: 'i-1', name: 'web' },
    { ...at, cloudAccountId: 'acct-2', resourceUid: 'i-2', name: 'db' },
    { ...at, cloudAccountId: 'acct-1', resourceUid: 'asg-web', name: 'fleet', type: 'aws-asg', unitCount: 2 },
  ])
  // Known by no other organization, and by its name to be decided about.
  const resourceUid = `i-${randomUUID()}`
  const own = { ...at, type: 'aws-rds', cloudAccountId: 'acct-1', resourceUid, name: `prod-${resourceUid}` }
  const database = { type: 'aws-rds', instanceType: 'db.m5.large', specs: { engine: 'postgres' }, name: 'db-1' }
  await org.publish(resourceDiscovered, [own, { ...own, ...database, resourceUid: 'db-1' }])
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
  return { all, resourceUid }
}

/** Tokens, an identity provider of the domain, and a member with the role. */
async function withPeople(all: Side, roleID: string) {
  const { org, owner } = all
  const pat = await made(all, tokensPath, { name: 'used' })
  const provider = await send(all, 'PUT', `/organisations/${org.orgId}/saml`, samlOf(all.domain))
  expect(provider.status).to.equal(200)
  await proved({ accessToken: owner.accessToken, orgId: org.orgId }, provider.body.data.domains[0])
  const oidc = oidcOff(all.domain)
  expect((await send(all, 'PUT', `/organisations/${org.orgId}/oidc`, oidc)).status).to.equal(200)
  const scim = await made(all, `/organisations/${org.orgId}/scim/tokens`, { name: 'Directory' })
  return { pat, scim, ben: await colleague(owner, roleID) }
}

/** An organization that looks at others: it has resources, costs, people and their tokens, and of the rest nothing. */
export async function onlooker(x: number, total: number): Promise<Side> {
  const { all } = await billed(x, total)
  const { id: roleID } = await made(all, '/roles', { name: 'Onlookers', permissions: ['service.view'] })
  const { pat, scim, ben } = await withPeople(all, roleID)
  return { ...all, pat: pat.token, scim: scim.token, ids: { roleID, userID: ben.userId, orgID: all.org.orgId } }
}

/** Two accounts' costs are `x` and the rest of `total`. A third one is connected, which is `externalID` in the simulated cloud. */
export async function side(x: number, total: number, externalID = 'sim-aws-staging'): Promise<Side> {
  const { all, resourceUid } = await billed(x, total)
  const { org, owner } = all
  // The one that examples of deployments name.
  await plantedSpace(org, { id: exampleIds.space })
  const ids = await makeAll(all, externalID)
  const bulk = async () => (await send(all, 'GET', '/actions/bulk/latest')).body.data
  await until('the bulk action', async () => (await bulk()).status === 'completed')
  const state = async () => (await send(all, 'GET', '/resources/refresh/status')).body.data.status
  await until('the first discovery', async () => (await state()) === 'completed')
  const syncs = async () => (await send(all, 'GET', '/billing/sync-status')).body.data
  await until('the first bills', async () => (await syncs()).some((one: any) => one.lastSyncedAt !== null))
  const { pat, scim, ben } = await withPeople(all, ids['roleID']!)
  const [resource] = (await send(all, 'GET', '/resources/by-uids?uids=i-1')).body.data
  await send(all, 'PATCH', `/teams/${ids['teamID']}`, { memberUserIDs: [ben.userId] })
  const found = { type: 'resource', key: 'i-1', cloudAccountId: 'acct-1', actualUsd: x } as const
  await org.publish(anomalyFound, [{ ...anomalyFound.examples[0]!, ...found, date: probedDay }])
  const range = `from=${probedDay}&to=${probedDay}`
  const [anomaly] = (await send(all, 'GET', `/reports/anomalies?${range}`)).body.data.items
  const id = ids['unitMetricID']!
  await send(all, 'POST', `/teams/${ids['teamID']}/resources`, { resourceUIDs: ['i-1'] })
  await made(all, `/unit-metric-values/${id}`, { values: [{ timestamp: probedDay, value: x }] })
  // What is not made by a request of its own: it is discovered, comes by invitation, or goes by another name.
  const deadLetterID = await setAside(all)
  const [recID] = (await recommended(org, { resource_uid: resourceUid, savings_usd: x, current_cost_usd: x })) as [
    string,
  ]
  const [jobID] = (await plantedJobs(org, { recommendation_id: recID, resource_uid: resourceUid })) as [string]
  const sessionID = claimsOf(owner.accessToken)['sid'] as string
  const more = {
    domain: all.domain,
    deadLetterID,
    resourceID: resource.id,
    resourceUid,
    userID: ben.userId,
    orgID: org.orgId,
    scimTokenID: scim.id,
    '/scim/v2/Groups/:groupID': ids['roleID']!,
    deliveryID: await delivered(all),
    recID,
    recommendationID: recID,
    jobID,
    stepID: 'stop%2Fapprove%2F1',
    stepName: 'approval',
    resourceUID: resourceUid,
    id,
    sessionID,
    anomalyID: anomaly.id,
    claimID: await claimed(all),
    uploadID: await uploaded(all),
    revisionID: await plantedRevision(org, ids['deploymentID']!),
  }
  return { ...all, pat: pat.token, scim: scim.token, ids: { ...ids, ...more, ...(await plantedCatalog(org)) } }
}

/** A message that cannot be taken; the id of its letter. */
async function setAside(all: Side): Promise<string> {
  const { orgId, connections } = all.org
  await connections.log.publish({ subject: `ingest.billing.${orgId}.acct-1`, id: randomUUID(), body: '{' })
  const letters = async () => (await send(all, 'GET', '/dead-letters')).body.data.items
  await until('the letter', async () => (await letters()).length === 1)
  return (await letters())[0].id
}

/** The id of a saving that is claimed; it comes to nothing, so that no figure is another. */
async function claimed(all: Side): Promise<string> {
  const { connections } = all.org
  const word = {
    ...savingClaimed.examples[0]!,
    savingsUsd: '0.00',
    at: new Date(connections.clock.now()).toISOString(),
  }
  await all.org.publish(savingClaimed, [word])
  const claims = async () => (await send(all, 'GET', '/reports/savings/claims')).body.data.items
  await until('the claim', async () => (await claims()).length > 0)
  return (await claims())[0].id
}

/** The id of a bill that waits to be looked at: it counts for nothing. */
async function uploaded({ org }: Side): Promise<string> {
  const { status, body } = await upload(org, csv(focusRow('i-1', '7', probedDay)), { account: 'acct-1' })
  expect(status, JSON.stringify(body)).to.equal(201)
  return body.data.id
}

/** Something that was told; its id. */
async function delivered({ org }: Side): Promise<string> {
  const id = randomUUID()
  const created_at = new Date().toISOString().slice(0, -1)
  const kinds = { kind: 'event', category: 'budget', scope_type: 'org', status: 'delivered' }
  const event = JSON.stringify(noticeRaised.examples[0]!.event)
  const values = [{ org_id: org.orgId, id, created_at, ...kinds, event, x_Version: '1' }]
  await org.put('notification_delivery', values)
  return id
}

/** What paths call the id of one of those that a path lists. */
const nameOfId = (list: string): string | undefined =>
  routes
    .flatMap(({ path }) => (path.startsWith(`${list}/:`) ? [path.slice(list.length + 2)] : []))
    .find((rest) => !rest.includes('/'))

/** People come by invitation, a job needs a recommendation, what is provisioned takes its time, and a bill is a file. */
const otherwise = [
  '/billing/uploads',
  '/members',
  '/organisations',
  '/remediation-jobs',
  '/spaces',
  '/provisioning-jobs',
  '/organisations/:orgID/scim/tokens',
]
/** Accounts that examples name are not in the simulated cloud, and their times are past some day. What runs is started: that ends at once and changes nothing. */
const instead: Readonly<Record<string, (ids: Readonly<Record<string, string>>) => object>> = {
  '/overrides': () => ({ expiresAt: new Date(Date.now() + 86_400_000).toISOString() }),
  '/actions': () => ({ type: 'start', resourceUID: 'i-1' }),
  '/actions/bulk': ({ groupID }) => ({ type: 'start', groupID }),
  // Nobody listens there, and nothing that is done here is told.
  '/notifications': () => ({ webhookURL: 'https://127.0.0.1:9/hook', notifyOnFailure: false }),
  '/notifications/subscriptions': ({ channelID }) => ({ channelID }),
  // A dashboard without a view has nothing to send.
  '/dashboards': ({ savedViewID }) => ({ viewIDs: [savedViewID] }),
  '/event-readiness': (ids) => ({ targets: [{ policyId: ids['/autoscaler-policies/:policyID'] }] }),
}

/** One of everything that is made by a request, from the example of its body. Its id goes by the name that paths give it. */
async function makeAll(all: Side, externalID: string): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const { path, method, permission, body, status } of routes) {
    const name = nameOfId(path)
    const isOther = otherwise.some((one) => path === one || path.startsWith(`${one}/:`))
    const isMade = method === 'POST' && !['public', 'internal', 'scim'].includes(permission) && !isOther
    if (!isMade || name === undefined) continue
    const answer = await send(all, 'POST', withIds(path, ids), {
      ...(exampleOf(body) as object),
      ...instead[path]?.(ids),
      ...(path === '/cloud-accounts' && { externalID }),
    })
    expect(status, path).to.be.oneOf([201, 202])
    expect(answer.status, `${path} makes one from its example: ${JSON.stringify(answer.body)}`).to.equal(status)
    const id = answer.body.data.id ?? answer.body.data[name]
    ids[`${path}/:${name}`] = id
    ids[name] ??= id
  }
  return ids
}
