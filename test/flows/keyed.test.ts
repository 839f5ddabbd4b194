/** Every POST of the product, cut off behind its change and before its answer is kept as anything but that change's own. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { isLive } from '#actors/refresh/actor.ts'
import type { RefreshStatus } from '#actors/refresh/entity.ts'
import { edge } from '#http/edge/edge.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { jobBodyExample } from '#http/catalog/example.ts'
import { routes, site } from '#http/index.ts'
import type { Route } from '#http/edge/route.ts'
import { serve, type Serving } from '#http/edge/serve.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokens } from '#config/wiring/tokens.ts'
import type { Event } from '#engine/run/publisher.ts'
import { refreshRequested } from '#streams/refresh.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { focusRow, upload } from '#test/harness/bill-upload.ts'
import { doneSteps, plantedDatabases, plantedProvisionings, plantedSpaces } from '#test/harness/catalog-edge.ts'
import { plantedPlan } from '#test/harness/autoscaler-row.ts'
import { challenged, shownBy, withDevice } from '#test/harness/device.ts'
import { address, ask, founder, password, person, type Founder } from '#test/harness/people.ts'
import { exampleOf } from '#test/harness/place.ts'
import { answerOf, testProduct, type Answer, type TestProduct, dnsRecords, until } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { oidcOff } from '#test/harness/openid.ts'
import { samlOf } from '#test/harness/side.ts'
import { createExample as deploymentExample } from '#http/source/example.ts'
import { plantedSpace } from '#test/harness/source.ts'
import { planBody } from '#test/harness/readiness.ts'
import {
  asking,
  autoscalerPolicy,
  decisionsOf,
  harmless,
  ofEachKind,
  prometheus,
  savedExamples,
  scheduleEvent,
  type Asked,
} from '#test/harness/keyed.ts'
import { plantedJobs } from '#test/harness/workflow.ts'
import { csv } from '#test/streams/billing/reading.ts'
import { deepIt } from '#test/harness/tier.ts'

const serviceSecret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')
const all = site(routes, { version: '1', ready: async () => [], hooks: true })
const nameOf = ({ method, path }: Route) => `${method} ${path}`
let count = 0
const fresh = (what: string) => `${what}-${process.pid}-${++count}-${Date.now()}`

/** What is there only once however often it is asked for, with the sessions and the mails. */
const tables = [
  'export_schedule space provisioning_job provisioned_database provisioned_connection',
  'organization app_user member role personal_access_token session refresh_token team team_resource resource_group',
  'resource_group_member budget unit_metric export_file scheduler_event cloud_account refresh security_event',
  'bulk_action second_factor recovery_code second_factor_challenge organization_setting schedule override',
  'notification_channel notification_subscription policy workflow_job deployment source_installation',
  'autoscaler_policy scaling_infrastructure readiness_plan bill_upload saved_view dashboard note report_schedule kubernetes_source',
].flatMap((names) => names.split(' '))

describe('a POST under an Idempotency-Key that is cut off behind its change [G-09]', () => {
  let world: TestProduct
  let serving: Serving
  let ana: Founder
  let account: string
  let [isCutting, isCut] = [false, false]
  let later = 0
  const service = () => internalToken(serviceSecret, 'scheduler', new Date(), ana.orgId)
  const made = async (path: string, body: unknown) =>
    (await ask('POST', path, { token: ana.accessToken, body })).body.data as { id: string }
  const connecting = () => ({ name: 'Production', provider: 'aws', externalID: fresh('account') })
  const metric = () => ({ name: 'Orders', key: fresh('orders'), unit: 'order', ingestion: 'push', aggregation: 'sum' })

  before(async () => {
    world = await testProduct()
    const { product, connections } = world
    const { seal, open } = product.get(tokens.seal)
    const idempotency = {
      // Cut off, it cannot be reached any more once the handler runs.
      em: () => {
        if (isCut) throw new Error('cut off')
        return connections.orm.em.fork()
      },
      now: () => new Date(connections.clock.now() + later),
      seal,
      open,
    }
    const services = product.get(tokens.services)
    const scope = tokenScope(product.get(tokens.identity).authenticator, services)
    const cut: typeof scope = {
      ...scope,
      services: (caller, incoming) => {
        isCut = isCutting
        return services(caller, incoming)
      },
    }
    serving = await serve(edge(all, cut, { idempotency, verifyReplies: true }), { port: 0, host: '127.0.0.1' })
    ana = await founder()
    account = (await made('/cloud-accounts', connecting())).id
  })
  after(() => serving.close())
  async function post(route: Route, key: string, { path, token, body }: Asked): Promise<Answer> {
    const response = await fetch(`${serving.url}${path ?? route.path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'Idempotency-Key': key,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return answerOf(response)
  }

  /** How many rows there are of what must not be there twice, and which refresh was asked for last. */
  async function left(): Promise<unknown[]> {
    const { pool } = world.connections.store
    const counts = tables.map((name) => `select '${name}' as name, count(*)::int as n from ${name}`)
    const refresh = 'select refresh_id, skipped_id from refresh where org_id = $1'
    return [(await pool.query(counts.join(' union all '))).rows, (await pool.query(refresh, [ana.orgId])).rows]
  }

  const mine = (body?: unknown, path?: string): Asked => ({
    token: ana.accessToken,
    ...(path !== undefined && { path }),
    ...(body !== undefined && { body }),
  })

  const statusOfRefresh = async () => {
    const sql = 'select status from refresh where org_id = $1'
    const { rows } = await world.connections.store.pool.query<{ status: RefreshStatus }>(sql, [ana.orgId])
    return rows[0]?.status
  }

  const verifying = async (kind: 'saml' | 'oidc', bodyOf: (domain: string) => object) => {
    const path = `/organisations/${ana.orgId}/${kind}`
    const how = { token: ana.accessToken, body: bodyOf(`${fresh('domain')}.example`) }
    const { domain, record } = (await ask('PUT', path, how)).body.data.domains[0]
    dnsRecords.set(record.name, [record.value])
    return mine(undefined, `${path}/domains/${domain}/verify`)
  }

  const channel = async () => {
    const body = { type: 'email', name: fresh('channel'), config: { email: address() } }
    return (await made('/notifications/channels', body)).id
  }
  const discovered = async (resource: object) => {
    const sender = new Sender(world.product.get(tokens.publisher), randomUUID)
    const data = { ...resource, resourceUid: fresh('i'), status: 'running' as const }
    await sender.add({ subject: resourceDiscovered, orgId: ana.orgId, data } as unknown as Event)
    await sender.end()
    await waitUntilSettled(world.connections, ana.orgId, sender.lanes, () => {})
    return data.resourceUid
  }
  const suggested = () =>
    discovered({
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: account,
      region: 'us-east-1',
      name: 'shop-prod-web',
      tags: { env: 'prod' },
    })
  const found = async () => {
    const machine = { type: 'aws-ec2', provider: 'aws', cloudAccountId: account, region: 'us-east-1', name: 'web' }
    const subjectID = await discovered(machine)
    const [recID] = await recommended(
      { ...world, orgId: ana.orgId },
      { resource_uid: subjectID, cloud_account_id: account },
    )
    return { recID: recID!, subjectID }
  }
  /** Each about a workflow of its own that waits. */
  const decisions = (family: string) =>
    decisionsOf(family).map((path) => {
      const asked = async () => {
        const [jobID] = await plantedJobs({ ...world, orgId: ana.orgId }, { resource_uid: fresh('i') })
        const at = path.replace(':jobID', jobID!).replace(':stepID', 'stop%2Fapprove%2F1')
        return mine({ reason: 'Agreed.' }, at.replace(':stepName', 'approval'))
      }
      return [`POST ${path}`, asked] as const
    })
  const space = async (fields: object = {}) => {
    const place = { cloud_account_id: account, region: fresh('region') }
    return (await plantedSpaces({ ...world, orgId: ana.orgId }, { ...place, ...fields }))[0]!
  }
  /** A job that has made a database server, unless it is said to have failed. */
  const server = async (fields: object = {}) => {
    const output = { host: 'orders.example', port: 5432, user: 'admin', secretRef: 'secret://orders/admin' }
    const steps = doneSteps('datastore').map((step) => ({ ...step, output }))
    const job = { cloud_account_id: account, space_id: await space(), steps }
    return (await plantedProvisionings({ ...world, orgId: ana.orgId }, { ...job, ...fields }))[0]!
  }
  const policyBody = (mode = 'monitor') => autoscalerPolicy(account, fresh('asg'), mode)
  const policy = async (mode?: string) => (await made('/autoscaler-policies', policyBody(mode))).id
  /** About a policy of its own. */
  const ofPolicy = async (verb: string, mode?: string) => {
    const path = `/autoscaler-policies/${await policy(mode)}`
    const recommended = async () =>
      (await ask('GET', path, { token: ana.accessToken })).body.data.latestRecommendation !== undefined
    await until('what it recommends', recommended)
    if (verb === 'resume') await made(`${path}/pause`, undefined)
    return mine(undefined, `${path}/${verb}`)
  }
  /** About a plan of its own, which stands as is said. */
  const ofPlan = async (verb: string, status: string, body?: object) => {
    if (status === 'draft')
      return mine(body, `/event-readiness/${(await made('/event-readiness', planBody([await policy()]))).id}/${verb}`)
    const id = randomUUID()
    await plantedPlan({ ...world, orgId: ana.orgId }, id, { status })
    return mine(body, `/event-readiness/${id}/${verb}`)
  }
  const subscription = async () => ({ channelID: await channel(), eventType: 'budget.exceeded', scopeType: 'org' })
  const examples: Readonly<Record<string, () => Asked | Promise<Asked>>> = {
    'POST /resources/refresh': () => mine({}),
    'POST /resources/refresh/cancel': async () => {
      // One that goes on would have this one skipped, and this one must still go on when it is cancelled.
      await until('no refresh', async () => !isLive((await statusOfRefresh()) ?? 'idle'))
      const { faults } = world.product.get(tokens.clouds).simulated
      faults.set({ faults: [{ call: 'discover', times: 1, delaySeconds: 3 }] })
      await made('/resources/refresh', {})
      return mine()
    },
    'POST /cloud-accounts': () => mine(connecting()),
    'POST /cloud-accounts/:cloudAccountID/verify': () => mine(undefined, `/cloud-accounts/${account}/verify`),
    'POST /cloud-accounts/:cloudAccountID/check': () => mine(undefined, `/cloud-accounts/${account}/check`),
    'POST /reports/export': () => mine({ report: 'budgets', format: 'csv', from: '2026-01-01', to: '2026-01-31' }),
    'POST /billing/verify': () => mine(),
    'POST /billing/uploads/:uploadID/apply': async () => {
      const who = { url: world.url, token: ana.accessToken }
      const { body } = await upload(who, csv(focusRow('i-1', '1')), { account: fresh('account') })
      return mine({ confirm: true }, `/billing/uploads/${body.data.id}/apply`)
    },
    'POST /teams': () => mine({ name: fresh('team') }),
    'POST /teams/:teamID/resources': async () => {
      const { id } = await made('/teams', { name: fresh('team') })
      return mine({ resourceUIDs: ['i-1', 'i-2'] }, `/teams/${id}/resources`)
    },
    'POST /resource-groups': () => mine({ name: fresh('group'), members: [{ resourceUID: 'i-1' }] }),
    'POST /budgets': async () => {
      const { id } = await made('/resource-groups', { name: fresh('group') })
      return mine({ resourceGroupID: id, monthlyBudgetUSD: 100, alertThresholdPercent: 80 })
    },
    'POST /spaces': async () => {
      const { id } = await made('/cloud-accounts', connecting())
      return mine({ name: 'Production', cloudAccountID: id, region: 'us-east-1' })
    },
    'POST /provisioning-jobs': async () => mine({ ...jobBodyExample, spaceID: await space() }),
    'POST /provisioning-jobs/install-component': async () => {
      const spaceID = await space({ kind: 'cluster', cluster_uid: fresh('eks') })
      return mine({ spaceID, componentID: 'flux', values: {} })
    },
    'POST /provisioning-jobs/:id/retry': async () =>
      mine(undefined, `/provisioning-jobs/${await server({ phase: 'failed' })}/retry`),
    'POST /provisioning-jobs/:jobID/databases': async () =>
      mine({ name: 'shop', owner: 'shop_app' }, `/provisioning-jobs/${await server()}/databases`),
    'POST /provisioning-jobs/:jobID/connections': async () =>
      mine({}, `/provisioning-jobs/${await server()}/connections`),
    'POST /provisioning-jobs/:jobID/databases/:dbID/connections': async () => {
      const jobID = await server()
      const at = { job_id: jobID, cloud_account_id: account }
      const [dbID] = await plantedDatabases({ ...world, orgId: ana.orgId }, at)
      return mine({}, `/provisioning-jobs/${jobID}/databases/${dbID}/connections`)
    },
    'POST /overrides': async () => {
      const { id: scopeID } = await made('/resource-groups', { name: fresh('group') })
      const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
      return mine({ scopeType: 'resource_group', scopeID, desiredState: 'running', expiresAt })
    },
    'POST /actions': async () => {
      const resource = { type: 'aws-ec2', provider: 'aws', cloudAccountId: account, region: 'us-east-1' } as const
      const resourceUid = await discovered({ ...resource, name: 'web' })
      const { type: resourceType, cloudAccountId: cloudAccountID, ...rest } = resource
      return mine({ ...rest, resourceType, cloudAccountID, type: 'stop', resourceUID: resourceUid })
    },
    'POST /autotagging/accept': async () => mine({ resourceUid: await suggested() }),
    'POST /autotagging/decide': async () => mine({ status: 'accepted', resourceUids: [await suggested()] }),
    'POST /autotagging/reject': async () => mine({ resourceUid: await suggested() }),
    'POST /smart-tags/accept-all': () => mine({ key: fresh('key') }),
    'POST /recommendations/refresh': () => mine(),
    'POST /actions/bulk': async () => {
      const { id } = await made('/resource-groups', { name: fresh('group'), members: [{ resourceUID: 'i-1' }] })
      return mine({ type: 'start', groupID: id })
    },
    'POST /recommendations/:recID/workflow': async () =>
      mine(undefined, `/recommendations/${(await found()).recID}/workflow`),
    'POST /remediation-jobs': async () => {
      const { recID: recommendationID, subjectID } = await found()
      return mine({ recommendationID, subjectType: 'resource', subjectID })
    },
    'POST /autoscaler-policies': () => mine(policyBody()),
    'POST /autoscaler-policies/create-infrastructure': () => mine({ cloudAccountID: account }),
    'POST /autoscaler-policies/:policyID/apply': () => ofPolicy('apply', 'recommend'),
    'POST /autoscaler-policies/:policyID/pause': () => ofPolicy('pause'),
    'POST /autoscaler-policies/:policyID/resume': () => ofPolicy('resume'),
    'POST /autoscaler-policies/:policyID/remove': () => ofPolicy('remove'),
    'POST /event-readiness': async () => mine(planBody([await policy()])),
    'POST /event-readiness/:eventID/schedule': () => ofPlan('schedule', 'draft'),
    'POST /event-readiness/:eventID/cancel': () => ofPlan('cancel', 'draft'),
    'POST /event-readiness/:eventID/retry': () => ofPlan('retry', 'failed', { to: 'draft' }),
    'POST /event-readiness/:eventID/reopen': () => ofPlan('reopen', 'completed'),
    ...Object.fromEntries([...decisions('/workflows'), ...decisions('/remediation-jobs')]),
    'POST /notifications/channels/:channelID/test': async () =>
      mine(undefined, `/notifications/channels/${await channel()}/test`),
    'POST /notifications/channels/:channelID/signing-secret': async () =>
      mine(undefined, `/notifications/channels/${await channel()}/signing-secret`),
    'POST /notifications/share/recommendation/:recID': async () => {
      const [id] = await recommended({ ...world, orgId: ana.orgId }, {})
      return mine({ channelIDs: [await channel()] }, `/notifications/share/recommendation/${id}`)
    },
    ...savedExamples({ mine, made, fresh, to: () => ana.email }),
    'POST /notifications/subscriptions': async () => mine(await subscription()),
    'POST /notifications/subscriptions/bulk': async () => mine({ subscriptions: [await subscription()] }),
    'POST /events': () => ({ token: service(), body: scheduleEvent(fresh('schedule')) }),
    'POST /auth/login': async () => {
      const { email } = await person()
      return { body: { provider: 'email', email, password } }
    },
    'POST /auth/login/totp': async () => {
      const who = await person()
      const device = await withDevice(who)
      return { body: { challenge: await challenged(who.email), code: await shownBy(device) } }
    },
    'POST /auth/second-factor': async () => ({ token: (await person()).accessToken, body: { password } }),
    'POST /auth/second-factor/confirm': async () => {
      const { accessToken: token } = await person()
      const { secret } = (await ask('POST', '/auth/second-factor', { token, body: { password } })).body.data
      return { token, body: { code: await shownBy({ secret }) } }
    },
    'POST /auth/second-factor/disable': async () => {
      const who = await person()
      const device = await withDevice(who)
      return { token: who.accessToken, body: { password, code: await shownBy(device) } }
    },
    'POST /auth/password/change': async () => ({
      token: (await person()).accessToken,
      body: { currentPassword: password, newPassword: 'another good password' },
    }),
    'POST /auth/signup': () => ({ body: { email: address(), password, name: 'Ana' } }),
    'POST /auth/email/verify': async () => {
      const email = address()
      await ask('POST', '/auth/signup', { body: { email, password, name: 'Ana' } })
      return { body: { email } }
    },
    'POST /auth/password/forget': async () => ({ body: { email: (await person()).email } }),
    'POST /auth/refresh': async () => ({ body: { refreshToken: (await person()).refreshToken } }),
    'POST /organisations': () => mine({ name: 'Acme' }),
    'POST /organisations/:orgID/saml/domains/:domain/verify': () => verifying('saml', samlOf),
    'POST /organisations/:orgID/oidc/domains/:domain/verify': () => verifying('oidc', oidcOff),
    'POST /organisations/:orgID/scim/tokens': () => mine({ name: 'x' }, `/organisations/${ana.orgId}/scim/tokens`),
    'POST /deployments': async () =>
      mine({ ...(deploymentExample as object), spaceID: await plantedSpace({ ...world, orgId: ana.orgId } as never) }),
    'POST /source-installations': async () => {
      const id = String(Date.now())
      await world.connections.store.rows(
        `insert into source_installation (org_id, id, account, heard_at) values ('', $1, 'acme', now())`,
        [id],
      )
      return mine({ installationID: id, account: 'acme' })
    },
    'POST /members': () => mine({ email: address(), roleID: 'viewer' }),
    'POST /roles': () => mine({ name: fresh('role') }),
    'POST /settings/personal-access-tokens': () => mine({ name: 'ci' }),
    'POST /kubernetes/sources': () => mine(prometheus(account, fresh('cluster'))),
    'POST /unit-metrics': () => mine(metric()),
    'POST /unit-metric-values/:id': async () => {
      const { id } = await made('/unit-metrics', metric())
      return mine({ values: [{ timestamp: '2026-01-15', value: 3 }] }, `/unit-metric-values/${id}`)
    },
  }

  const seen = ({ status, body, headers }: Answer) => ({ status, body, location: headers.get('location') })
  const posts = all.filter(({ method }) => method === 'POST')

  /** By the example of its own body where nothing is said here. */
  const askedBy = (route: Route): Promise<Asked> | Asked => examples[nameOf(route)]?.() ?? mine(exampleOf(route.body))

  it('is asked by the example of its body, or as is said here, unless a second time does no harm', () => {
    const said = [...Object.keys(examples), ...Object.keys(harmless)]
    expect(posts.map(nameOf)).to.include.members([...said, ...ofEachKind])
    for (const route of posts.filter((one) => !said.includes(nameOf(one)))) {
      expect(exampleOf(route.body), nameOf(route)).to.be.an('object')
      expect(route.path, 'a place in a path is said here').to.not.include(':')
    }
  })

  deepIt('has actors answer at once when they are asked again under the same id', async () => {
    const [asker, id] = [world.product.get(tokens.asker), fresh('ask')]
    const asking = () => asker.ask(refreshRequested, ana.orgId, { refreshId: id, accounts: [] }, id)
    const reply = await asking()
    const began = performance.now()
    expect(await asking()).to.deep.equal(reply)
    // An asker that hears nothing asks again after three seconds.
    expect(performance.now() - began).to.be.below(2900)
  })

  for (const route of posts.filter((one) => !(nameOf(one) in harmless))) {
    const test = ofEachKind.has(nameOf(route)) ? it : deepIt
    test(`is answered as it would have been, and changes nothing twice: ${nameOf(route)}`, async () => {
      const asked = await askedBy(route)
      const key = fresh('key')
      isCutting = true
      const cut = await post(route, key, asked)
      const once = await left()
      isCutting = isCut = false
      later += 61_000
      const again = await post(route, key, asked)
      expect(again.status, JSON.stringify(again.body)).to.equal(route.status ?? 200)
      expect(await left()).to.deep.equal(once)
      const isKept = nameOf(route) in examples ? !asking.includes(nameOf(route)) : cut.status === again.status
      expect(seen(isKept ? cut : await post(route, key, asked))).to.deep.equal(seen(again))
    })
  }
})
